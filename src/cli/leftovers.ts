/** Files and folders that must not outlive the command, whatever ends it but SIGKILL. */
import { rmSync } from 'node:fs';

/** Removes `path` when the program exits; the function that it gives removes it now. */
export function removedAtExit(path: string): () => void {
  const remove = () => {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // It could not be made either.
    }
  };
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
    remove();
  };
}
