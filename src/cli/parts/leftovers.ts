/** Files and folders that must not outlive the command, whatever ends it but SIGKILL. */
import { rmSync } from 'node:fs';

/** Removes a file when the program exits, or a folder with all that is in it; the function that it gives removes it now. */
export function removedAtExit(path: string, isFolder: boolean): () => void {
  const remove = () => {
    try {
      rmSync(path, { recursive: isFolder, force: true });
    } catch {
      // It could not be made either, for example because it is a folder of the user.
    }
  };
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
    remove();
  };
}
