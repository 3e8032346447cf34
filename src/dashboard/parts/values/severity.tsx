import type { Finding } from '../../../client/findings.ts';

type Severity = Finding['severity'];

const WORDS: Record<Severity, string> = { block: 'Critical', warn: 'Warning', info: 'Note' };

export const SeverityBadge = ({ severity }: { severity: Severity }) => (
  <span class={`level ${severity}`}>{WORDS[severity]}</span>
);
