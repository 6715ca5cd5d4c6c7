/**
 * The limits of a level of H.264 (Recommendation H.264, annex A). Bitrates are in kbit of the baseline and main
 * profile.
 */
interface LevelLimits {
  readonly macroblocksPerSecond: number;
  readonly macroblocksPerFrame: number;
  /** Size of the buffer of decoded frames, in macroblocks. */
  readonly bufferMacroblocks: number;
  readonly maxKbps: number;
  readonly maxBufferKilobits: number;
}

const limits = (
  macroblocksPerSecond: number,
  macroblocksPerFrame: number,
  bufferMacroblocks: number,
  maxKbps: number,
  maxBufferKilobits: number,
): LevelLimits => ({
  macroblocksPerSecond,
  macroblocksPerFrame,
  bufferMacroblocks,
  maxKbps,
  maxBufferKilobits,
});

/** The levels and their limits. */
export const h264Levels = {
  '1': limits(1485, 99, 396, 64, 175),
  '1b': limits(1485, 99, 396, 128, 350),
  '1.1': limits(3000, 396, 900, 192, 500),
  '1.2': limits(6000, 396, 2376, 384, 1000),
  '1.3': limits(11_880, 396, 2376, 768, 2000),
  '2': limits(11_880, 396, 2376, 2000, 2000),
  '2.1': limits(19_800, 792, 4752, 4000, 4000),
  '2.2': limits(20_250, 1620, 8100, 4000, 4000),
  '3': limits(40_500, 1620, 8100, 10_000, 10_000),
  '3.1': limits(108_000, 3600, 18_000, 14_000, 14_000),
  '3.2': limits(216_000, 5120, 20_480, 20_000, 20_000),
  '4': limits(245_760, 8192, 32_768, 20_000, 25_000),
  '4.1': limits(245_760, 8192, 32_768, 50_000, 62_500),
  '4.2': limits(522_240, 8704, 34_816, 50_000, 62_500),
  '5': limits(589_824, 22_080, 110_400, 135_000, 135_000),
  '5.1': limits(983_040, 36_864, 184_320, 240_000, 240_000),
  '5.2': limits(2_073_600, 36_864, 184_320, 240_000, 240_000),
  '6': limits(4_177_920, 139_264, 696_320, 240_000, 240_000),
  '6.1': limits(8_355_840, 139_264, 696_320, 480_000, 480_000),
  '6.2': limits(16_711_680, 139_264, 696_320, 800_000, 800_000),
} as const satisfies Record<string, LevelLimits>;

/** A level of H.264. */
export type H264Level = keyof typeof h264Levels;

/** The levels, lowest first. An object would list those that are whole numbers first. */
const ascending: readonly H264Level[] = [
  ...(['1', '1b', '1.1', '1.2', '1.3', '2', '2.1', '2.2', '3', '3.1', '3.2', '4', '4.1', '4.2'] as const),
  ...(['5', '5.1', '5.2', '6', '6.1', '6.2'] as const),
];

/** A level by its name; the lowest for any other name. */
export function toH264Level(name: string): H264Level {
  return ascending.find((one) => one === name) ?? '1';
}

/** What a level has to allow: the size in pixels and the frames per second. */
export interface LevelDemand {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
}

/**
 * The given level if the video fits into it, else the lowest higher one that it fits into; the highest if it fits into
 * none.
 */
export function fittingLevel(level: H264Level, demand: LevelDemand): H264Level {
  const candidates = ascending.slice(ascending.indexOf(level));
  return candidates.find((one) => fits(h264Levels[one], demand)) ?? '6.2';
}

/** The maximum number of reference frames of a level at this size. */
export function maxReferenceFrames(level: H264Level, { width, height }: LevelDemand): number {
  const frames = Math.floor(h264Levels[level].bufferMacroblocks / (blocks(width) * blocks(height)));
  return Math.max(1, Math.min(16, frames));
}

/** The factor by which the bitrates of a level are higher with a profile. */
export function bitrateFactor(profile: string | null): number {
  if (profile === 'high10') return 3;
  if (profile === 'high422' || profile === 'high444') return 4;
  return profile === 'baseline' || profile === 'main' ? 1 : 1.25;
}

function fits(
  { macroblocksPerFrame, macroblocksPerSecond }: LevelLimits,
  { width, height, framesPerSecond }: LevelDemand,
): boolean {
  const [across, down] = [blocks(width), blocks(height)];
  const longest = Math.sqrt(8 * macroblocksPerFrame);
  return (
    across * down <= macroblocksPerFrame &&
    Math.max(across, down) <= longest &&
    across * down * framesPerSecond <= macroblocksPerSecond
  );
}

/** Macroblocks have 16 pixels on each side. */
function blocks(pixels: number): number {
  return Math.ceil(pixels / 16);
}
