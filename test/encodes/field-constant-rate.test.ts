import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed } from './decoded-media.js';
import { moments, packets } from './packets.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';

/*
 * Videos in containers whose clock counts milliseconds. A constant rate is one again in the output, at any offset of the audio; frames
 * with times of their own keep them.
 */

const folder = tempFolder();
const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '48'] as const;
const audioCoder = ['-c:a', 'aac', '-strict', '-2'] as const;

interface Film {
  readonly rate: string;
  readonly seconds?: number;
  /** Filters of the video, after which each frame keeps its time. */
  readonly filters?: string;
  /** Seconds by which the video starts after the audio, or before it if negative. Null for no audio. */
  readonly late?: number | null;
}

/** Makes a file with the times of the muxer, which rounds them to milliseconds. */
async function film(name: string, { rate, seconds = 2, filters = 'null', late = 0 }: Film): Promise<string> {
  const path = join(folder, name);
  const video = ['-f', 'lavfi', '-i', `testsrc2=size=64x48:rate=${rate}:duration=${seconds},${filters}`];
  const audio = late === null ? [] : ['-f', 'lavfi', '-i', `sine=duration=${seconds}`, ...audioCoder];
  const offset = ['-itsoffset', String(Math.max(0, late ?? 0))];
  const audioOffset = late === null ? [] : ['-itsoffset', String(Math.max(0, -late))];
  await ffmpegRaw(
    ...[...offset, ...video, ...audioOffset, ...audio.slice(0, 4)],
    ...['-map', '0:v', ...(late === null ? [] : ['-map', '1:a'])],
    ...[...coder, '-vsync', 'vfr', '-enc_time_base:v', '1:100000', ...audio.slice(4), path],
  );
  return path;
}

/** Milliseconds between the frames of files, each once, rounded to a hundredth. */
async function intervals(paths: readonly string[]): Promise<readonly number[]> {
  const times = (await Promise.all(paths.map((path) => packets(path)))).flatMap(moments);
  const between = times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) * 100_000) / 100);
  return [...new Set(between)].toSorted((a, b) => a - b);
}

/** Asserts that all intervals are one, within the clock of MPEG and the microseconds of ffprobe. */
async function assertInterval(paths: readonly string[], milliseconds: number): Promise<void> {
  const found = await intervals(paths);
  const isEven = found.every((one) => Math.abs(one - milliseconds) < 0.03);
  assert.ok(found.length > 0 && isEven, `${found.join(', ')} ms, not ${milliseconds}`);
}

/** The frames per second that the header of the video declares; null if it declares none. */
async function declaredRate(path: string): Promise<number | null> {
  const copied = ['-map', '0:v', '-c', 'copy', '-bsf:v', 'trace_headers', '-f', 'null', '-'];
  const { stderr } = await measure('-i', path, ...copied);
  const value = (name: string) =>
    Number(new RegExp(`${name}.* = (\\d+)$`, 'm').exec(stderr)?.[1] ?? Number.NaN);
  const isHevc = stderr.includes('vui_time_scale');
  const rate = value('time_scale') / value('num_units_in_tick') / (isHevc ? 1 : 2);
  return Number.isNaN(rate) ? null : rate;
}

const startOf = async (path: string, type: string) => {
  const rows = await probed(path, ['-select_streams', `${type}:0`, '-show_entries', 'stream=start_time']);
  return Number(rows[0]?.[0]);
};

const ntsc = (whole: number) => ({ rate: `${whole * 1000}/1001`, milliseconds: 1001 / whole });
const even = (rate: number) => ({ rate: String(rate), milliseconds: 1000 / rate });
const rates = [
  { ...even(24), name: 'a.mkv', film: {} },
  { ...ntsc(24), name: 'b.mkv', film: { late: 0.011 } },
  { ...even(25), name: 'c.mkv', film: { late: null } },
  { ...ntsc(60), name: 'e.mkv', film: { late: 0.5 } },
  { ...even(240), name: 'g.mkv', film: { late: -0.4 } },
  { ...even(24), name: 'h.flv', film: {} },
  { ...even(15), name: 'i.asf', film: {} },
] as const;

const [build] = await shippedBuilds();
if (build === undefined) throw new Error('there is no ffmpeg');
const isOldest = !(await testFfmpeg()).capabilities.hasFpsMode;
const test = suite('constant rates');

for (const { rate, milliseconds, name, film: options } of rates) {
  test(`${rate} frames per second of ${name} stay evenly spaced, and the header declares the rate`, async () => {
    const input = await film(name, { rate, ...options });
    const output = await runShipped(build, input, 'out.mp4');
    await assertInterval([output], milliseconds);
    assert.is((await packets(output)).length, (await packets(input)).length);
    const declared = (await declaredRate(output)) ?? 0;
    assert.ok(Math.abs(declared - 1000 / milliseconds) < 0.0001, `the header declares ${declared}`);
    const [before, after] = await Promise.all(
      [input, output].map(async (path) => (await startOf(path, 'v')) - (await startOf(path, 'a'))),
    );
    const movedBy = Math.abs((after ?? 0) - (before ?? 0));
    // The oldest build rounds the start to whole frames. Audio that starts late begins with silence.
    const isComparable =
      !isOldest && !Number.isNaN(movedBy) && !('late' in options && Number(options.late) < 0);
    if (isComparable) assert.ok(movedBy < 0.0025, `moved by ${movedBy} s`);
  });
}

test('a gap in a constant rate stays, and no other frame moves', async () => {
  const filters = "select='not(between(n,20,29))'";
  const input = await film('gap.mkv', { rate: '24', filters, late: 0.011 });
  const output = await runShipped(build, input, 'out.mp4');
  const found = await intervals([output]);
  assert.is(found.length, 2 + Number((found[0] ?? 0) !== (found[1] ?? 0) && found.length === 3));
  assert.ok(Math.abs((found[0] ?? 0) - 41.67) < 0.03 && Math.abs((found.at(-1) ?? 0) - 458.33) < 0.03);
  assert.is((await packets(output)).length, 38);
});

const variable = {
  'of a screen recording': 'setpts=(N*0.037+0.013*random(1))/TB',
  'of a film that becomes variable': 'setpts=(N+gte(N\\,66)*0.3*random(1))/24/TB',
} as const;
for (const [what, filters] of Object.entries(variable)) {
  test(`all frames ${what} keep their times`, async () => {
    const input = await film('variable.mkv', { rate: '24', seconds: 4, filters, late: null });
    const output = await runShipped(build, input, 'out.mp4');
    const [before, after] = (await Promise.all([input, output].map((path) => packets(path)))).map(moments);
    assert.is(after?.length, before?.length);
    // The oldest build writes ticks of 2 ms, from rounded times.
    const most = Math.max(...(after ?? []).map((time, at) => Math.abs(time - (before?.[at] ?? 0))));
    assert.ok(most <= (isOldest ? 0.0031 : 0.001), `a frame moved by ${most} s`);
  });
}

test('clips, other codecs, lower rates and segments are evenly spaced', async () => {
  const input = await film('film.mkv', { rate: '24', seconds: 3, late: 0.011 });
  const cases: readonly (readonly [string, readonly string[], number])[] = [
    ['clip.mp4', ['--start-clip', '1.01', '--clip-length', '1'], 1000 / 24],
    ['half.mp4', ['--decimate', '2'], 1000 / 12],
    ['lower.mp4', ['--max-frame-rate', '12'], 1000 / 12],
    ['hevc.mp4', ['--video-codec', 'hevc'], 1000 / 24],
  ];
  for (const [name, words, milliseconds] of cases) {
    const output = await runShipped(build, input, name, words);
    await assertInterval([output], milliseconds);
    const declared = (await declaredRate(output)) ?? 0;
    assert.ok(Math.abs(declared - 1000 / milliseconds) < 0.001, `${name}: the header declares ${declared}`);
  }
  const folder = await runShipped(build, input, 'film', ['--hls']);
  const [playlist = ''] = /^[^#].*m3u8$/m.exec(await readFile(join(folder, 'master.m3u8'), 'utf8')) ?? [];
  await assertInterval([join(folder, playlist)], 1000 / 24);
  assert.match(await readFile(join(folder, 'master.m3u8'), 'utf8'), /FRAME-RATE=24(?:\.000)?\b/);
});

test.run();
