import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testFfmpeg } from '../helpers/media.js';

/*
 * Measures decoded samples and frames of files. Everything is decoded by the ffmpeg that tests find first, because a build must not verify
 * its own output.
 */

/** The audio of a file, assumed to have no gaps: one array of samples from -1 to 1 per channel. */
export interface Samples {
  /** Time of the first sample in seconds, on the same clock as the video. */
  readonly startSeconds: number;
  readonly sampleRate: number;
  readonly channels: readonly Float32Array[];
}

/** A frame time and the average brightness of the frame, 0 to 255. */
export interface Brightness {
  readonly seconds: number;
  readonly luma: number;
}

interface AudioProbe {
  readonly streams: readonly { readonly sample_rate: string; readonly channels: number }[];
  readonly frames: readonly { readonly best_effort_timestamp_time: string }[];
}

const launch = promisify(execFile);

async function decode(path: string, args: readonly string[]): Promise<Buffer> {
  const { ffmpeg } = await testFfmpeg();
  const all = ['-v', 'error', '-i', `file:${path}`, ...args, 'pipe:1'];
  return (await launch(ffmpeg.path, all, { encoding: 'buffer', maxBuffer: 2 ** 28 })).stdout;
}

/** The fields of a file's streams, frames or packets as ffprobe prints them, one row each. */
export async function probed(path: string, args: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { ffprobe } = await testFfmpeg();
  const all = ['-v', 'error', ...args, '-of', 'csv=print_section=0', `file:${path}`];
  const { stdout } = await launch(ffprobe.path, all, { maxBuffer: 2 ** 26 });
  return stdout
    .split('\n')
    .map((line) => line.trim().replace(/,+$/, '').split(','))
    .filter(([first]) => first !== '');
}

/** The warnings and errors of decoding a whole file; empty if it is valid. */
export async function stderrOf(path: string): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  // With the file's own time base. In one of whole frames, two frames that are half a frame apart could get the same time.
  const output = ['-map', '0', '-enc_time_base:v', '-1', '-f', 'null', '-'];
  const args = ['-v', 'warning', '-xerror', '-i', `file:${path}`, ...output];
  const { stderr } = await launch(ffmpeg.path, args);
  // Raw streams have no duration. ffmpeg 7 warns about the value -1, and older versions do not know its new name.
  return (
    stderr
      .replace(/^.*Estimating duration from bitrate.*\n/m, '')
      .replace(/^.*enc_time_base -1 is deprecated.*\n?/m, '')
      // PCM and WMA files name the number of channels only.
      .replace(/^.*Guessed Channel Layout.*\n?/m, '')
  );
}

/** The length of a file: what ffprobe says, or until its last frame ends, which newer versions leave out for MP4. */
export async function secondsOf(path: string): Promise<number> {
  const rows = await probed(path, [
    '-show_entries',
    'format=start_time,duration:packet=pts_time,duration_time',
  ]);
  const [start = Number.NaN, duration = Number.NaN] = (rows.at(-1) ?? []).map(Number);
  const ends = rows
    .slice(0, -1)
    .map(([at, length = '0']) => Number(at) + (Number(length) || 0) - (start || 0));
  return Math.max(duration, ...ends.filter((end) => Number.isFinite(end)));
}

/** The container and the codecs of the streams in order, as ffprobe names them. */
export async function contentsOf(path: string): Promise<string> {
  const { ffprobe } = await testFfmpeg();
  const args = ['-v', 'error', '-show_entries', 'format=format_name:stream=codec_name', '-of', 'flat'];
  const { stdout } = await launch(ffprobe.path, [...args, `file:${path}`]);
  const values = [...stdout.matchAll(/^(streams|format)\.[^=]*="(.*)"$/gm)];
  const of = (kind: string) => values.flatMap(([, found, value = '']) => (found === kind ? [value] : []));
  return [...of('format'), ...of('streams')].join(' ');
}

/** All samples of a track of audio. */
export async function samplesOf(path: string, track = 0): Promise<Samples> {
  const { ffprobe } = await testFfmpeg();
  const shown = 'stream=sample_rate,channels:frame=best_effort_timestamp_time';
  // The first frames: a decoder gives none for its first packets, which are its delay.
  const args = [
    '-v',
    'error',
    '-select_streams',
    `a:${track}`,
    '-show_entries',
    shown,
    '-read_intervals',
    '%+#16',
  ];
  const { stdout } = await launch(ffprobe.path, [...args, '-of', 'json', `file:${path}`]);
  const { streams, frames } = JSON.parse(stdout) as AudioProbe;
  const sampleRate = Number(streams[0]?.sample_rate);
  const count = streams[0]?.channels ?? 0;
  const start = frames[0]?.best_effort_timestamp_time;
  const raw = await decode(path, ['-map', `0:a:${track}`, '-f', 'f32le', '-c:a', 'pcm_f32le']);
  const all = new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length));
  const channels = Array.from({ length: count }, (_, channel) =>
    Float32Array.from({ length: all.length / count }, (_sample, at) => all[at * count + channel] ?? 0),
  );
  return { startSeconds: Number(start), sampleRate, channels };
}

/** The brightness of each frame of a file. */
export async function brightnessOf(path: string): Promise<readonly Brightness[]> {
  const times = await probed(path, [
    ...['-select_streams', 'v', '-show_entries', 'frame=best_effort_timestamp_time'],
  ]);
  // Scaled to one pixel, which is the average of the frame.
  const args = ['-map', '0:v', '-vsync', 'passthrough', '-vf', 'scale=1:1:flags=area', '-pix_fmt', 'gray'];
  const lumas = await decode(path, [...args, '-f', 'rawvideo']);
  return times.map(([seconds], at) => ({ seconds: Number(seconds), luma: lumas[at] ?? Number.NaN }));
}

/** The strength of a tone in samples, approximately its amplitude, by the Goertzel algorithm. */
export function strengthOf(hertz: number, samples: Float32Array, sampleRate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate);
  let [last, before] = [0, 0];
  for (const sample of samples) [last, before] = [sample + coefficient * last - before, last];
  const power = last * last + before * before - coefficient * last * before;
  return (2 * Math.sqrt(Math.max(0, power))) / samples.length;
}

/** The middle of a short tone within `around` seconds of a moment, and its peak sample. */
export function beepNear(
  seconds: number,
  around: number,
  { startSeconds, sampleRate, channels: [samples = new Float32Array()] }: Samples,
): { readonly seconds: number; readonly peak: number } {
  let [weight, moment, peak] = [0, 0, 0];
  for (const [at, sample] of samples.entries()) {
    const when = startSeconds + at / sampleRate;
    if (Math.abs(when - seconds) > around) continue;
    weight += sample * sample;
    moment += sample * sample * when;
    peak = Math.max(peak, Math.abs(sample));
  }
  return { seconds: moment / weight, peak };
}
