/** Copies a text to the clipboard, and says so. */
import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 2_000;

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (message === '') return;
    const timer = setTimeout(() => setMessage(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [message]);
  const copy = async () => setMessage((await copied(text)) ? 'Copied' : 'Select it and copy');
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{message || 'Copy'}</span>
    </button>
  );
}

/** Browsers have the clipboard only on HTTPS and localhost. Elsewhere this copies a selection. */
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
