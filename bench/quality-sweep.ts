import { rm } from 'node:fs/promises';
import { independentVmaf } from '../test/helpers/independent-vmaf.js';
import type { QualityClip } from './quality-clips.js';
import { encodeClip } from './quality-files.js';

/** What a factor gives: the score of the independent command, and the size of the file. */
export interface SweepPoint {
  readonly crf: number;
  readonly score: number;
  readonly bytes: number;
}

/** How a clip is encoded: the words of `venc run` without the factor, and the ends of the scale of the encoder. */
export interface SweepForm {
  readonly folder: string;
  readonly words: readonly string[];
  readonly min: number;
  readonly max: number;
  /** Whether the encoder knows only whole factors. */
  readonly isWhole: boolean;
}

/** A sweep goes so far from its start. */
const maxDistance = 6;

/** Scores above this are taken as this. */
const maxScore = 99.9;
const lossOf = (score: number) => Math.log(100 - Math.min(score, maxScore));

/** The score of a file against its clip, of the independent command. */
export async function scoreOf(
  file: string,
  { path, size, referenceFilters = [] }: QualityClip,
  folder: string,
  subsample?: number,
): Promise<number> {
  return independentVmaf(file, path, folder, {
    ...(size === undefined ? {} : { size }),
    referenceFilters,
    ...(subsample === undefined ? {} : { subsample }),
  });
}

/**
 * Encodes and measures a clip with whole factors next to each other, from one that reaches a score to one that does not,
 * as far as the scale goes. `points` holds what earlier calls have measured, and gets what this one measures.
 */
export async function sweep(
  clip: QualityClip,
  points: Map<number, SweepPoint>,
  wanted: number,
  start: number,
  { folder, words, min, max }: SweepForm,
): Promise<void> {
  const at = async (crf: number) => {
    const known = points.get(crf);
    if (known !== undefined) return known.score;
    const { path, bytes } = await encodeClip(clip, folder, [...words, '--crf', String(crf)]);
    const score = await scoreOf(path, clip, folder, clip.seconds < 60 ? 1 : 3);
    await rm(path);
    points.set(crf, { crf, score, bytes });
    return score;
  };
  const limited = (crf: number) => Math.min(max, Math.max(Math.ceil(min), Math.floor(crf)));
  let crf = limited(start);
  const last = limited(crf - maxDistance);
  while ((await at(crf)) < wanted && crf > last) crf -= 1;
  const end = limited(crf + maxDistance);
  while ((await at(crf)) >= wanted && crf < end) crf += 1;
}

/**
 * The greatest factor that reaches a score, and the bytes that it gives, on a line through the points around it, or
 * through the last two; null if they are too few.
 */
export function bestPoint(
  points: ReadonlyMap<number, SweepPoint>,
  score: number,
  { isWhole }: Pick<SweepForm, 'isWhole'>,
): SweepPoint | null {
  const sorted = [...points.values()].sort((a, b) => a.crf - b.crf);
  const index = sorted.findLastIndex((point) => point.score >= score);
  if (isWhole) return sorted[index] ?? null;
  const first = Math.min(index, sorted.length - 2);
  const [above, below] = [sorted[first], sorted[first + 1]];
  if (above === undefined || below === undefined) return null;
  const share = (lossOf(score) - lossOf(above.score)) / (lossOf(below.score) - lossOf(above.score));
  const bytes = Math.exp(Math.log(above.bytes) + share * Math.log(below.bytes / above.bytes));
  return { crf: above.crf + share * (below.crf - above.crf), score, bytes };
}
