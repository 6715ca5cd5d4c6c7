import { VencError } from '../../src/shared/errors.js';
import { explainFailure, hasHiddenWriteError } from './explain.js';
import type { Binary, EncodeOptions } from './ffmpeg-types.js';
import { guardInputs } from './guards.js';
import { launch } from './launch.js';
import { lowerPriority } from './lower-priority.js';
import { recordProcess } from './orphan-processes.js';
import { initialProgressState, parseProgressText, progressKey, progressOf } from './parse-progress.js';

/** How an encoder is run, the same for all of them. */
export interface RunSettings {
  readonly parentDeathWrapper: readonly string[];
  /** Seconds without any progress after which a run is given up. */
  readonly stallSeconds: number;
}

// Progress goes to stdout, which no plan writes to: a third pipe would be one more thing to forget to read.
const baseArgs = ['-hide_banner', '-nostdin', '-v', 'error', '-nostats', '-progress', 'pipe:1'] as const;

const interruptedError = (cause: unknown) =>
  new VencError('InterruptedError', 'The encoding was interrupted.', { cause });

/** Runs ffmpeg as promised by `Ffmpeg.run`; `TranscodingTimeoutError` where it gets nowhere for `stallSeconds`. */
export async function runEncoder(
  program: Binary,
  args: readonly string[],
  settings: RunSettings,
  { signal, onProgress, scratch }: EncodeOptions,
): Promise<void> {
  if (signal.aborted) throw interruptedError(signal.reason);
  const stopController = new AbortController();
  const onAbort = () => stopController.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  let isStalled = false;
  const stallTimer = setTimeout(() => {
    isStalled = true;
    stopController.abort();
  }, settings.stallSeconds * 1000);
  let progressState = initialProgressState;
  let progressSnapshot = '';
  let removeRecord = () => {};
  try {
    const exit = await launch(program.path, [...baseArgs, ...guardInputs(args)], {
      parentDeathWrapper: settings.parentDeathWrapper,
      folder: scratch,
      signal: stopController.signal,
      onStart: (pid) => {
        // In the tick of its start: the threads that it makes inherit it.
        lowerPriority(pid);
        removeRecord = recordProcess(scratch, pid);
      },
      onStdout: (text) => {
        const next = parseProgressText(progressState, text);
        progressState = next.state;
        for (const block of next.blocks) {
          // A stalled ffmpeg may go on reporting: only a report that differs shows that it works.
          if (progressKey(block) !== progressSnapshot) stallTimer.refresh();
          progressSnapshot = progressKey(block);
          if (!stopController.signal.aborted) onProgress(progressOf(block));
        }
      },
    });
    if (signal.aborted) throw interruptedError(signal.reason);
    if (isStalled) {
      const message = `The encoder made no progress for ${settings.stallSeconds} seconds.`;
      throw new VencError('TranscodingTimeoutError', message);
    }
    if (exit.exitCode === 0 && !hasHiddenWriteError(exit.stderr)) return;
    const { errorClass, message } = explainFailure(exit, { folders: [scratch] });
    throw new VencError(errorClass, message);
  } finally {
    clearTimeout(stallTimer);
    signal.removeEventListener('abort', onAbort);
    removeRecord();
  }
}
