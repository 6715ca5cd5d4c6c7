import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapWithConcurrency } from '../src/shared/util/semaphore.js';
import { type Figure, spreadOf } from './measure.js';
import { ffmpegOnPath } from './programs.js';
import { makeQualityClips, type QualityClip } from './quality-clips.js';
import { encodeClip, venc } from './quality-files.js';

const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '12', '-pix_fmt', 'yuv420p'];

/** The share of the bytes of `--quality 3` that a video may have. */
const sizeShare = 0.6;

/** How many clips are encoded to a size. */
const sizedClips = 20;

/** Encodes clips to 60 percent of the bytes of their video with `--quality 3`, every second one with a tone. */
export async function measureTargetSizes(
  folder: string,
  _rounds: number,
  words: readonly string[],
): Promise<readonly Figure[]> {
  const clips = (await makeQualityClips(words, folder)).slice(0, sizedClips);
  const shares = await mapWithConcurrency(clips, 2, async (silent) => {
    const hasTone = clips.indexOf(silent) % 2 === 1;
    const video = await encodeClip(silent, folder, ['--quality', '3']);
    const clip = hasTone ? await withTone(silent, folder) : silent;
    const { bytes: usual } = hasTone ? await encodeClip(clip, folder, ['--quality', '3']) : video;
    const size = Math.max(10_000, Math.round(usual - (1 - sizeShare) * video.bytes));
    const { path, output } = await encodeClip(clip, folder, ['--target-size', String(size)]);
    const { size: bytes } = await stat(path);
    const percent = (bytes / size) * 100;
    console.log(`${clip.name}: ${bytes} of ${size} bytes, ${percent.toFixed(2)} % ${output.warnings ?? ''}`);
    return percent;
  });
  const met = shares.filter((percent) => percent >= 98 && percent <= 100).length;
  return [
    {
      ...{ name: 'target_size: outputs of 98 to 100 %', unit: '%', atMost: null, atLeast: 100 },
      value: spreadOf([(met / shares.length) * 100]),
      basis: `${met} of ${shares.length}, from ${Math.min(...shares).toFixed(2)} % to ${Math.max(...shares).toFixed(2)} %`,
    },
  ];
}

async function withTone(clip: QualityClip, folder: string): Promise<QualityClip> {
  const path = join(folder, `${clip.name}-tone.mp4`);
  const tone = ['-f', 'lavfi', '-i', `sine=d=${clip.seconds}`, '-map', '0:v', '-map', '1:a'];
  await ffmpegOnPath(['-i', clip.path, ...tone, '-c:v', 'copy', '-c:a', 'aac', path]);
  return { ...clip, path };
}

/** What `venc compare --json` finds, or the message with which it fails. */
interface Comparison {
  readonly mean: number;
  readonly worst_second: { readonly time: number; readonly score: number };
  readonly warnings?: readonly string[];
}

/** Damages a clip in five ways and compares each with the clip, as `venc compare` does. */
export async function measureDamage(folder: string): Promise<readonly Figure[]> {
  const [film, fields] = await makeQualityClips(['film-brook', 'interlaced'], folder);
  if (film === undefined || fields === undefined) throw new Error('the clips are missing');
  const results = [...(await damagedFilms(film, folder)), await wrongFieldOrder(fields, folder)];
  for (const { what, found } of results) console.log(`${what}: ${found}`);
  const seen = results.filter(({ isSeen }) => isSeen).length;
  return [
    {
      ...{ name: 'damaged outputs that are seen', unit: '%', atMost: null, atLeast: 100 },
      value: spreadOf([(seen / results.length) * 100]),
      basis: results.map(({ what, isSeen }) => `${what}: ${isSeen ? 'yes' : 'no'}`).join(', '),
    },
  ];
}

interface DamageResult {
  readonly what: string;
  readonly found: string;
  readonly isSeen: boolean;
}

async function damagedFilms(film: QualityClip, folder: string): Promise<readonly DamageResult[]> {
  const compared = async (name: string, filter: string, args: readonly string[] = []) => {
    const path = join(folder, `${name}.mp4`);
    await ffmpegOnPath(['-i', film.path, '-vf', filter, '-vsync', 'passthrough', ...encoder, ...args, path]);
    return compare(path, film.path, folder);
  };
  const good = await compared('good', 'null');
  const shifted = await compared('shifted', 'loop=1:1:0,trim=end_frame=32,setpts=N/8/TB');
  const dropped = await compared('dropped', 'select=not(eq(n\\,9))');
  const full = await compared('full', 'scale=in_range=tv:out_range=pc,setparams=range=tv', [
    '-color_range',
    'tv',
  ]);
  const blocks = await compared('blocks', "pixelize=w=32:h=32:enable='between(t,2,2.99)'");
  return [
    { what: 'a frame shifted', ...lowerBy(10, shifted, good) },
    { what: 'a frame dropped', found: textOf(dropped), isSeen: /frame counts differ/.test(textOf(dropped)) },
    {
      ...{ what: 'full range declared limited', found: textOf(full) },
      isSeen: /full range/.test(textOf(full)),
    },
    {
      ...{ what: 'one second of blocks', found: textOf(blocks) },
      isSeen:
        typeof blocks !== 'string' &&
        blocks.worst_second.time === 2 &&
        isLower(10, blocks.worst_second.score, blocks.mean),
    },
  ];
}

async function wrongFieldOrder(fields: QualityClip, folder: string): Promise<DamageResult> {
  const deinterlaced = async (parity: string) => {
    const path = join(folder, `${parity}.mp4`);
    const filter = `bwdif=mode=send_frame:parity=${parity}:deint=all`;
    await ffmpegOnPath(['-i', fields.path, '-vf', filter, ...encoder, path]);
    return compare(path, fields.path, folder);
  };
  const [right, wrong] = [await deinterlaced('tff'), await deinterlaced('bff')];
  return { what: 'wrong field order', ...lowerBy(5, wrong, right) };
}

function isLower(points: number, score: number, than: number): boolean {
  return score < than - points;
}

function lowerBy(
  points: number,
  bad: Comparison | string,
  good: Comparison | string,
): Omit<DamageResult, 'what'> {
  const isSeen = typeof bad !== 'string' && typeof good !== 'string' && isLower(points, bad.mean, good.mean);
  return { found: `${textOf(bad)}; without it ${textOf(good)}`, isSeen };
}

function textOf(comparison: Comparison | string): string {
  if (typeof comparison === 'string') return comparison;
  const { mean, worst_second: worst, warnings = [] } = comparison;
  return [`mean ${mean}`, `worst second ${worst.score} at ${worst.time}`, ...warnings].join(', ');
}

async function compare(file: string, reference: string, folder: string): Promise<Comparison | string> {
  try {
    return JSON.parse(await venc(['compare', file, reference, '--json'], folder)) as Comparison;
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr ?? error);
  }
}
