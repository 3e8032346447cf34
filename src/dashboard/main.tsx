/** The dashboard: begins here. */
import { render } from 'preact';
import { App } from './app.tsx';
import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/layout.css';
import './style/parts.css';
import './style/data.css';

render(<App />, document.getElementById('app')!);
