import { displayWidth, fitText } from '../../shared/text/display-width.js';
import { humanPercent } from './units.js';

/** The state of a progress bar. */
export interface BarState {
  readonly title: string;
  /** 0-100; null if unknown. */
  readonly percent: number | null;
  /** A short description of the current activity, separated by `, `. */
  readonly activity: string;
}

/** At 80 columns this leaves space for the complete activity of a transfer. */
const maxBarColumns = 20;
const minBarColumns = 6;
const percentColumns = 6;
const minTitleColumns = 8;

/**
 * Formats `job 12 [#####-----]  45.2% transcoding, 118 fps, 12s left` within `columns`. On narrow terminals the bar
 * gets shorter, then parts of the activity are dropped; the remaining time is kept longest.
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
