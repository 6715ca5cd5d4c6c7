import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders } from '../plan/encoded.js';

/** What a file must become that goes through a daemon. */
export interface Outcome {
  /** Size of the picture, `WxH`; null where there is to be none. */
  readonly size: string | null;
  readonly hasSound: boolean;
  /** Length of the output, met within 5 % and a tenth of a second. */
  readonly seconds: number;
  /** The first moment of sound, in seconds: before it there is silence. */
  readonly soundFrom?: number;
  /** Number of frames, where each one counts. */
  readonly frames?: number;
  /** The first picture is not that of the input: fields, tone mapping, a file that begins in pieces. */
  readonly isOtherPicture?: true;
}

/** An input out of the ordinary, and what becomes of it: a file, or an error of a class and with words that say why. */
export interface OddInput {
  readonly name: string;
  readonly make: (path: string) => Promise<void>;
  readonly becomes: Outcome | { readonly errorClass: string; readonly says: RegExp };
  /** Settings of the output; its name is `out.mp4` where none is given. */
  readonly output?: Readonly<Record<string, unknown>> & { readonly filename?: string };
}

/** What is in a file, by decoding all of it. */
interface MeasuredOutput {
  readonly size: string | null;
  readonly pixelFormat: string | null;
  readonly seconds: number;
  readonly frames: number;
  /** The first frame, 32x24 pixels of RGB. */
  readonly firstPicture: Buffer;
  /** Difference between the darkest and the lightest value of the first frame. */
  readonly contrast: number;
  readonly hasSound: boolean;
  /** Where the sound is first heard and last heard, in seconds; null where all is silence. */
  readonly heard: readonly [number, number] | null;
}

const thumb = { width: 32, height: 24 } as const;
const samplesPerSecond = 8000;

/** Runs the ffmpeg of the tests as it is, without any guard: for making and for measuring. */
export async function ffmpegRaw(...args: readonly string[]): Promise<void> {
  const { ffmpeg } = await testFfmpeg();
  await promisify(execFile)(ffmpeg.path, ['-v', 'error', '-nostdin', '-y', ...args]);
}

interface Stream {
  readonly index: number;
  readonly codec_type?: string;
  readonly width?: number;
  readonly height?: number;
  readonly pix_fmt?: string;
  readonly disposition?: { readonly attached_pic?: number };
}

async function streamsOf(path: string): Promise<{ streams: readonly Stream[]; seconds: number }> {
  const { ffprobe } = await testFfmpeg();
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  const answer = JSON.parse(stdout) as { streams?: readonly Stream[]; format?: { duration?: string } };
  return { streams: answer.streams ?? [], seconds: Number(answer.format?.duration ?? Number.NaN) };
}

function pixels(stream: Stream): number {
  return stream.disposition?.attached_pic === 1 ? 0 : (stream.width ?? 0) * (stream.height ?? 0);
}

/** Decodes a file and tells what is in it. */
export async function measureOutput(path: string): Promise<MeasuredOutput> {
  const { streams, seconds } = await streamsOf(path);
  const [video] = streams.filter((stream) => pixels(stream) > 0).sort((a, b) => pixels(b) - pixels(a));
  const audio = streams.find((stream) => stream.codec_type === 'audio');
  const folder = tempFolder();
  const [rgb, pcm] = [join(folder, 'rgb'), join(folder, 'pcm')];
  let pictures = Buffer.alloc(0);
  if (video !== undefined) {
    const small = `scale=${thumb.width}:${thumb.height}:flags=area`;
    await ffmpegRaw(
      ...['-i', path, '-map', `0:${video.index}`, '-vsync', 'passthrough', '-vf', small],
      ...['-pix_fmt', 'rgb24', '-f', 'rawvideo', rgb],
    );
    pictures = await readFile(rgb);
  }
  let heard: MeasuredOutput['heard'] = null;
  if (audio !== undefined) {
    await ffmpegRaw(
      ...['-i', path, '-map', `0:${audio.index}`, '-ac', '1', '-ar', String(samplesPerSecond)],
      ...['-f', 's16le', pcm],
    );
    heard = hasSoundIn(await readFile(pcm));
  }
  const bytes = thumb.width * thumb.height * 3;
  const firstPicture = pictures.subarray(0, bytes);
  return {
    size: video === undefined ? null : `${video.width}x${video.height}`,
    pixelFormat: video?.pix_fmt ?? null,
    seconds,
    frames: pictures.length / bytes,
    firstPicture,
    contrast: firstPicture.length === 0 ? 0 : Math.max(...firstPicture) - Math.min(...firstPicture),
    hasSound: audio !== undefined,
    heard,
  };
}

function hasSoundIn(pcm: Buffer): MeasuredOutput['heard'] {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, Math.floor(pcm.length / 2));
  const isLoud = (sample: number) => Math.abs(sample) > 300;
  const first = samples.findIndex(isLoud);
  return first < 0 ? null : [first / samplesPerSecond, samples.findLastIndex(isLoud) / samplesPerSecond];
}

function difference(one: Buffer, other: Buffer): number {
  if (one.length === 0 || one.length !== other.length) return Number.POSITIVE_INFINITY;
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
}

/** How the output must be, where it is to be a file. Throws with the first thing that is not so. */
async function checkOutput(outcome: Outcome, input: string, output: string): Promise<MeasuredOutput> {
  const found = await measureOutput(output);
  assert.is(found.size, outcome.size, 'size');
  const tolerance = 0.1 + outcome.seconds * 0.05;
  const off = Math.abs(found.seconds - outcome.seconds);
  assert.ok(off <= tolerance, `${found.seconds} seconds and not ${outcome.seconds}`);
  if (outcome.size !== null) {
    assert.is(found.pixelFormat, 'yuv420p');
    assert.ok(found.frames > 0 && found.contrast > 100, `contrast ${found.contrast}`);
    if (outcome.isOtherPicture === undefined) {
      const off = difference((await measureOutput(input)).firstPicture, found.firstPicture);
      // Colour at half the size smears the sharp edges of a test picture by 13; a wrong range or matrix moves all of it.
      assert.ok(off < 16, `the picture is off by ${off}`);
    }
  }
  if (outcome.frames !== undefined) assert.is(found.frames, outcome.frames, 'frames');
  assert.is(found.hasSound, outcome.hasSound, 'sound');
  if (outcome.hasSound) {
    const [from, to] = found.heard ?? [Number.NaN, Number.NaN];
    const expectedFrames = outcome.soundFrom ?? 0;
    assert.ok(Math.abs(from - expectedFrames) < 0.12, `heard from ${from} and not from ${expectedFrames}`);
    assert.ok(to > 0, 'silence');
  }
  return found;
}

/** One test for each input and each build of ffmpeg: the input goes through a real daemon. */
export function testOddInputs(topic: string, inputs: readonly OddInput[]): Promise<void> {
  return encoders().then((builds) => {
    for (const [build, { ffmpeg }] of builds) {
      const test = suite<{ folder: string; daemon: TestDaemon }>(`${topic}, ${build}`);
      test.before(async (context) => {
        const folder = tempFolder();
        const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: ffmpeg.path });
        Object.assign(context, { folder, daemon });
      });
      test.after(({ daemon }) => daemon.stop());
      for (const input of inputs) {
        test(`${input.name} becomes ${inWords(input.becomes)}`, async ({ folder, daemon }) => {
          const path = join(folder, input.name);
          await input.make(path);
          const { filename = 'out.mp4', ...settings } = input.output ?? {};
          const out = join(folder, `${inputs.indexOf(input)}-${filename}`);
          const outputs = [{ ...settings, url: pathToFileURL(out).href }];
          const job = await daemon.waitForJob(
            await daemon.create({ input: pathToFileURL(path).href, outputs }),
          );
          const failure = failureOf(job);
          if ('errorClass' in input.becomes) {
            assert.is(failure?.errorClass, input.becomes.errorClass, JSON.stringify(failure));
            assert.match(failure?.message ?? '', input.becomes.says);
            assert.not(await stat(out).catch(() => null));
            return;
          }
          assert.is(failure, null, JSON.stringify(failure));
          await checkOutput(input.becomes, path, out);
        });
      }
      test.run();
    }
  });
}

function inWords(becomes: OddInput['becomes']): string {
  if ('errorClass' in becomes) return `a ${becomes.errorClass}`;
  const parts = [becomes.size ?? [], becomes.hasSound ? 'sound' : []].flat();
  return `${parts.join(' with ')} of ${becomes.seconds} s`;
}

function failureOf(job: JobRecord): { readonly errorClass: string; readonly message: string } | null {
  const [output] = job.output_media_files;
  const failed = [job.input_media_file, output].find((file) => file?.state === 'failed');
  if (failed === undefined) return job.state === 'finished' ? null : { errorClass: job.state, message: '' };
  return { errorClass: failed.error_class ?? '', message: failed.error_message ?? '' };
}
