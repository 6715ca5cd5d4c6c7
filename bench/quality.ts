import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { QualityRecord } from '../src/shared/records.js';
import { mapWithConcurrency } from '../src/shared/util/semaphore.js';
import { type Figure, spreadOf } from './measure.js';
import { makeQualityClips, type QualityClip } from './quality-clips.js';
import { encodeClip } from './quality-files.js';
import { bestPoint, type SweepForm, type SweepPoint, scoreOf, sweep } from './quality-sweep.js';

const targets = [88, 94] as const;

/** The scales of the encoders, as `--crf` takes them. */
const codecs = {
  h264: { words: [], min: 1, max: 51, isWhole: false },
  hevc: { words: ['--video-codec', 'hevc'], min: 1, max: 51, isWhole: false },
  av1: { words: ['--video-codec', 'av1'], min: 1, max: 51, isWhole: true },
} as const satisfies Record<string, Omit<SweepForm, 'folder'>>;

type Codec = keyof typeof codecs;

/** The clips that are encoded with the slower codecs. */
const fewClips = ['film-brook', 'animation-clouds', 'screen-text', 'grain', 'stills-fade', 'interlaced'];

/** What became of one clip with one codec and one target. */
interface TargetRow {
  readonly clip: QualityClip;
  readonly codec: Codec;
  readonly target: number;
  readonly score: number;
  readonly bytes: number;
  readonly record: QualityRecord;
  /** The greatest factor that reaches the target; null if none does. */
  readonly best: SweepPoint | null;
  /** The greatest factor that gives at most one point less than the target; null if none does. */
  readonly least: SweepPoint | null;
}

/**
 * Encodes clips with `venc run --quality-target`, as H.264, and measures them with an independent command. A sweep of
 * factors shows how few bytes would do, and how many one factor for all clips needs.
 */
export async function measureQuality(
  folder: string,
  _rounds: number,
  words: readonly string[],
): Promise<readonly Figure[]> {
  const clips = await makeQualityClips(words, folder);
  const rows = (await mapWithConcurrency(clips, 2, (clip) => rowsOf(clip, 'h264', folder))).flat();
  const fixed: Figure[] = [];
  for (const target of targets) {
    const own = rows.filter((row) => row.target === target);
    fixed.push(await compareWithFixed(own, target, folder));
  }
  return [...figuresOf(rows, 'h264'), ...fixed];
}

/** The same with HEVC and AV1, of which fewer clips are encoded, and without the comparison with one factor. */
export async function measureQualityOfCodecs(
  folder: string,
  _rounds: number,
  words: readonly string[],
): Promise<readonly Figure[]> {
  const clips = await makeQualityClips(words.length === 0 ? fewClips : words, folder);
  const figures: Figure[] = [];
  for (const codec of ['hevc', 'av1'] as const) {
    const rows = (await mapWithConcurrency(clips, 2, (clip) => rowsOf(clip, codec, folder))).flat();
    figures.push(...figuresOf(rows, codec));
  }
  return figures;
}

async function rowsOf(clip: QualityClip, codec: Codec, folder: string): Promise<readonly TargetRow[]> {
  const own = await mkdtemp(join(folder, `${clip.name}-`));
  const points = new Map<number, SweepPoint>();
  const rows: TargetRow[] = [];
  for (const target of targets) {
    const form = { ...codecs[codec], folder: own };
    const words = [...form.words, '--quality-target', String(target)];
    const { path, bytes, output } = await encodeClip(clip, own, words);
    const { quality: record } = output;
    if (record?.crf === undefined) throw new Error(`${clip.name} has no record: ${output.warnings?.join()}`);
    const score = await scoreOf(path, clip, own);
    points.set(record.crf, { crf: record.crf, score, bytes });
    await sweep(clip, points, target, record.crf, form);
    const row = {
      ...{ clip, codec, target, score, bytes, record },
      best: bestPoint(points, target, form),
      least: bestPoint(points, target - 1, form),
    };
    rows.push(row);
    console.log(lineOf(row));
  }
  await rm(own, { recursive: true });
  return rows;
}

/** A score that no factor reaches, or that every factor surpasses. */
function isInReach({ record }: TargetRow): boolean {
  return record.limited_by !== 'crf';
}

function differenceOf({ score, target }: TargetRow): number {
  return score - target;
}

function lineOf(row: TargetRow): string {
  const { clip, codec, target, score, bytes, record, best } = row;
  const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
  const more = best === null ? '-' : `${signed((bytes / best.bytes - 1) * 100)} %`;
  const cells = [
    ...[clip.name, codec, target, record.crf, signed(differenceOf(row))],
    signed((record.mean ?? Number.NaN) - score),
    ...[record.probes?.length ?? 0, record.corrections ?? 0, record.limited_by ?? ''],
    ...[`${(bytes / 1000).toFixed(1)} kB`, more],
  ];
  return `| ${cells.join(' | ')} |`;
}

function figuresOf(rows: readonly TargetRow[], codec: Codec): readonly Figure[] {
  const reached = rows.filter(isInReach);
  const misses = reached.map((row) => Math.abs(differenceOf(row)));
  const share = (limit: number) => (misses.filter((miss) => miss <= limit).length / misses.length) * 100;
  const records = rows.map(({ record, score }) => Math.abs((record.mean ?? Number.NaN) - score));
  const compared = reached.flatMap(({ bytes, best }) => (best === null ? [] : [{ bytes, best: best.bytes }]));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const more = (sum(compared.map(({ bytes }) => bytes)) / sum(compared.map(({ best }) => best)) - 1) * 100;
  const eachMore = compared.map(({ bytes, best }) => (bytes / best - 1) * 100);
  const probes = rows.map(({ record }) => record.probes?.length ?? 0);
  const corrected = rows.filter(({ record }) => (record.corrections ?? 0) > 0).length;
  const basis = `${rows.length} outputs, ${rows.length - reached.length} out of reach, ${corrected} corrected`;
  const single = (value: number) => spreadOf([value]);
  const name = (what: string) => `${codec}: ${what}`;
  return [
    {
      ...{ name: name('within 1 point of the target'), unit: '%', value: single(share(1)) },
      ...{ atMost: null, atLeast: 95, basis },
    },
    {
      ...{ name: name('within 2 points'), unit: '%', value: single(share(2)) },
      ...{ atMost: null, atLeast: 100, basis: `at most ${Math.max(...misses).toFixed(2)} points` },
    },
    {
      ...{ name: name('record - measured, greatest'), unit: 'points', value: single(Math.max(...records)) },
      ...{ atMost: 0.2, basis: `median ${spreadOf(records).median.toFixed(3)}` },
    },
    {
      ...{ name: name('bytes above those of the best factor, sum'), unit: '%', value: single(more) },
      ...{ atMost: 3, basis: `median of the clips ${spreadOf(eachMore).median.toFixed(1)} %` },
    },
    {
      ...{ name: name('probes'), unit: 'probes', value: spreadOf(probes), atMost: 2 },
      basis: `at most ${Math.max(...probes)}`,
    },
  ];
}

/** The bytes of all outputs, compared with one factor with which no clip in reach is more than a point below the target. */
async function compareWithFixed(rows: readonly TargetRow[], target: number, folder: string): Promise<Figure> {
  const limits = rows
    .filter(isInReach)
    .flatMap(({ clip, least }) => (least === null ? [] : [{ clip, least }]));
  const worst = limits.reduce((one, other) => (other.least.crf < one.least.crf ? other : one));
  // `--crf` takes whole numbers.
  const crf = Math.floor(worst.least.crf);
  const sizes = await mapWithConcurrency(rows, 2, async ({ clip, bytes }) => {
    const encoded = await encodeClip(clip, folder, ['--crf', String(crf)]);
    await rm(encoded.path);
    return { bytes, fixed: encoded.bytes, name: clip.name };
  });
  const sum = (of: (size: (typeof sizes)[number]) => number) =>
    sizes.reduce((total, size) => total + of(size), 0);
  const [bytes, fixed] = [sum((size) => size.bytes), sum((size) => size.fixed)];
  const saved = sizes.map((size) => (1 - size.bytes / size.fixed) * 100);
  return {
    ...{ name: `bytes saved against one factor, target ${target}`, unit: '%', atMost: null, atLeast: 20 },
    value: spreadOf([(1 - bytes / fixed) * 100]),
    basis: `${(bytes / 1e6).toFixed(2)} MB to ${(fixed / 1e6).toFixed(2)} MB with ${crf} (${worst.clip.name}); median ${spreadOf(saved).median.toFixed(0)} %`,
  };
}

/** The scores of `--quality` 1 to 5: of all clips below a minute with H.264, of some of them with HEVC. */
export async function measureQualityLevels(
  folder: string,
  _rounds: number,
  words: readonly string[],
): Promise<readonly Figure[]> {
  const all = (await makeQualityClips(words, folder)).filter(({ seconds }) => seconds < 60);
  const few = all.filter(({ name }) => fewClips.some((word) => name.startsWith(word)));
  const figures: Figure[] = [];
  for (const codec of ['h264', 'hevc'] as const) {
    const clips = codec === 'h264' ? all : few;
    for (const level of [1, 2, 3, 4, 5]) {
      const scores = await mapWithConcurrency(clips, 2, async (clip) => {
        const own = await mkdtemp(join(folder, `${clip.name}-`));
        const { path } = await encodeClip(clip, own, [...codecs[codec].words, '--quality', String(level)]);
        const score = await scoreOf(path, clip, own, 3);
        await rm(own, { recursive: true });
        return { name: clip.name, score };
      });
      const sorted = scores.toSorted((a, b) => a.score - b.score);
      const mean = scores.reduce((sum, { score }) => sum + score, 0) / scores.length;
      const end = (one: (typeof scores)[number] | undefined) => `${one?.score.toFixed(1)} (${one?.name})`;
      const figure: Figure = {
        ...{ name: `VMAF of --quality ${level}, ${codec}`, unit: 'points', atMost: null },
        value: spreadOf(scores.map(({ score }) => score)),
        basis: `mean ${mean.toFixed(1)}, from ${end(sorted[0])} to ${end(sorted.at(-1))}`,
      };
      console.log(`${figure.name}: ${figure.basis}`);
      figures.push(figure);
    }
  }
  return figures;
}
