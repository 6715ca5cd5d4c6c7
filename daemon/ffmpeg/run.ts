import { getPriority, setPriority } from 'node:os';
import { VencError } from '../../src/shared/errors.js';
import { safeInputOptions } from '../plan/safe-input.js';
import { explainFailure, hasHiddenWriteError } from './explain.js';
import type { Binary, EncodeOptions } from './ffmpeg-types.js';
import { DamageDetector } from './input-damage.js';
import { launch } from './launch.js';
import { recordProcess } from './orphan-processes.js';
import { initialProgressState, parseProgressText, progressKey, progressOf } from './parse-progress.js';

/** Settings of all encoder runs. */
interface RunSettings {
  readonly parentDeathWrapper: readonly string[];
  /** Seconds without progress after which a run fails. */
  readonly stallSeconds: number;
}

// Progress goes to stdout, which no plan writes to, so no third pipe is needed.
const baseArgs = ['-hide_banner', '-nostdin', '-nostats', '-progress', 'pipe:1'] as const;

const interruptedError = (cause: unknown) =>
  new VencError('InterruptedError', 'The encoding was interrupted.', { cause });

/**
 * Implements `Ffmpeg.run`. Rejects with `TranscodingTimeoutError` after `stallSeconds` without progress. Resolves with the end of the
 * log, which has errors only unless `logLevel` is `info`.
 */
export async function runEncoder(
  program: Binary,
  args: readonly string[],
  settings: RunSettings,
  { signal, onProgress, onDamagedInput, scratch }: EncodeOptions,
  logLevel: 'error' | 'info' = 'error',
): Promise<string> {
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
  const damage = new DamageDetector();
  try {
    const exit = await launch(program.path, ['-v', logLevel, ...baseArgs, ...guardInputs(args)], {
      parentDeathWrapper: settings.parentDeathWrapper,
      folder: scratch,
      signal: stopController.signal,
      onStart: (pid) => {
        // In the same tick as the start, so that all its threads inherit the priority.
        lowerPriority(pid);
        removeRecord = recordProcess(scratch, pid);
      },
      onStderr: (text) => damage.add(text),
      onStdout: (text) => {
        const next = parseProgressText(progressState, text);
        progressState = next.state;
        for (const block of next.blocks) {
          // A stalled ffmpeg may continue to report: only a different report is progress.
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
    if (exit.exitCode === 0 && !hasHiddenWriteError(exit.stderr)) {
      if (damage.isDamaged) onDamagedInput?.();
      return exit.stderr;
    }
    const { errorClass, message } = explainFailure(exit, { folders: [scratch] });
    throw new VencError(errorClass, message);
  } finally {
    clearTimeout(stallTimer);
    signal.removeEventListener('abort', onAbort);
    removeRecord();
  }
}

/** The safe input options, as pairs of name and value. */
const guards = safeInputOptions.flatMap((option, index) => {
  const value = safeInputOptions[index + 1];
  return index % 2 === 0 && value !== undefined ? [{ option, value }] : [];
});

/**
 * Adds the missing `safeInputOptions` before every `-i`; options that are present are kept. Plans contain them already: this makes sure
 * that ffmpeg never runs without them. An input whose format is set by `-f` (a generated source) needs no list of formats.
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

/** The niceness that is added for encoders, and the maximum niceness. */
const niceIncrement = 10;
const maxNice = 19;

/**
 * Lowers the priority of a program that was just started. Encoders use all processors: while four encoders ran at normal priority, the
 * daemon answered after a second (p99) instead of milliseconds. On an otherwise idle machine, a low priority makes encoders no slower.
 * Ignores errors: the program may have ended, or the system may not allow the change.
 */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(maxNice, getPriority() + niceIncrement));
  } catch {
    // The program keeps its priority.
  }
}
