import { displayWidth, fitText } from '../../shared/text/display-width.js';
import { humanPercent } from './units.js';

/** One thing that is on its way, as its bar tells it. */
export interface BarState {
  readonly title: string;
  /** 0-100; null before anything is known. */
  readonly percent: number | null;
  /** A few words on what is going on, parted by `, `. */
  readonly activity: string;
}

/** At 80 columns all words of a transfer have room beside it. */
const maxBarColumns = 20;
const minBarColumns = 6;
const percentColumns = 6;
const minTitleColumns = 8;

/**
 * `job 12 [#####-----]  45.2% transcoding, 118 fps, 12s left` within so many columns. Where these are few the bar gets shorter, and words
 * are left out in order of worth: what is left of the activity in the end is the time that it will take.
 */
export function barLine({ title, percent, activity }: BarState, columns: number): string {
  const shown = percent === null ? '' : humanPercent(percent).padStart(percentColumns);
  const bar = barText(percent ?? 0, Math.min(maxBarColumns, Math.floor((columns - 20) / 2)));
  const availableColumns = columns - percentColumns - 1 - (bar === '' ? 0 : bar.length + 1);
  const name = fitText(title, Math.max(minTitleColumns, Math.floor(availableColumns / 2)));
  const words = fitActivity(activity, availableColumns - displayWidth(name) - 1);
  return [name, bar, shown, words].filter((part) => part !== '').join(' ');
}

function barText(percent: number, columns: number): string {
  if (columns < minBarColumns) return '';
  const done = Math.max(0, Math.min(columns, Math.floor((percent / 100) * columns)));
  return `[${'#'.repeat(done)}${'-'.repeat(columns - done)}]`;
}

function fitActivity(activity: string, columns: number): string {
  let parts = activity.split(', ');
  while (parts.length > 0 && displayWidth(parts.join(', ')) > columns) {
    parts = parts.length > 2 ? [...parts.slice(0, -2), ...parts.slice(-1)] : parts.slice(1);
  }
  return parts.join(', ');
}
