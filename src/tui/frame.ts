import type { FrameSize } from './frame-plan.js';
import { linesAround } from './lines-around.js';
import { tableRows } from './table-rows.js';
import { paintOf, type TintedText } from './tones.js';
import type { WatchState } from './watch-types.js';

/**
 * One frame to be drawn: never wider than the terminal and always lower than it, since what has scrolled away cannot be drawn over. ink
 * lays out what stands around the table. The table it would take apart letter by letter in every frame, and keep the width of every
 * text it ever saw.
 */
export interface Frame {
  readonly columns: number;
  readonly isColoured: boolean;
  /** The line above the table, and those below it. */
  readonly around: readonly TintedText[];
  readonly table: readonly string[];
}

/** How a state is to be drawn. */
export interface FrameTerms {
  readonly size: FrameSize;
  readonly isColoured: boolean;
  /** Whether it is to be left behind: without what can be done. */
  readonly isLast?: boolean;
}

/** The frame of a state. Where the keys are explained there is no table. */
export function frameOf(state: WatchState, { size, isColoured, isLast = false }: FrameTerms): Frame {
  const around = linesAround(state, size, isLast);
  const table = state.isHelp && !isLast ? [] : tableRows(state, size, paintOf(isColoured));
  return { columns: size.columns, isColoured, around, table };
}

/** Whether ink would lay out both alike. */
export function isLaidOutAlike(one: Frame, other: Frame): boolean {
  const { length } = one.around;
  if (one.columns !== other.columns || length !== other.around.length) return false;
  return one.around.every(
    ({ text, tone }, index) => text === other.around[index]?.text && tone === other.around[index]?.tone,
  );
}

/** The rows of a frame: what ink has laid out, the table in its place below the first line. */
export function withTable(laidOut: string, { table }: Frame): readonly string[] {
  const [header = '', ...others] = laidOut.split('\n');
  return [header, ...table, ...others];
}
