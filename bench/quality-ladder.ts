import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figure, spreadOf } from './measure.js';
import { makeQualityClips, type QualityClip } from './quality-clips.js';
import { venc } from './quality-files.js';
import { scoreOf } from './quality-sweep.js';

/** Clips of each kind of content. */
const ladderClips = [
  ...['film-brook', 'film-zoom', 'film-letterbox', 'animation-clouds', 'animation-flat', 'screen-text'],
  ...['sport-shake', 'grain', 'dark', 'stills-fade', 'anamorphic', 'phone-h263'],
];

/** A rendition: its bytes per second and its score against the clip. */
interface Rendition {
  readonly name: string;
  readonly rate: number;
  readonly score: number;
}

/** The ladders of one clip, and how the bitrates of the second relate to those of the first. */
interface LadderRow {
  readonly clip: string;
  readonly fixed: readonly Rendition[];
  readonly chosen: readonly Rendition[];
  /** Mean bytes per second over the scores that both have; null if they have none in common. */
  readonly rates: { readonly fixed: number; readonly chosen: number } | null;
}

/** Scores at which two ladders are compared are so far from each other. */
const scoreStep = 0.5;

/**
 * Makes the ladders of `--hls` and of `--hls --ladder auto` for clips, and measures each rendition with an independent
 * command. The bitrates of both are compared at equal scores (the rate of Bjontegaard).
 */
export async function measureLadderByContent(
  folder: string,
  _rounds: number,
  words: readonly string[],
): Promise<readonly Figure[]> {
  const clips = await makeQualityClips(words.length === 0 ? ladderClips : words, folder);
  const rows: LadderRow[] = [];
  for (const clip of clips) {
    const fixed = await renditionsOf(clip, [], folder);
    const chosen = await renditionsOf(clip, ['--ladder', 'auto'], folder);
    const row = { clip: clip.name, fixed, chosen, rates: ratesOf(fixed, chosen) };
    rows.push(row);
    console.log(lineOf(row));
  }
  const compared = rows.flatMap(({ rates }) => rates ?? []);
  const sum = (of: (rates: (typeof compared)[number]) => number) =>
    compared.reduce((total, rates) => total + of(rates), 0);
  const changes = compared.map(({ fixed, chosen }) => (chosen / fixed - 1) * 100);
  const basis = `${compared.length} clips, median ${spreadOf(changes).median.toFixed(1)} %`;
  return [
    {
      ...{ name: 'ladder by content: bitrate at equal scores, sum', unit: '%', atMost: -15, basis },
      value: spreadOf([(sum(({ chosen }) => chosen) / sum(({ fixed }) => fixed) - 1) * 100]),
    },
    {
      ...{ name: 'ladder by content: the worst clip', unit: '%', atMost: 2, basis },
      value: spreadOf([Math.max(...changes)]),
    },
  ];
}

/** Makes a ladder of a clip, and measures its renditions; highest score first. */
async function renditionsOf(
  clip: QualityClip,
  words: readonly string[],
  folder: string,
): Promise<readonly Rendition[]> {
  const out = await mkdtemp(join(folder, `${clip.name}-`));
  await venc(['run', clip.path, '--hls', out, '--progress', 'none', ...words], folder);
  const names = (await readdir(out, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const renditions: Rendition[] = [];
  for (const { name } of names) {
    const files = await readdir(join(out, name));
    const segments = files.filter((file) => /\.m(?:4s|p4)$/.test(file));
    const sizes = await Promise.all(segments.map(async (file) => (await stat(join(out, name, file))).size));
    const bytes = sizes.reduce((total, size) => total + size, 0);
    const score = await scoreOf(join(out, name, `${name}.m3u8`), clip, folder);
    renditions.push({ name, rate: bytes / clip.seconds, score });
  }
  await rm(out, { recursive: true });
  return renditions.toSorted((a, b) => b.score - a.score);
}

function ratesOf(fixed: readonly Rendition[], chosen: readonly Rendition[]): LadderRow['rates'] {
  const best = Math.min(...[fixed, chosen].map((ladder) => Math.max(...ladder.map(({ score }) => score))));
  const least = Math.max(...[fixed, chosen].map((ladder) => Math.min(...ladder.map(({ score }) => score))));
  const count = Math.floor((best - least) / scoreStep);
  if (!(count >= 1)) return null;
  const mean = (ladder: readonly Rendition[]) => {
    const logs = Array.from({ length: count + 1 }, (_, index) =>
      logRateAt(ladder, least + index * scoreStep),
    );
    return Math.exp(logs.reduce((total, log) => total + log, 0) / logs.length);
  };
  return { fixed: mean(fixed), chosen: mean(chosen) };
}

/** The logarithm of the rate that a player needs for a score, on a line between two renditions. */
function logRateAt(ladder: readonly Rendition[], score: number): number {
  const index = ladder.findLastIndex((one) => one.score >= score);
  const [above, below] = [ladder[Math.max(0, index)], ladder[index + 1]];
  if (above === undefined) throw new RangeError('the ladder has no rendition');
  if (below === undefined || index < 0) return Math.log(above.rate);
  const share = (above.score - score) / (above.score - below.score);
  return Math.log(above.rate) + share * (Math.log(below.rate) - Math.log(above.rate));
}

function lineOf({ clip, fixed, chosen, rates }: LadderRow): string {
  const list = (ladder: readonly Rendition[]) =>
    ladder
      .map(({ name, rate, score }) => `${name} ${((rate * 8) / 1000).toFixed(0)}k ${score.toFixed(1)}`)
      .join(', ');
  const change = rates === null ? '-' : `${((rates.chosen / rates.fixed - 1) * 100).toFixed(1)} %`;
  return `| ${clip} | ${list(fixed)} | ${list(chosen)} | ${change} |`;
}
