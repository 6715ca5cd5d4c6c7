import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Ffmpeg, openFfmpeg } from '../../daemon/ffmpeg/index.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { losesTheoraTimes } from '../../daemon/plan/check-combination.js';
import type { MeasuredAudio } from '../../daemon/plan/decide/normalization.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { programCache, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** The packaged build of 2018, if npm has installed it. */
const packaged = join(process.cwd(), 'node_modules', '@ffmpeg-installer', 'linux-x64', 'ffmpeg');

/** The builds to test: the one in `VENC_FFMPEG`, or else the first one found and the packaged one. */
export async function encoders(): Promise<readonly (readonly [string, Ffmpeg])[]> {
  const first = await testFfmpeg();
  const named = [[`ffmpeg ${first.ffmpeg.version}`, first]] as const;
  if (process.env.VENC_FFMPEG !== undefined || !existsSync(packaged)) return named;
  const options = {
    ffmpeg: packaged,
    ffprobe: process.env.VENC_FFPROBE ?? null,
    cacheFolder: programCache(),
  };
  const { ffmpeg } = await openFfmpeg(options);
  if (ffmpeg === null || ffmpeg.ffmpeg.path === first.ffmpeg.path) return named;
  return [...named, [`ffmpeg ${ffmpeg.ffmpeg.version}`, ffmpeg]];
}

/** The name of an output with Theora: Matroska if the build loses frame times in Ogg, which venc rejects there. */
export function writableName({ capabilities }: Ffmpeg, name: string): string {
  return losesTheoraTimes(capabilities) ? name.replace(/\.og[vg]$/, '.mkv') : name;
}

async function run(ffmpeg: Ffmpeg, args: readonly string[], scratch: string): Promise<void> {
  await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
}

const probed = new Map<string, MediaFacts>();

/** The facts of an input, which is probed once for all tests of a process. */
export async function factsOf({ ffmpeg, probe }: Ffmpeg, path: string): Promise<MediaFacts> {
  const { size, mtimeMs } = await stat(path);
  const key = [ffmpeg.path, path, size, mtimeMs].join(' ');
  const facts = probed.get(key) ?? (await probe(path));
  probed.set(key, facts);
  return facts;
}

/** Plans and encodes one output of a file, in test mode on request. Measures its audio first if needed. */
export async function encoded(
  ffmpeg: Ffmpeg,
  input: string,
  settings: OutputSettings,
  filename = 'film.mp4',
  isTest = false,
): Promise<{ readonly path: string }> {
  const scratch = tempFolder();
  const facts = await factsOf(ffmpeg, input);
  const planFor = () =>
    plan([{ id: 7, settings, filename, isTest, measured }], facts, { input, scratch }, ffmpeg.capabilities);
  const measured = new Map<number, MeasuredAudio>();
  let made = planFor();
  for (let [wanted] = made.measurements; wanted !== undefined; [wanted] = made.measurements) {
    const [args = [], ...before] = wanted.runs.toReversed();
    for (const one of before) await run(ffmpeg, one, scratch);
    const options = { signal: new AbortController().signal, scratch, onProgress: () => {} };
    const found = await ffmpeg.measureAudio(args, wanted.measurement, options);
    measured.set(wanted.streamIndex, { ...measured.get(wanted.streamIndex), ...found });
    made = planFor();
  }
  for (const { args } of made.steps) await run(ffmpeg, args, scratch);
  const [product] = made.products;
  if (product === undefined) throw new Error(made.rejections[0]?.failure.message ?? 'nothing was planned');
  return { path: product.path };
}

/** Encodes as `encoded` does, and probes the output. */
export async function encodedAndProbed(
  ffmpeg: Ffmpeg,
  ...rest: Parameters<typeof encoded> extends [Ffmpeg, ...infer Rest] ? Rest : never
): Promise<{ readonly path: string; readonly facts: MediaFacts }> {
  const { path } = await encoded(ffmpeg, ...rest);
  return { path, facts: await ffmpeg.probe(path) };
}

/** The luma of all frames of a file, `pixels` bytes each; `options` precede the input. */
export async function frames(
  ffmpeg: Ffmpeg,
  path: string,
  pixels: number,
  options: readonly string[] = [],
): Promise<readonly Uint8Array[]> {
  // The folder of the file, because a pattern of file names names no input that a sandbox could show.
  const scratch = dirname(path);
  const raw = join(scratch, `luma-${randomToken()}`);
  const gray = ['-vsync', 'passthrough', '-pix_fmt', 'gray', '-f', 'rawvideo'];
  await run(ffmpeg, [...options, '-i', `file:${path}`, ...gray, raw], scratch);
  const bytes = await readFile(raw);
  await rm(raw);
  return Array.from({ length: bytes.length / pixels }, (_, at) =>
    bytes.subarray(at * pixels, (at + 1) * pixels),
  );
}
