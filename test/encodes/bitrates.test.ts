import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders, frames, writableName } from '../plan/encoded.js';
import { moments, type Packet, packets } from './packets.js';

const folder = tempFolder();
const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '1', '-pix_fmt', 'yuv420p'];
const film = join(folder, 'film.mp4');
await makeMedia(film, [...testVideo('320x180', 25, 4), ...lossless]);

const noisy = join(folder, 'noisy.mp4');
const noise = 'testsrc2=size=160x120:rate=25:duration=1,noise=alls=8:allf=t';
await makeMedia(noisy, ['-f', 'lavfi', '-i', noise, ...lossless]);

/** Two seconds of pure noise: frames do not predict each other, and rate control has no time to adapt. */
const hard = join(folder, 'hard.mkv');
/** The same with fewer pixels, which all codecs but Theora can encode at fewer bits. */
const hardSmall = join(folder, 'hard-small.mkv');
for (const [path, size] of [
  [hard, '160x120'],
  [hardSmall, '88x66'],
] as const) {
  const graph = `testsrc2=size=${size}:rate=25:duration=2,noise=alls=60:allf=t,format=yuv420p`;
  await makeMedia(path, ['-f', 'lavfi', '-i', graph, '-c:v', 'ffv1']);
}

/** Four seconds with alternating 30, 12 and 20 frames per second. */
const uneven = join(folder, 'uneven.mp4');
/** The same frames with fewer pixels, for encoders that are slow in two passes. */
const unevenSmall = join(folder, 'uneven-small.mp4');
const every = 'if(lt(t\\,1.3)\\,not(mod(n\\,2))\\,if(lt(t\\,2.6)\\,not(mod(n\\,5))\\,not(mod(n\\,3))))';
for (const [path, size] of [
  [uneven, '160x120'],
  [unevenSmall, '88x66'],
] as const) {
  const graph = `testsrc2=size=${size}:rate=60:duration=4,select=${every},noise=alls=12:allf=t`;
  const times = ['-vsync', 'vfr', '-enc_time_base', '1:90000'];
  await makeMedia(path, ['-f', 'lavfi', '-i', graph, ...times, ...lossless]);
}

/** Bars that move sideways by four pixels per field. Whole frames have no steps from line to line, interlaced ones have many. */
const bars = 'color=black:size=128x96:rate=50:duration=1,format=gray,geq=lum=30+170*lt(mod(X+N*4\\,32)\\,16)';
const fields = `${bars},format=yuv420p,tinterlace=interleave_top,setfield=tff`;
const flagged = join(folder, 'flagged.mp4');
const untold = join(folder, 'untold.mp4');
await makeMedia(flagged, [
  '-f',
  'lavfi',
  '-i',
  fields,
  '-flags',
  '+ilme+ildct',
  '-x264opts',
  'tff=1',
  ...lossless,
]);
await makeMedia(untold, ['-f', 'lavfi', '-i', `${fields},setfield=prog`, ...lossless]);

/** Mean difference between adjacent lines. */
function combing(frame: Uint8Array, width: number): number {
  const below = frame.subarray(width);
  return below.reduce((sum, value, at) => sum + Math.abs(value - (frame[at] ?? 0)), 0) / below.length;
}

const codecs: readonly (readonly [NonNullable<OutputSettings['video_codec']>, string, number])[] = [
  ['h264', 'a.mp4', 300],
  ['hevc', 'a.mp4', 300],
  ['vp8', 'a.webm', 300],
  ['vp9', 'a.webm', 300],
  ['theora', 'a.ogv', 600],
];

/** Two-pass AV1 with libaom takes half a minute on a slow machine. */
const slowestMs = 180_000;

/** The codecs, and whether one is tried with uneven frames: Theora output always has an even frame rate. */
const together: readonly (readonly [NonNullable<OutputSettings['video_codec']>, string, boolean])[] = [
  ['h264', '.mp4', true],
  ['hevc', '.mp4', true],
  ['vp8', '.webm', true],
  ['vp9', '.webm', true],
  ['theora', '.ogv', false],
  ['av1', '.mp4', true],
];
/** The bitrates of the outputs, which all codecs can reach with that noise, and with uneven frames. */
const hardRates = { [hard]: [300, 800], [hardSmall]: [90, 240] };
const unevenRates = [45, 120];

const unevenMoments = moments(await packets(uneven));

function assertTimes(made: readonly (readonly Packet[])[]): void {
  for (const all of made) {
    const found = moments(all);
    const offset = (found[0] ?? 0) - (unevenMoments[0] ?? 0);
    const off = unevenMoments.map((moment, at) => Math.abs((found[at] ?? 99) - offset - moment));
    assert.is(found.length, unevenMoments.length);
    // Time bases of 1/250 s and of 1 ms.
    assert.ok(Math.max(...off) < 0.0032, `${Math.max(...off)}`);
  }
}

const modes: readonly (readonly [OutputSettings['deinterlace'], string, boolean])[] = [
  ['detect', flagged, true],
  ['on', flagged, true],
  ['off', flagged, false],
  ['detect', untold, false],
  ['on', untold, true],
  ['off', untold, false],
];

for (const [build, ffmpeg] of await encoders()) {
  const kbpsOf = async (settings: OutputSettings, filename: string) => {
    const { path } = await encoded(ffmpeg, film, settings, writableName(ffmpeg, filename));
    const all = await packets(path);
    return all.reduce((sum, { bits }) => sum + bits, 0) / 4000;
  };

  for (const [video_codec, filename, video_bitrate] of codecs) {
    test(`${build}: ${video_codec} meets video_bitrate within 10 % in two passes`, async () => {
      const kbps = await kbpsOf({ video_codec, video_bitrate, speed: 4 }, filename);
      assert.ok(Math.abs(kbps - video_bitrate) <= video_bitrate / 10, `${kbps} of ${video_bitrate}`);
    });
  }

  let starting: Promise<TestDaemon> | null = null;
  /** Makes a daemon encode outputs of one input together, one per bitrate, and returns the packets of each. */
  const madeTogether = async (
    input: string,
    [video_codec, ending]: (typeof together)[number],
    rates: readonly number[],
  ) => {
    starting ??= startTestDaemon({
      filesRoots: [folder],
      ffmpeg: ffmpeg.ffmpeg.path,
      stallTimeoutSeconds: 60,
    });
    const daemon = await starting;
    const urls = rates.map(
      (rate) => pathToFileURL(`${input}-${video_codec}-${rate}${writableName(ffmpeg, ending)}`).href,
    );
    const outputs = rates.map((video_bitrate, at) => ({
      video_codec,
      video_bitrate,
      speed: 5,
      url: urls[at],
      // Each build writes the same files.
      overwrite: true,
    }));
    const job = await daemon.waitForJob(
      await daemon.create({ input: pathToFileURL(input).href, outputs }),
      slowestMs,
    );
    assert.is(job.state, 'finished');
    return await Promise.all(urls.map((url) => packets(fileURLToPath(url))));
  };
  test.after(async () => (await starting)?.stop());
  const assertRates = (rates: readonly number[], made: readonly (readonly Packet[])[], seconds: number) => {
    for (const [at, all] of made.entries()) {
      const [asked = 0, kbps] = [rates[at], all.reduce((sum, { bits }) => sum + bits, 0) / 1000 / seconds];
      assert.ok(Math.abs(kbps - asked) <= asked / 10, `${kbps} of ${asked}`);
    }
  };
  // The libaom of 2018 takes minutes for these.
  const isFastEnough = ([codec]: (typeof together)[number]) =>
    codec !== 'av1' || ffmpeg.capabilities.encoders.has('libsvtav1');

  for (const row of together.filter(isFastEnough)) {
    test(`${build}: ${row[0]} meets video_bitrate within 10 % in short clips of noise that are encoded together`, async () => {
      const input = row[0] === 'theora' ? hard : hardSmall;
      const rates = hardRates[input] ?? [];
      assertRates(rates, await madeTogether(input, row, rates), 2);
    });
  }

  for (const row of together.filter((row) => row[2] && isFastEnough(row))) {
    test(`${build}: ${row[0]} meets video_bitrate within 10 % with uneven frames and keeps their times`, async () => {
      const made = await madeTogether(unevenSmall, row, unevenRates);
      assertRates(unevenRates, made, 4);
      assertTimes(made);
    });
  }

  test(`${build}: VP8 in one pass keeps to a bitrate, and to the maximum bitrate of a quality, with uneven frames`, async () => {
    const kbpsOf = async (settings: OutputSettings) => {
      const { path } = await encoded(ffmpeg, uneven, { video_codec: 'vp8', ...settings }, 'a.webm');
      const all = await packets(path);
      assertTimes([all]);
      return all.reduce((sum, { bits }) => sum + bits, 0) / 4000;
    };
    const once = await kbpsOf({ video_bitrate: 150, onepass: true });
    assert.ok(Math.abs(once - 150) < 30, `${once}`);
    // 0.16 bits for each of 19,200 pixels, 20.9 times per second, are 64 kbps. The minimum of 100 kbps applies.
    const quality = await kbpsOf({ quality: 3 });
    assert.ok(quality > 50 && quality < 120, `${quality}`);
    const capped = await kbpsOf({ quality: 5, bitrate_cap: 150 });
    assert.ok(capped > 75 && capped < 165, `${capped}`);
  });

  test(`${build}: with onepass and video_bitrate the quality has no effect`, async () => {
    const kbps = await kbpsOf({ onepass: true, video_bitrate: 300, quality: 1 }, 'a.mp4');
    const higher = await kbpsOf({ onepass: true, video_bitrate: 300, quality: 5 }, 'a.mp4');
    // With several threads, x264 does not make the same frames in each run. A quality of 5 alone takes several times the bits of 1.
    assert.ok(Math.abs(higher - kbps) < kbps / 50, `${higher} and ${kbps}`);
    assert.ok(Math.abs(kbps - 300) < 75, `${kbps}`);
    assert.is.not(await kbpsOf({ video_bitrate: 300 }, 'a.mp4'), kbps);
  });

  for (const [video_codec, filename] of [
    ['h264', 'a.mp4'],
    ['vp8', 'a.webm'],
    ['theora', 'a.ogv'],
  ] as const) {
    test(`${build}: ${video_codec} uses more bits at a higher quality and is closer to the input`, async () => {
      const [, before = new Uint8Array()] = await frames(ffmpeg, noisy, 160 * 120);
      const found: { readonly bits: number; readonly error: number }[] = [];
      for (const quality of [1, 2, 3, 4, 5]) {
        const { path } = await encoded(
          ffmpeg,
          noisy,
          { video_codec, quality },
          writableName(ffmpeg, filename),
        );
        const [, after = new Uint8Array()] = await frames(ffmpeg, path, 160 * 120);
        const squares = after.reduce((sum, value, at) => sum + (value - (before[at] ?? 0)) ** 2, 0);
        const bits = (await packets(path)).reduce((sum, packet) => sum + packet.bits, 0);
        found.push({ bits, error: squares / after.length });
      }
      for (const [at, { bits, error }] of found.entries()) {
        const lower = found[at - 1];
        const isBetter = lower === undefined || (bits > lower.bits && error < lower.error);
        assert.ok(isBetter, JSON.stringify(found));
      }
    });
  }

  test(`${build}: each speed of h264 selects a different preset, and the slowest needs fewer bits than the fastest`, async () => {
    const bits: number[] = [];
    for (const speed of [1, 2, 3, 4, 5]) {
      const { path } = await encoded(ffmpeg, film, { speed, clip_length: 1 });
      bits.push((await packets(path)).reduce((sum, packet) => sum + packet.bits, 0));
    }
    assert.is(new Set(bits).size, 5);
    assert.ok((bits[0] ?? 0) < (bits[4] ?? 0), bits.join());
  });

  for (const [mode = 'detect', input, isWhole] of modes) {
    const what = input === flagged ? 'fields that the file declares' : 'fields that it does not declare';
    test(`${build}: deinterlace ${mode} ${isWhole ? 'deinterlaces' : 'leaves'} ${what}`, async () => {
      const { path } = await encoded(ffmpeg, input, { deinterlace: mode, quality: 5 });
      const all = await frames(ffmpeg, path, 128 * 96);
      assert.is(all.length, 25);
      const step = combing(all[12] ?? new Uint8Array(), 128);
      assert.ok(isWhole ? step < 8 : step > 20, `${step}`);
    });
  }
}

test.run();
