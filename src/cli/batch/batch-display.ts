import { processFreezer } from '../../shared/util/freezer.js';
import { type BatchResult, batchActivity, batchLine, batchSummary } from '../output/batch-text.js';
import type { Io } from '../terminal/io.js';
import type { BarLine } from '../terminal/progress-bar.js';
import { openProgressDisplay, type ProgressDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { type BatchEnd, BatchProgress } from './batch-progress.js';

/** The progress of a batch on stderr, in one line. */
export interface BatchDisplay extends Omit<ProgressDisplay, 'update'> {
  /**
   * The progress of a file, 0-100; see `BatchProgress.update`. `record` is printed by `--progress json`, and `activity`
   * shown for a single file.
   */
  update(index: number, percent: number, isActive: boolean, record: object, activity: string): void;
  /** Ends a file; its length in milliseconds may be known now. */
  end(index: number, end: BatchEnd, durationMs: number | null): void;
  /** See `BatchProgress`. */
  readonly setLength: BatchProgress['setLength'];
  readonly setFrozen: BatchProgress['setFrozen'];
}

/** How a batch ended. */
interface EndedBatch extends Omit<BatchResult, 'seconds' | 'repeat'> {
  readonly startedAtMs: number;
  /** The command that repeats the batch with other inputs; null if there is none. */
  readonly repeat: ((names: readonly string[]) => Promise<readonly string[]>) | null;
}

/** Prints the end of a batch, and the command that repeats the failed files unless one of them came from stdin. */
export async function writeSummary(
  io: Pick<Io, 'writeInfo'>,
  { startedAtMs, repeat, ...batch }: EndedBatch,
): Promise<void> {
  const names = batch.failures.map(({ name }) => name);
  const canRepeat = repeat !== null && names.length > 0 && !names.includes('-');
  const seconds = (Date.now() - startedAtMs) / 1000;
  io.writeInfo(batchSummary({ ...batch, seconds, repeat: canRepeat ? await repeat(names) : null }));
}

/** Shows the progress of files. The time in which Ctrl-Z stops the process does not count for the speed. */
export async function openBatchDisplay(
  io: Io,
  mode: ProgressMode,
  names: readonly string[],
): Promise<BatchDisplay> {
  const batch = new BatchProgress(names.length, processFreezer.elapsedMs);
  let current = '';
  const line: BarLine = (_, columns) => batchLine(batch.view(), current, columns);
  const { update, ...display } = await openProgressDisplay(io, mode, `${names.length} files`, line);
  const show = (record: object) => {
    const view = batch.view();
    const { count, done, failed, percent, speed, secondsLeft } = view;
    const facts = {
      ...{ files: count, files_done: done, files_failed: failed, batch_speed: speed },
      batch_eta_in_ms: secondsLeft === null ? null : Math.round(secondsLeft * 1000),
    };
    update(percent, batchActivity(view, current), { ...facts, ...record });
  };
  return {
    ...display,
    update: (index, percent, isActive, record) => {
      batch.update(index, percent, isActive);
      const file = names[index] ?? '';
      if (isActive || current === '') current = file.replace(/^.*\/(?=[^/])/, '');
      show({ file, ...record });
    },
    end: (index, end, durationMs) => {
      if (durationMs !== null) batch.setLength(index, durationMs / 1000);
      batch.end(index, end);
      show({ file: names[index] ?? '', state: end });
    },
    setLength: (index, seconds) => batch.setLength(index, seconds),
    setFrozen: (isFrozen) => batch.setFrozen(isFrozen),
  };
}
