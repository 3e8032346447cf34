import type { Level } from '../findings.ts';

const WORDS: Record<Level, string> = { block: 'Block', warn: 'Warn', info: 'Note' };

export const LevelBadge = ({ level }: { level: Level }) => (
  <span class={`level ${level}`}>{WORDS[level]}</span>
);
