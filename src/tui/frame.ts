import type { FrameSize } from './frame-plan.js';
import { tableRows } from './table-rows.js';
import { paintOf } from './tones.js';
import type { WatchState } from './watch-types.js';

/** One frame to be drawn. */
export interface Frame {
  readonly state: WatchState;
  readonly size: FrameSize;
  readonly isColoured: boolean;
  /** Whether it is to be left behind: without what can be done. */
  readonly isLast: boolean;
  /**
   * The rows of the table. ink lays out what stands around them: it would take them apart letter by letter in every frame, and keep the
   * width of every text it ever saw.
   */
  readonly table: readonly string[];
}

/** The frame of a state. Where the keys are explained there is no table. */
export function frameOf(
  state: WatchState,
  { size, isColoured, isLast = false }: Pick<Frame, 'size' | 'isColoured'> & Partial<Pick<Frame, 'isLast'>>,
): Frame {
  const table = state.isHelp && !isLast ? [] : tableRows(state, size, paintOf(isColoured));
  return { state, size, isColoured, isLast, table };
}

/** The rows of a frame: what ink has laid out, the table in its place below the first line. */
export function withTable(laidOut: string, { table }: Frame): readonly string[] {
  const [header = '', ...others] = laidOut.split('\n');
  return [header, ...table, ...others];
}
