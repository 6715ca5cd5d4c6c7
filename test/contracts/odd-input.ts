import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { secondsOf } from '../encodes/decoded-media.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders } from '../plan/encoded.js';

/** The expected output file of a job. */
export interface Outcome {
  /** Size of the video, `WxH`; null if the file has no video. */
  readonly size: string | null;
  readonly hasAudio: boolean;
  /** Expected length of the output. Tolerance: 5 % plus 0.1 s. */
  readonly seconds: number;
  /** Start of the audio, in seconds. Before it there is silence. */
  readonly audioStart?: number;
  /** Expected number of frames, if it must be exact. */
  readonly frames?: number;
  /** The first frame differs from the input's, because of deinterlacing, tone mapping or a damaged start. */
  readonly hasOtherFirstFrame?: true;
}

/** An unusual input and the expected result: a file, or an error class with words of its message. */
export interface OddInput {
  readonly name: string;
  readonly make: (path: string) => Promise<void>;
  readonly becomes: Outcome | { readonly errorClass: string; readonly says: RegExp };
  /** Settings of the output. The name defaults to `out.mp4`. */
  readonly output?: Readonly<Record<string, unknown>> & { readonly filename?: string };
}

/** What decoding a whole file finds. */
interface MeasuredOutput {
  readonly size: string | null;
  readonly pixelFormat: string | null;
  readonly seconds: number;
  readonly frames: number;
  /** The first frame, 32x24 pixels of RGB. */
  readonly firstFrame: Buffer;
  /** Difference between the darkest and the lightest value of the first frame. */
  readonly contrast: number;
  readonly hasAudio: boolean;
  /** First and last moment of audible audio, in seconds; null if the file is silent. */
  readonly audible: readonly [number, number] | null;
}

const thumb = { width: 32, height: 24 } as const;
const frameBytes = thumb.width * thumb.height * 3;
const samplesPerSecond = 8000;
const rawAudio = ['-ar', String(samplesPerSecond), '-f', 's16le'] as const;

/** Runs the test ffmpeg directly, without the daemon's wrappers. */
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

async function streamsOf(path: string): Promise<readonly Stream[]> {
  const { ffprobe } = await testFfmpeg();
  const args = ['-v', 'error', '-show_streams', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  return (JSON.parse(stdout) as { streams?: readonly Stream[] }).streams ?? [];
}

function pixels(stream: Stream): number {
  return stream.disposition?.attached_pic === 1 ? 0 : (stream.width ?? 0) * (stream.height ?? 0);
}

function largestVideo(streams: readonly Stream[]): Stream | undefined {
  return streams.filter((stream) => pixels(stream) > 0).sort((a, b) => pixels(b) - pixels(a))[0];
}

/** Output options for the frames of a video, 32x24 pixels of RGB each. */
function smallFrames({ index }: Stream): readonly string[] {
  return [
    ...['-map', `0:${index}`, '-vsync', 'passthrough'],
    ...['-vf', `scale=${thumb.width}:${thumb.height}:flags=area`, '-pix_fmt', 'rgb24', '-f', 'rawvideo'],
  ];
}

/** The first frame of a file as in `MeasuredOutput`, without decoding the others. */
async function firstFrameOf(path: string): Promise<Buffer> {
  const video = largestVideo(await streamsOf(path));
  if (video === undefined) return Buffer.alloc(0);
  const rgb = join(tempFolder(), 'rgb');
  await ffmpegRaw('-i', path, ...smallFrames(video), '-frames:v', '1', rgb);
  return await readFile(rgb);
}

/** Decodes a file and measures its content. */
export async function measureOutput(path: string): Promise<MeasuredOutput> {
  const streams = await streamsOf(path);
  const seconds = await secondsOf(path);
  const video = largestVideo(streams);
  const audio = streams.find((stream) => stream.codec_type === 'audio');
  const folder = tempFolder();
  const [rgb, pcm] = [join(folder, 'rgb'), join(folder, 'pcm')];
  const outputs = [
    ...(video === undefined ? [] : [...smallFrames(video), rgb]),
    ...(audio === undefined ? [] : [...['-map', `0:${audio.index}`, '-ac', '1'], ...rawAudio, pcm]),
  ];
  if (outputs.length > 0) await ffmpegRaw('-i', path, ...outputs);
  const frames = video === undefined ? Buffer.alloc(0) : await readFile(rgb);
  const audible = audio === undefined ? null : audibleRange(await readFile(pcm));
  const firstFrame = frames.subarray(0, frameBytes);
  return {
    size: video === undefined ? null : `${video.width}x${video.height}`,
    pixelFormat: video?.pix_fmt ?? null,
    seconds,
    frames: frames.length / frameBytes,
    firstFrame,
    contrast: firstFrame.length === 0 ? 0 : Math.max(...firstFrame) - Math.min(...firstFrame),
    hasAudio: audio !== undefined,
    audible,
  };
}

function audibleRange(pcm: Buffer): MeasuredOutput['audible'] {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, Math.floor(pcm.length / 2));
  const isLoud = (sample: number) => Math.abs(sample) > 300;
  const first = samples.findIndex(isLoud);
  return first < 0 ? null : [first / samplesPerSecond, samples.findLastIndex(isLoud) / samplesPerSecond];
}

function difference(one: Buffer, other: Buffer): number {
  if (one.length === 0 || one.length !== other.length) return Number.POSITIVE_INFINITY;
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
}

/** Checks an output file against the expected one. Throws at the first difference. */
async function checkOutput(outcome: Outcome, input: string, output: string): Promise<MeasuredOutput> {
  const found = await measureOutput(output);
  assert.is(found.size, outcome.size, 'size');
  const tolerance = 0.1 + outcome.seconds * 0.05;
  const off = Math.abs(found.seconds - outcome.seconds);
  assert.ok(off <= tolerance, `${found.seconds} seconds, not ${outcome.seconds}`);
  if (outcome.size !== null) {
    assert.is(found.pixelFormat, 'yuv420p');
    assert.ok(found.frames > 0 && found.contrast > 100, `contrast ${found.contrast}`);
    if (outcome.hasOtherFirstFrame === undefined) {
      const off = difference(await firstFrameOf(input), found.firstFrame);
      // Chroma subsampling blurs the sharp edges of a test frame by 13; a wrong range or matrix shifts every pixel.
      assert.ok(off < 16, `the first frame is off by ${off}`);
    }
  }
  if (outcome.frames !== undefined) assert.is(found.frames, outcome.frames, 'frames');
  assert.is(found.hasAudio, outcome.hasAudio, 'audio');
  if (outcome.hasAudio) {
    const [from, to] = found.audible ?? [Number.NaN, Number.NaN];
    const expectedStart = outcome.audioStart ?? 0;
    assert.ok(Math.abs(from - expectedStart) < 0.12, `audio starts at ${from}, not ${expectedStart}`);
    assert.ok(to > 0, 'silence');
  }
  return found;
}

/** Runs one test per input and ffmpeg build. Each input goes through a real daemon. */
export function testOddInputs(topic: string, inputs: readonly OddInput[]): Promise<void> {
  return encoders().then((builds) => {
    const inputFolder = tempFolder();
    const made = new Map<OddInput, Promise<void>>();
    for (const [build, { ffmpeg }] of builds) {
      const test = suite<{ folder: string; daemon: TestDaemon }>(`${topic}, ${build}`);
      test.before(async (context) => {
        const folder = tempFolder();
        const daemon = await startTestDaemon({ filesRoots: [inputFolder, folder], ffmpeg: ffmpeg.path });
        Object.assign(context, { folder, daemon });
      });
      test.after(({ daemon }) => daemon.stop());
      for (const input of inputs) {
        test(`${input.name} becomes ${inWords(input.becomes)}`, async ({ folder, daemon }) => {
          const path = join(inputFolder, input.name);
          const making = made.get(input) ?? input.make(path);
          made.set(input, making);
          await making;
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
  const parts = [becomes.size ?? [], becomes.hasAudio ? 'audio' : []].flat();
  return `${parts.join(' with ')} of ${becomes.seconds} s`;
}

function failureOf(job: JobRecord): { readonly errorClass: string; readonly message: string } | null {
  const [output] = job.output_media_files;
  const failed = [job.input_media_file, output].find((file) => file?.state === 'failed');
  if (failed === undefined) return job.state === 'finished' ? null : { errorClass: job.state, message: '' };
  return { errorClass: failed.error_class ?? '', message: failed.error_message ?? '' };
}
