import type { Io } from './io.js';
import { humanDuration, humanPercent } from './print/units.js';
import type { ProgressMode } from './progress-mode.js';

/** Shows how far one thing is, on stderr. */
export interface ProgressDisplay {
  /** `percent` is 0-100; `activity` is a few words on what is going on; `record` is what `--progress json` prints. */
  update(percent: number, activity: string, record: object): void;
  /** Takes the display away, for something else to be written. */
  stop(): void;
}

/** Milliseconds between two lines of plain progress. */
const lineEveryMs = 3000;
const barColumns = 28;

/** A display in the mode that was chosen. The library that draws bars is loaded only where one is drawn. */
export async function openProgress(io: Io, mode: ProgressMode, title: string): Promise<ProgressDisplay> {
  if (mode === 'tty') return drawnBar(io, title);
  if (mode === 'plain') return plainLines(io, title);
  if (mode === 'none') return { update: () => {}, stop: () => {} };
  let last = '';
  return {
    update: (percent, _activity, record) => {
      const line = JSON.stringify({ event: title, percent, ...record });
      if (line !== last) io.note(`${line}\n`);
      last = line;
    },
    stop: () => {},
  };
}

async function drawnBar(io: Io, title: string): Promise<ProgressDisplay> {
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format: `${title} [{bar}] {shown} {activity}`,
    stream: io.stderr,
    barsize: barColumns,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    // The cursor stays visible and Ctrl-C is ours: a program that leaves at once then leaves nothing to repair.
    hideCursor: false,
    gracefulExit: false,
    linewrap: false,
  });
  bar.start(100, 0, { shown: '', activity: '' });
  return {
    update: (percent, activity) =>
      bar.update(percent, { shown: humanPercent(percent).padStart(6), activity }),
    stop: () => bar.stop(),
  };
}

function plainLines(io: Io, title: string): ProgressDisplay {
  const startedAt = performance.now();
  let writtenAt = startedAt;
  return {
    update: (percent, activity) => {
      const now = performance.now();
      if (now - writtenAt < lineEveryMs) return;
      writtenAt = now;
      const leftSeconds = percent > 0 ? ((now - startedAt) * (100 - percent)) / percent / 1000 : null;
      const left =
        leftSeconds === null || activity.includes(' left') ? '' : `, ${humanDuration(leftSeconds)} left`;
      io.note(`venc: ${title} ${humanPercent(percent)}${activity === '' ? '' : `, ${activity}`}${left}\n`);
    },
    stop: () => {},
  };
}
