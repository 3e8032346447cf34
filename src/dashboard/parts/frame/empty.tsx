/** Shown while there are no batches: how to screen the first one. */
import { base } from '../../api.ts';
import { screenCommand } from '../../curl.ts';
import { addressOf } from '../../route.ts';
import { Command } from '../controls/command.tsx';

export const NoBatches = ({ title }: { title: string }) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>
      The quickest way: <a href={addressOf({ page: 'try', source: null })}>drop a CSV or JSON file</a>. From a
      program, <a href={addressOf({ page: 'keys' })}>create a key</a> and post rows:
    </p>
    <Command text={screenCommand(base)} what="the command that screens a batch" />
  </div>
);
