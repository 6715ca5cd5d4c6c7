import type { Level } from './decisions.js';

/** What applies where neither `quality`, `speed` nor `audio_quality` is given (contract). */
const middleLevel: Level = 3;

/** A number from 1 to 5 as a level; the settings' own range keeps others away, which become the nearest one here. */
export function levelOf(value: number | undefined): Level {
  if (value === undefined) return middleLevel;
  if (value <= 1) return 1;
  if (value >= 5) return 5;
  return value < 3 ? 2 : value < 4 ? 3 : 4;
}

/** What stands for a level in a row of five. */
export function atLevel<T>(levels: readonly [T, T, T, T, T], level: Level): T {
  const index = ({ 1: 0, 2: 1, 3: 2, 4: 3, 5: 4 } as const)[level];
  return levels[index];
}
