import type { LevelDemand } from './h264-levels.js';

/** The most luma samples of a frame and of a second, by level of HEVC (Recommendation H.265, annex A), lowest first. */
const levels: readonly (readonly [level: string, perFrame: number, perSecond: number])[] = [
  ['1', 36_864, 552_960],
  ['2', 122_880, 3_686_400],
  ['2.1', 245_760, 7_372_800],
  ['3', 552_960, 16_588_800],
  ['3.1', 983_040, 33_177_600],
  ['4', 2_228_224, 66_846_720],
  ['4.1', 2_228_224, 133_693_440],
  ['5', 8_912_896, 267_386_880],
  ['5.1', 8_912_896, 534_773_760],
  ['5.2', 8_912_896, 1_069_547_520],
  ['6', 35_651_584, 1_069_547_520],
  ['6.1', 35_651_584, 2_139_095_040],
  ['6.2', 35_651_584, 4_278_190_080],
];

/** The levels of HEVC. */
export const hevcLevels: readonly string[] = levels.map(([level]) => level);

/**
 * The given level if the video fits into it, else the lowest higher one that it fits into; the highest if it fits into none. x265
 * does not open with a lower one.
 */
export function fittingHevcLevel(level: string, { width, height, framesPerSecond }: LevelDemand): string {
  const found = levels
    .slice(Math.max(0, hevcLevels.indexOf(level)))
    .find(
      ([, perFrame, perSecond]) =>
        width * height <= perFrame &&
        Math.max(width, height) <= Math.sqrt(8 * perFrame) &&
        width * height * framesPerSecond <= perSecond,
    );
  return found?.[0] ?? '6.2';
}
