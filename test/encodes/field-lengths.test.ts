import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CliResult, runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { parsePlaylist } from '../helpers/hls.js';
import { tempFolder } from '../helpers/temp.js';
import { probed, samplesOf, secondsOf } from './decoded-media.js';
import { shippedBuilds } from './shipped.js';

/*
 * Files that declare another length than they have, that are cut off, or whose last frames follow a pause. What an output has is
 * counted by decoding it.
 */

const folder = tempFolder();
const inFolder = (name: string) => join(folder, name);
const film = (seconds: number) => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=64x48:r=10:d=${seconds}`, '-f', 'lavfi', '-i', `sine=d=${seconds}`],
];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;

async function patched(
  from: string,
  to: string,
  patch: (bytes: Buffer) => Buffer | undefined,
): Promise<string> {
  const bytes = await readFile(inFolder(from));
  await writeFile(inFolder(to), patch(bytes) ?? bytes);
  return inFolder(to);
}

await ffmpegRaw(...film(4), ...h264, '-c:a', 'aac', inFolder('good.flv'));
await ffmpegRaw(...film(8), ...h264, '-g', '10', '-c:a', 'aac', inFolder('good.mkv'));
await ffmpegRaw('-i', inFolder('good.mkv'), '-c', 'copy', '-movflags', '+faststart', inFolder('good.mp4'));
await ffmpegRaw('-i', inFolder('good.mkv'), '-c', 'copy', inFolder('long.flv'));
await ffmpegRaw(...film(4), '-c:v', 'mpeg4', '-c:a', 'mp3', inFolder('good.avi'));
await ffmpegRaw(...film(4), '-c:v', 'mpeg4', '-c:a', 'pcm_s16le', inFolder('pcm.mov'));
await ffmpegRaw(
  '-f',
  'lavfi',
  '-i',
  'sine=d=12',
  '-c:a',
  'libopus',
  '-page_duration',
  '100000',
  inFolder('good.opus'),
);
// Frames until 4 s, and one more at 12 s. The file has nothing but these.
const recorded = `testsrc2=s=64x48:r=25:d=13,select='lt(t,4)+eq(n,300)'`;
const pause = ['-f', 'lavfi', '-i', recorded, '-vsync', 'vfr'] as const;
await ffmpegRaw(...pause, ...h264, inFolder('pause.mkv'));
await ffmpegRaw(...pause, '-c:v', 'libvpx', '-b:v', '200k', inFolder('pause.webm'));

// Frames until 3 s, and from 23 s on, with audio for all of the time.
const show = `testsrc2=s=64x48:r=10:d=24,select='lt(t,3)+gte(t,23)'`;
const withTone = ['-f', 'lavfi', '-i', show, '-f', 'lavfi', '-i', 'sine=d=24', '-vsync', 'vfr'] as const;
await ffmpegRaw(...withTone, ...h264, '-c:a', 'aac', inFolder('show.mp4'));

const five = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=0.5'] as const;
await ffmpegRaw(...five, '-final_delay', '300', inFolder('hold.gif'));
await ffmpegRaw(...five, '-f', 'apng', '-final_delay', '3', inFolder('hold.apng'));
await ffmpegRaw(...five, ...h264, inFolder('five.mp4'));

/** Replaces the duration in the header of a Matroska file, in milliseconds. */
const declareMatroska = (milliseconds: number) => (bytes: Buffer) => {
  bytes.writeDoubleBE(milliseconds, bytes.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3);
  return undefined;
};
const declareFlv = (seconds: number) => (bytes: Buffer) => {
  bytes.writeDoubleBE(seconds, bytes.indexOf('duration') + 9);
  return undefined;
};
/** Keeps the two header pages of an Ogg file, and the pages of its last half. */
function lastHalf(bytes: Buffer): Buffer {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    starts.push(at);
    const segments = bytes[at + 26] ?? 0;
    at += 27 + segments + bytes.subarray(at + 27, at + 27 + segments).reduce((sum, size) => sum + size, 0);
  }
  return Buffer.concat([
    bytes.subarray(0, starts[2]),
    bytes.subarray(starts[Math.floor(starts.length / 2)] ?? 0),
  ]);
}
/** Declares in the header of an MP4 file, and nowhere else, that it has 3.4 s. */
function declareMp4(bytes: Buffer): undefined {
  const header = bytes.indexOf('mvhd');
  bytes.writeUInt32BE(bytes.readUInt32BE(header + 16) * 3.4, header + 20);
}
/** Declares a sample rate a hundred times too high in the header of the second stream of an AVI. */
function wrongRate(bytes: Buffer): undefined {
  const header = bytes.indexOf('auds') + 20;
  bytes.writeUInt32LE(bytes.readUInt32LE(header + 4) * 100, header + 4);
}
/** Declares ticks of a hundredth of their length for the second track of a QuickTime file. */
function wrongTimescale(bytes: Buffer): undefined {
  const header = bytes.indexOf('mdhd', bytes.indexOf('mdhd') + 4);
  bytes.writeUInt32BE(bytes.readUInt32BE(header + 16) * 100, header + 16);
}
const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.6));

const declared = [
  [
    await patched('good.flv', 'declares-400.flv', declareFlv(400)),
    40,
    4,
    /declares 400\.0 seconds and has 4\.\d/,
  ],
  [await patched('good.flv', 'declares-1.flv', declareFlv(1)), 40, 4, /declares 1\.0 seconds and has 4\.\d/],
  [
    await patched('good.mkv', 'declares-2.mkv', declareMatroska(2000)),
    80,
    8,
    /declares 2\.0 seconds and has 8\.\d/,
  ],
  [
    await patched('good.mkv', 'declares-90.mkv', declareMatroska(90_000)),
    80,
    8,
    /declares 90\.0 seconds and has 8\.\d/,
  ],
  [
    await patched('good.opus', 'from-the-middle.opus', lastHalf),
    0,
    6,
    /declares 12\.0 seconds and has 6\.\d/,
  ],
] as const;

const truncated = [
  await patched('good.mp4', 'cut.mp4', cut),
  await patched('good.mkv', 'cut.mkv', cut),
  await patched('long.flv', 'cut.flv', cut),
  await patched('good.avi', 'cut.avi', cut),
];

for (const { name, env } of await shippedBuilds()) {
  const test = suite(`lengths, ${name}`);
  const home = tempFolder();
  const run = async (
    input: string,
    words: readonly string[] = [],
    file = 'out.mp4',
  ): Promise<CliResult & { readonly output: string }> => {
    const output = join(tempFolder(), file);
    const args = ['run', input, '-o', output, '--speed', '5', '--progress', 'none', ...words];
    return { ...(await runCli(args, { env: { HOME: home, ...env } })), output };
  };
  const framesOf = (path: string) =>
    probed(path, ['-select_streams', 'v', '-show_entries', 'frame=best_effort_timestamp_time']);
  const audioSecondsOf = async (path: string) => {
    const { channels, sampleRate } = await samplesOf(path);
    return (channels[0]?.length ?? 0) / sampleRate;
  };

  for (const [input, frames, seconds, warning] of declared) {
    test(`${input.split('/').at(-1)} is encoded whole, with a warning`, async () => {
      const { code, stderr, output } = await run(input);
      assert.is(code, 0, stderr);
      assert.match(stderr, warning);
      assert.ok(
        Math.abs((await audioSecondsOf(output)) - seconds) < 0.15,
        `${await audioSecondsOf(output)} seconds`,
      );
      if (frames > 0) assert.is((await framesOf(output)).length, frames);
    });
  }

  test('audio that is lost although it was decoded fails the output', async () => {
    for (const [file, patch] of [
      ['good.avi', wrongRate],
      ['pcm.mov', wrongTimescale],
    ] as const) {
      const { code, stderr } = await run(await patched(file, `wrong-rate-${file}`, patch));
      assert.is.not(code, 0, file);
      assert.match(stderr, /only 0\.\d of 4\.\d seconds of the audio/);
    }
  });

  test('audio that ends before a clip by its header is left out with a warning', async () => {
    const { code, stderr } = await run(await patched('good.avi', 'wrong-rate.avi', wrongRate), [
      '--start-clip',
      '1',
    ]);
    assert.is(code, 0, stderr);
    assert.match(stderr, /warning: .*audio of the input was left out: it is 0\.\d seconds long/);
  });

  for (const input of truncated) {
    test(`${input.split('/').at(-1)} fails, and --allow-truncated encodes what is there`, async () => {
      const failed = await run(input);
      assert.is.not(failed.code, 0);
      assert.match(failed.stderr, /Only \d\.\d of \d\.\d seconds .*truncated.*--allow-truncated/);
      const allowed = await run(input, ['--allow-truncated']);
      assert.is(allowed.code, 0, allowed.stderr);
      assert.match(allowed.stderr, /warning: .*Only \d\.\d of \d\.\d seconds/);
      const seconds = (await framesOf(allowed.output)).length / 10;
      assert.ok(seconds > 1.5 && seconds < 6, `${seconds} seconds`);
    });
  }

  test('a frame that is held for long is one segment, and the rendition is as long as the film', async () => {
    const { code, stderr, output } = await run(inFolder('show.mp4'), ['--hls'], 'show');
    assert.is(code, 0, stderr);
    const [folderName] = (await readdir(output)).filter((entry) => /^\d+p$/.test(entry));
    const playlist = join(output, `${folderName}`, `${folderName}.m3u8`);
    const { tags, segments } = parsePlaylist(await readFile(playlist, 'utf8'));
    const seconds = segments.map((one) => one.seconds);
    assert.ok(Math.abs(seconds.reduce((sum, one) => sum + one, 0) - 24) < 0.15, seconds.join());
    assert.ok(Number(tags['EXT-X-TARGETDURATION']) >= Math.round(Math.max(...seconds)));
    assert.is((await framesOf(playlist)).length, 40);
  });

  test('a copy and a ladder of a truncated input need --allow-truncated as well', async () => {
    const copied = await run(inFolder('cut.mkv'), ['--copy-video']);
    assert.match(copied.stderr, /Only .*--allow-truncated/);
    const kept = await run(inFolder('cut.mkv'), ['--copy-video', '--allow-truncated']);
    assert.is(kept.code, 0, kept.stderr);
    const hls = join(tempFolder(), 'hls');
    await mkdir(dirname(hls), { recursive: true });
    const ladder = ['run', inFolder('cut.mkv'), '--hls', hls, '--speed', '5', '--progress', 'none'];
    const failed = await runCli(ladder, { env: { HOME: home, ...env } });
    assert.is.not(failed.code, 0);
    const made = await runCli([...ladder, '--allow-truncated'], { env: { HOME: home, ...env } });
    assert.is(made.code, 0, made.stderr);
    assert.ok((await readdir(hls)).some((file) => file.endsWith('.m3u8')));
  });

  for (const input of ['pause.mkv', 'pause.webm']) {
    test(`the last frame of ${input} comes after its pause, also in a clip of the output`, async () => {
      const { code, stderr, output } = await run(inFolder(input));
      assert.is(code, 0, stderr);
      assert.not.match(stderr, /warning/);
      const frames = await framesOf(output);
      assert.is(frames.length, 101);
      assert.ok(Math.abs(Number(frames.at(-1)?.[0]) - 12) < 0.01);
      const clip = await run(output, ['--start-clip', '10']);
      assert.is(clip.code, 0, clip.stderr);
      const last = (await framesOf(clip.output)).at(-1)?.[0];
      assert.ok(Math.abs(Number(last) - 2) < 0.06, `${last} s`);
    });
  }

  for (const [input, files, words] of [
    ['hold.gif', ['out.mp4', 'out.mkv', 'out.ts', 'out.webm'], []],
    ['hold.gif', ['out.mp4'], ['--frame-rate', '20']],
    ['hold.apng', ['out.mp4'], []],
    ['declares-hold.mp4', ['out.mp4', 'out.mkv'], []],
  ] as const) {
    test(`the last frame of ${input} is held for 3 s ${words.join(' ')}`, async () => {
      await patched('five.mp4', 'declares-hold.mp4', declareMp4);
      const out = tempFolder();
      const made = files.flatMap((file) => ['-o', join(out, file)]);
      const args = ['run', inFolder(input), ...made, '--speed', '5', '--progress', 'none', ...words];
      const { code, stderr } = await runCli(args, { env: { HOME: home, ...env } });
      assert.is(code, 0, stderr);
      assert.not.match(stderr, /warning/);
      for (const file of files) {
        const output = join(out, file);
        const seconds = await secondsOf(output);
        // Where a container does not say how long its last frame lasts, builds add a frame of the input or a tick.
        const tolerance = file === 'out.mp4' ? 0.06 : 0.11;
        assert.ok(Math.abs(seconds - 3.4) < tolerance, `${file}: ${seconds} s`);
        const times = (await framesOf(output)).map(([time]) => Number(time));
        assert.ok(times.length >= 5, `${file}: ${times.length} frames`);
        const first = times.filter((time) => time - (times[0] ?? 0) < 0.45);
        if (words.length === 0) assert.is(first.length, 5, `${file}: ${times.join(' ')}`);
      }
    });
  }

  test('the last frame is held in the segments of a ladder', async () => {
    const hls = join(tempFolder(), 'hls');
    const words = ['run', inFolder('hold.gif'), '--hls', hls, '--speed', '5', '--progress', 'none'];
    const { code, stderr } = await runCli(words, { env: { HOME: home, ...env } });
    assert.is(code, 0, stderr);
    const playlists = (await readdir(hls, { recursive: true })).filter((file) => /\/.*m3u8$/.test(file));
    const text = await readFile(join(hls, playlists[0] ?? ''), 'utf8');
    const seconds = [...text.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, one]) => sum + Number(one), 0);
    assert.ok(Math.abs(seconds - 3.4) < 0.11, text);
  });

  test.run();
}
