/** Copies a text, and says so. */
import { useEffect, useState } from 'preact/hooks';

const SAID_MS = 2_000;

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copied(text)) ? 'Copied' : 'Select it and copy');
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{said || 'Copy'}</span>
    </button>
  );
}

/** The clipboard is there on safe addresses only: over plain HTTP from elsewhere a selection has to do. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  const holder = document.querySelector('dialog[open]') ?? document.body;
  holder.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
