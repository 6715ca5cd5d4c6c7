import { productVersion } from '../../src/shared/version.js';
import type { FfmpegReport } from '../ffmpeg/index.js';

/** What the log says at the start of a daemon: its address, its data folder, what it encodes with, and how many jobs at once. */
export function startLines(daemon: {
  readonly url: string;
  readonly dataFolder: string;
  readonly report: Pick<FfmpegReport, 'ffmpeg'>;
  readonly encodes: number;
}): readonly string[] {
  const { ffmpeg } = daemon.report;
  return [
    `venc ${productVersion} listens at ${daemon.url}. Its data folder is ${daemon.dataFolder}.`,
    // Without one, the log says so as a warning.
    ...(ffmpeg === null ? [] : [`It encodes with ffmpeg ${ffmpeg.version} (${ffmpeg.path}).`]),
    daemon.encodes === 0
      ? 'It accepts jobs and encodes none (--jobs 0).'
      : `It encodes ${formatJobCount(daemon.encodes)} at a time (--jobs).`,
  ];
}

/** What the log says when a daemon is asked to stop: which jobs it waits for, and how long. */
export function stopLine(running: readonly number[], graceSeconds: number): string {
  if (running.length === 0) return 'Stopping: no job is running.';
  const jobList = `${formatJobCount(running.length)} (${running.join(', ')})`;
  return graceSeconds === 0
    ? `Stopping at once: ${jobList} will run again at the next start.`
    : `Stopping: waiting up to ${graceSeconds} s (--grace) for ${jobList}. Press Ctrl-C again to stop at once; what is unfinished will run again at the next start.`;
}

function formatJobCount(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`;
}
