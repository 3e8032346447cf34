/** Entry point of the dashboard. Style sheets are in order: later ones override earlier ones. */
import { render } from 'preact';
import { App } from './app.tsx';
import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/layout.css';
import './style/marks.css';
import './style/parts.css';
import './style/forms.css';
import './style/report.css';
import './style/tables.css';
import './style/charts.css';

render(<App />, document.getElementById('app')!);
