import { jsonText } from '../../shared/text/json-text.js';
import { humanPercent } from '../output/units.js';
import type { Io } from './io.js';
import type { ProgressMode } from './progress-mode.js';

/** Shows how far one thing is, on stderr. */
export interface ProgressDisplay {
  /** `percent` is 0-100; `activity` is a few words on what is going on; `record` is what `--progress json` prints. */
  update(percent: number, activity: string, record: object): void;
  /** Writes a remark; the display goes on below it. */
  note(text: string): void;
  /** Makes room for what `write` writes to the same terminal; the display goes on below it. */
  aside(write: () => Promise<void>): Promise<void>;
  /** Ends the display. What it showed last stays. */
  stop(): void;
}

/** Milliseconds between two lines of plain progress. */
const lineEveryMs = 3000;

/** A display in the mode that was chosen. What draws bars is loaded only where one is drawn. */
export async function openProgress(io: Io, mode: ProgressMode, title: string): Promise<ProgressDisplay> {
  if (mode === 'tty') {
    const { drawnBar } = await import('./progress-bar.js');
    return drawnBar(io, title);
  }
  const note = (text: string) => io.note(text);
  const rest = { note, aside: (write: () => Promise<void>) => write(), stop: () => {} };
  if (mode === 'plain') return { update: plainLines(io, title), ...rest };
  if (mode === 'json') return { update: jsonLines(io, title), ...rest };
  return { update: () => {}, ...rest };
}

function jsonLines(io: Io, title: string): ProgressDisplay['update'] {
  let last = '';
  return (percent, _activity, record) => {
    const line = jsonText({ event: title, percent, ...record });
    if (line !== last) io.note(`${line}\n`);
    last = line;
  };
}

function plainLines(io: Io, title: string): ProgressDisplay['update'] {
  let writtenAt = performance.now();
  return (percent, activity) => {
    const now = performance.now();
    if (now - writtenAt < lineEveryMs) return;
    writtenAt = now;
    io.note(`venc: ${title} ${[humanPercent(percent), activity].filter(Boolean).join(', ')}\n`);
  };
}
