import { getPriority, setPriority } from 'node:os';
import { VencError } from '../../src/shared/errors.js';
import { safeInputOptions } from '../plan/safe-input.js';
import { explainFailure, hasHiddenWriteError } from './explain.js';
import type { Binary, EncodeOptions } from './ffmpeg-types.js';
import { launch } from './launch.js';
import { recordProcess } from './orphan-processes.js';
import { initialProgressState, parseProgressText, progressKey, progressOf } from './parse-progress.js';

/** How an encoder is run, the same for all of them. */
interface RunSettings {
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

/** Options come in pairs of a name and a value. */
const guards = safeInputOptions.flatMap((option, index) => {
  const value = safeInputOptions[index + 1];
  return index % 2 === 0 && value !== undefined ? [{ option, value }] : [];
});

/**
 * The arguments with every input guarded: where one of `safeInputOptions` is missing in front of an `-i` it is put there;
 * one that is there stays as it is. A plan is expected to have them; this room does not run without. An input whose format
 * is fixed by `-f` (a generated source) needs no list of formats.
 */
export function guardInputs(args: readonly string[]): readonly string[] {
  const guarded: string[] = [];
  let start = 0;
  for (const [index, arg] of args.entries()) {
    if (arg !== '-i') continue;
    const inputOptions = args.slice(start, index);
    const isFixed = inputOptions.includes('-f');
    const missing = guards.filter(
      ({ option }) => !inputOptions.includes(option) && !(isFixed && option === '-format_whitelist'),
    );
    guarded.push(...inputOptions, ...missing.flatMap(({ option, value }) => [option, value]), '-i');
    start = index + 1;
  }
  return [...guarded, ...args.slice(start)];
}

/** How many steps an encoder stands behind the process that started it, and the last there is. */
const niceIncrement = 10;
const maxNice = 19;

/**
 * Lowers the priority of a program that was just started: encoders take every processor there is, and a daemon that has to wait
 * for its turn among four of them answers after a second (p99) instead of after some milliseconds. On a machine with nothing else to do they are no slower for it. A
 * program that is gone already, or a system that does not let its priority be changed, is left as it is.
 */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(maxNice, getPriority() + niceIncrement));
  } catch {
    // It goes on as it is.
  }
}
