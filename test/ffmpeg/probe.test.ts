import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noContainment } from '../../daemon/ffmpeg/containment/find-containment.js';
import { UsageMeter } from '../../daemon/ffmpeg/containment/usage-meter.js';
import { openFfmpeg } from '../../daemon/ffmpeg/index.js';
import { probeFile } from '../../daemon/ffmpeg/probe/probe-file.js';
import { probeImage } from '../../daemon/ffmpeg/probe/probe-image.js';
import { isVencError } from '../../src/shared/errors.js';
import {
  badMedia,
  makeMedia,
  media,
  rotatedMedia,
  testFfmpeg,
  testTone,
  testVideo,
} from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const probe = async (path: string) => (await testFfmpeg()).probe(path);

async function rejection(path: string): Promise<string> {
  const error: unknown = await probe(path).catch((error: unknown) => error);
  assert.ok(isVencError(error), `${path} is taken`);
  assert.not.match(error.message, '/');
  return error.errorClass;
}

test('a film is probed with the properties it was made with', async () => {
  const { format, video, audio, durationSeconds } = await probe(await media('clip.mp4'));
  assert.is(format, 'mpeg4');
  assert.is(Math.round(durationSeconds ?? 0), 2);
  assert.is(video?.codec, 'h264');
  assert.equal([video?.width, video?.height, video?.rotationDegrees], [160, 120, 0]);
  assert.equal(video?.frameRate, { numerator: 25, denominator: 1 });
  assert.is(video?.isFrameRateVariable, false);
  assert.equal([audio?.codec, audio?.channels, audio?.sampleRate], ['aac', 2, 44100]);
});

test('Matroska and WebM are distinguished, and their streams have durations', async () => {
  const [mkv, webm] = await Promise.all([media('clip.mkv').then(probe), media('clip.webm').then(probe)]);
  assert.is(mkv.format, 'matroska');
  assert.is(webm.format, 'webm');
  assert.is(Math.round(webm.audio?.durationSeconds ?? 0), 2);
});

test('the rotation of a film is detected', async () => {
  assert.is((await probe(await rotatedMedia())).video?.rotationDegrees, 90);
});

test('non-square pixels are detected', async () => {
  const { video } = await probe(await media('wide.mp4'));
  assert.equal(video?.sampleAspectRatio, { numerator: 2, denominator: 1 });
});

test('a song with cover art is audio only', async () => {
  const path = join(tempFolder(), 'song.mp3');
  const cover = ['-i', await media('image.png')];
  // An image is not a valid input; the format is given explicitly to create one.
  await makeMedia(path, [
    ...testTone(1),
    '-f',
    'png_pipe',
    ...cover,
    '-map',
    '0',
    '-map',
    '1',
    '-c:v',
    'copy',
    '-c:a',
    'libmp3lame',
  ]);
  const { video, audio } = await probe(path);
  assert.is(video, null);
  assert.is(audio?.codec, 'mp3');
});

test('audio without a container duration gets its duration from its packets', async () => {
  const folder = tempFolder();
  const alternating = "aevalsrc='if(lt(mod(t\\,1)\\,0.5)\\,0.9*random(0)\\,0)':d=4:s=44100";
  for (const [name, ...args] of [
    ['a.aac', '-c:a', 'aac'],
    ['a.mp3', '-c:a', 'libmp3lame', '-q:a', '2', '-write_xing', '0'],
  ] as const) {
    const path = join(folder, name);
    await makeMedia(path, ['-f', 'lavfi', '-i', alternating, ...args]);
    const { durationSeconds, audio } = await probe(path);
    assert.ok(Math.abs((durationSeconds ?? 0) - 4) < 0.1, `${name}: ${durationSeconds}`);
    assert.is(audio?.durationSeconds, durationSeconds);
  }
});

test('a file is identified by its content, not by its name', async () => {
  const folder = tempFolder();
  for (const name of ['-y.mp4', 'http:x.mp4', 'concat:a|b', 'a%03d.mp4', "it's ü.mp4", 'noname', '*?.mp4']) {
    const path = join(folder, name);
    await copyFile(await media('silent.mp4'), path);
    assert.is((await probe(path)).format, 'mpeg4', name);
  }
});

for (const [name, errorClass] of [
  ['empty.mp4', 'NoMediaError'],
  ['text.mp4', 'NoMediaError'],
  ['page.mp4', 'NoMediaError'],
  ['zeros.mp4', 'NoMediaError'],
  ['truncated.mp4', 'NoMediaError'],
  ['playlist.mp4', 'UnsupportedInputError'],
] as const) {
  test(`${name} is ${errorClass}`, async () => {
    assert.is(await rejection(await badMedia(name)), errorClass);
  });
}

test('ffprobe opens no playlist, even if its start is not recognised', async () => {
  const path = join(tempFolder(), 'list.txt');
  await writeFile(path, `# a comment in front\nffconcat version 1.0\nfile '${await media('clip.mp4')}'\n`);
  assert.is.not(await rejection(path).catch(() => 'taken'), 'taken');
});

test('a still image is rejected', async () => {
  assert.is(await rejection(await media('image.png')), 'UnsupportedInputError');
});

test('images beyond the size limit are rejected and not decoded', async () => {
  const path = join(tempFolder(), 'huge.avi');
  await makeMedia(path, [
    ...testVideo('620x620', 1, 1),
    '-vf',
    'scale=6200:6200',
    '-c:v',
    'mjpeg',
    '-pix_fmt',
    'yuvj420p',
  ]);
  const error: unknown = await probe(path).catch((error: unknown) => error);
  assert.ok(isVencError(error, 'UnsupportedInputError'));
  assert.match(error.message, '6200x6200');
  // 12000x12000 in the header only: signature, IHDR, and no image data.
  const png = Buffer.from(
    '89504e470d0a1a0a0000000d4948445200002ee000002ee008020000000000000000000049454e44ae426082',
    'hex',
  );
  const header = join(tempFolder(), 'huge.png');
  await writeFile(header, png);
  assert.is(await rejection(header), 'UnsupportedInputError');
});

test('an encrypted film is rejected', async () => {
  const path = join(tempFolder(), 'locked.mp4');
  const key = '76a6c65c5ea762046bd749a2e632ccbb';
  const locked = ['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key, '-encryption_kid', key];
  await makeMedia(path, ['-i', await media('clip.mp4'), '-c', 'copy', ...locked]);
  assert.is(await rejection(path), 'UnsupportedInputError');
});

test('a missing file and a folder have distinct errors', async () => {
  assert.is(await rejection(join(tempFolder(), 'nothing.mp4')), 'FileNotFoundError');
  assert.is(await rejection(tempFolder()), 'UnsupportedInputError');
});

test('a probe ends when it is aborted or times out', async () => {
  const folder = tempFolder();
  const slow = join(folder, 'ffprobe');
  const answer = 'if [ "$1" = -version ]; then echo ffprobe version 6.0; else exec sleep 60; fi';
  await writeFile(slow, `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
  const { ffmpeg: own } = await testFfmpeg();
  const open = (probeSeconds: number) =>
    openFfmpeg({ ffmpeg: own.path, ffprobe: slow, cacheFolder: join(folder, 'cache'), probeSeconds });
  const path = await media('clip.mp4');
  const errorOf = (promise?: Promise<unknown>) => promise?.catch((error: unknown) => error);
  const late = await errorOf((await open(0.05)).ffmpeg?.probe(path));
  assert.ok(isVencError(late, 'TranscodingTimeoutError'));
  const stop = new AbortController();
  const probing = errorOf((await open(60)).ffmpeg?.probe(path, stop.signal));
  stop.abort();
  assert.ok(isVencError(await probing, 'InterruptedError'));
});

test('a crash of ffprobe is reported, and not as a file without media', async () => {
  const folder = tempFolder();
  const crashing = join(folder, 'ffprobe');
  const answer = 'if [ "$1" = -version ]; then echo ffprobe version 6.0; else kill -SEGV $$; fi';
  await writeFile(crashing, `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
  const { ffmpeg: own } = await testFfmpeg();
  const opened = await openFfmpeg({
    ffmpeg: own.path,
    ffprobe: crashing,
    cacheFolder: join(folder, 'cache'),
    // In a sandbox it is process 1, which cannot send itself this signal.
    sandbox: 'none',
  });
  const error = await opened.ffmpeg?.probe(await media('clip.mp4')).catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'UnsupportedInputError'));
  assert.match((error as Error).message, 'SIGSEGV');
});

test('a file that is removed while it is probed is reported as missing', async () => {
  const folder = tempFolder();
  const path = join(folder, 'film.mkv');
  await copyFile(await media('clip.mkv'), path);
  const { ffprobe } = await testFfmpeg();
  const removing = join(folder, 'ffprobe');
  await writeFile(removing, `#!/bin/sh\n'${ffprobe.path}' "$@"; code=$?; rm -f '${path}'; exit $code\n`, {
    mode: 0o755,
  });
  const settings = {
    ...{ containment: noContainment, meter: new UsageMeter(undefined) },
    ...{ memoryBytes: 1e9, seconds: 20 },
  };
  const error: unknown = await probeFile({ ...ffprobe, path: removing }, path, settings, {}).catch(
    (reason: unknown) => reason,
  );
  assert.ok(isVencError(error, 'FileNotFoundError'), String(error));
  assert.is(error.message, 'There is no such file.');
});

test('a transport stream with named programs is recognised', async () => {
  const { probe } = await testFfmpeg();
  const { format, video, audio } = await probe(await media('clip.ts'));
  assert.equal([format, video?.codec, audio?.codec], ['mpeg-ts', 'h264', 'aac']);
});

test('the last frame of MP4 is held as long as the header says, with each version of ffprobe', async () => {
  const path = join(tempFolder(), 'held.mp4');
  const frames = ['-f', 'lavfi', '-i', "testsrc2=s=64x48:r=25:d=13,select='lt(t,4)+eq(n,300)'"] as const;
  await makeMedia(path, [...frames, '-vsync', 'vfr', '-c:v', 'libx264', '-bf', '2', '-pix_fmt', 'yuv420p']);
  // The build of 2018 declares the time until the last frame is decoded.
  const bytes = await readFile(path);
  const header = bytes.indexOf('mvhd') + 4;
  bytes.writeUInt32BE(Math.round(12.04 * bytes.readUInt32BE(header + 12)), header + 16);
  await writeFile(path, bytes);
  const { ffprobe } = await testFfmpeg();
  const packaged = join(process.cwd(), 'node_modules/@ffprobe-installer/linux-x64/ffprobe');
  const meter = new UsageMeter(undefined);
  const settings = { containment: noContainment, meter, memoryBytes: 1e9, seconds: 20 };
  for (const program of [ffprobe, { path: packaged, version: '6.1', source: 'installer' } as const]) {
    if (!existsSync(program.path)) continue;
    const { durationSeconds, video } = await probeFile(program, path, settings, {});
    assert.is(Math.round(durationSeconds ?? 0), 12, program.path);
    assert.is(Math.round(video?.lastFrame?.startSeconds ?? 0), 12, program.path);
  }
});

test('a file of many empty boxes is rejected at once', async () => {
  const path = join(tempFolder(), 'empty-boxes.mp4');
  const empty = Buffer.from('0000000866726565', 'hex');
  const brand = Buffer.from('00000010667479706d70343200000000', 'hex');
  await writeFile(path, Buffer.concat([brand, Buffer.alloc(64 * 1024 * 1024, empty)]));
  assert.is(await rejection(path), 'NoMediaError');
});

test('if ffprobe is missing, the error says so and no file is reported as damaged', async () => {
  const missing = { path: join(tempFolder(), 'ffprobe'), version: '7.0', source: 'PATH' } as const;
  const meter = new UsageMeter(undefined);
  const settings = { containment: noContainment, meter, memoryBytes: 1e9, seconds: 20 };
  for (const look of [
    async () => probeFile(missing, await media('clip.mp4'), settings, {}),
    async () => probeImage(missing, await media('image.png'), settings),
  ]) {
    const error: unknown = await look().catch((error: unknown) => error);
    assert.ok(isVencError(error, 'InternalError'), String(error));
    assert.is(error.message, 'ffprobe could not be started (ENOENT).');
  }
});

test.run();
