import type { Level } from '../findings.ts';

const WORDS: Record<Level, string> = { block: 'Critical', warn: 'Warning', info: 'Note' };

export const LevelBadge = ({ level }: { level: Level }) => (
  <span class={`level ${level}`}>{WORDS[level]}</span>
);
