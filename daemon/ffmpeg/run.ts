import { VencError } from '../../src/shared/errors.js';
import { explain, failedQuietly } from './explain.js';
import type { Binary, EncodeOptions } from './ffmpeg-types.js';
import { guardInputs } from './guards.js';
import { launch } from './launch.js';
import { recordRun } from './leftovers.js';
import { emptyReading, progressMark, progressOf, readProgressText } from './read-progress.js';
import { stepBack } from './step-back.js';

/** How an encoder is run, the same for all of them. */
export interface RunSettings {
  readonly guardian: readonly string[];
  /** Seconds without any progress after which a run is given up. */
  readonly stallSeconds: number;
}

// Progress goes to stdout, which no plan writes to: a third pipe would be one more thing to forget to read.
const ownArgs = ['-hide_banner', '-nostdin', '-v', 'error', '-nostats', '-progress', 'pipe:1'] as const;

const interrupted = (cause: unknown) =>
  new VencError('InterruptedError', 'The encoding was interrupted.', { cause });

/** Runs ffmpeg as promised by `Ffmpeg.run`; `TranscodingTimeoutError` where it gets nowhere for `stallSeconds`. */
export async function runEncoder(
  program: Binary,
  args: readonly string[],
  settings: RunSettings,
  { signal, onProgress, scratch }: EncodeOptions,
): Promise<void> {
  if (signal.aborted) throw interrupted(signal.reason);
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  let isStalled = false;
  const stall = setTimeout(() => {
    isStalled = true;
    stop.abort();
  }, settings.stallSeconds * 1000);
  let reading = emptyReading;
  let mark = '';
  let forget = () => {};
  try {
    const ending = await launch(program.path, [...ownArgs, ...guardInputs(args)], {
      guardian: settings.guardian,
      folder: scratch,
      signal: stop.signal,
      onStart: (pid) => {
        // In the tick of its start: the threads that it makes inherit it.
        stepBack(pid);
        forget = recordRun(scratch, pid);
      },
      onStdout: (text) => {
        const next = readProgressText(reading, text);
        reading = next.reading;
        for (const block of next.blocks) {
          // A stalled ffmpeg may go on reporting: only a report that differs shows that it works.
          if (progressMark(block) !== mark) stall.refresh();
          mark = progressMark(block);
          if (!stop.signal.aborted) onProgress(progressOf(block));
        }
      },
    });
    if (signal.aborted) throw interrupted(signal.reason);
    if (isStalled) {
      const message = `The encoder made no progress for ${settings.stallSeconds} seconds.`;
      throw new VencError('TranscodingTimeoutError', message);
    }
    if (ending.exitCode === 0 && !failedQuietly(ending.said)) return;
    const { errorClass, message } = explain(ending, { folders: [scratch] });
    throw new VencError(errorClass, message);
  } finally {
    clearTimeout(stall);
    signal.removeEventListener('abort', onAbort);
    forget();
  }
}
