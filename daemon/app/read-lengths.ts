import { type OpenOptions, openFfmpeg } from '../ffmpeg/index.js';

/** Options of `readLengths`. */
interface ReadLengthsOptions extends Pick<OpenOptions, 'ffmpeg' | 'ffprobe' | 'sandbox'> {
  readonly signal: AbortSignal;
  /** Receives the length of the file at an index, in seconds. */
  readonly onLength: (index: number, seconds: number) => void;
}

/**
 * Reads the lengths of files on this machine, one after the other, for the progress of a batch; null stands for a file
 * that is not here. Without ffprobe, and after the signal, it reads none. Never rejects.
 */
export async function readLengths(
  paths: readonly (string | null)[],
  { signal, onLength, ...programs }: ReadLengthsOptions,
): Promise<void> {
  const opened = await openFfmpeg(programs).catch(() => null);
  for (const [index, path] of paths.entries()) {
    if (signal.aborted || !opened?.ffmpeg) return;
    const seconds = path === null ? null : await opened.ffmpeg.readLength(path, signal);
    if (seconds !== null) onLength(index, seconds);
  }
}
