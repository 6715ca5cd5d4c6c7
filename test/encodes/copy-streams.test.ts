import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const execute = promisify(execFile);

/** The sizes and hashes of the packets of a stream, without their times. */
async function packets(path: string, stream: 'v' | 'a'): Promise<readonly string[]> {
  const { stdout } = await execute(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', `0:${stream}`, '-c', 'copy', '-f', 'framemd5', '-'],
    { maxBuffer: 1e8 },
  );
  return stdout
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').slice(4, 6).join().replaceAll(' ', ''));
}

/** The hashes of the decoded frames. */
async function frames(path: string): Promise<readonly string[]> {
  const { stdout } = await execute(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:v', '-f', 'framemd5', '-'],
    { maxBuffer: 1e8 },
  );
  return stdout
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').at(-1)?.trim() ?? '');
}

async function tagOf(path: string): Promise<string> {
  const { stdout } = await execute('ffprobe', [
    ...['-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=codec_tag_string', '-of', 'csv=p=0'],
    path,
  ]);
  return stdout.trim();
}

const input = [
  ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=3', '-f', 'lavfi', '-i', 'sine=d=3'],
  ...['-c:v', 'libx264', '-preset', 'fast', '-g', '25', '-bf', '2', '-c:a', 'aac', '-shortest'],
];

async function withDaemon(work: (daemon: TestDaemon, folder: string) => Promise<void>): Promise<void> {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), input);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    await work(daemon, folder);
  } finally {
    await daemon.stop();
  }
}

async function finish(daemon: TestDaemon, folder: string, outputs: readonly object[]): Promise<JobRecord> {
  const id = await daemon.create({ input: `file://${folder}/in.mp4`, outputs });
  return daemon.waitForJob(id);
}

test('copied streams are identical packet by packet, and the other stream is encoded', () =>
  withDaemon(async (daemon, folder) => {
    const to = (name: string) => ({ url: `file://${folder}/out/${name}` });
    const job = await finish(daemon, folder, [
      { ...to('both.mp4'), copy_video: true, copy_audio: true, width: 32, audio_bitrate: 64 },
      { ...to('both.mkv'), copy_video: true, copy_audio: true, label: 'mkv' },
      { ...to('both.ts'), copy_video: true, copy_audio: true, label: 'ts' },
      { ...to('back.mp4'), copy_video: true, copy_audio: true, source: 'ts' },
      { ...to('video.mp4'), copy_video: true, audio_codec: 'mp3' },
      { ...to('audio.mp4'), copy_audio: true, width: 160, thumbnails: { number: 1 } },
      { ...to('only.m4a'), copy_audio: true },
      { ...to('silent.mp4'), copy_video: true, skip_audio: true, thumbnails: { number: 1 } },
    ]);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    const video = await packets(join(folder, 'in.mp4'), 'v');
    const audio = await packets(join(folder, 'in.mp4'), 'a');
    assert.is(video.length, 75);
    for (const name of ['both.mp4', 'both.mkv', 'video.mp4', 'silent.mp4'])
      assert.equal(await packets(join(folder, 'out', name), 'v'), video, name);
    for (const name of ['both.mp4', 'both.mkv', 'audio.mp4', 'only.m4a', 'back.mp4'])
      assert.equal(await packets(join(folder, 'out', name), 'a'), audio, name);
    const decoded = await frames(join(folder, 'in.mp4'));
    for (const name of ['both.ts', 'back.mp4'])
      assert.equal(await frames(join(folder, 'out', name)), decoded);
    assert.is(job.output_media_files[4]?.audio_codec, 'mp3');
    assert.is(job.output_media_files[5]?.width, 160);
    const fields = (job.warnings ?? []).map(({ field, message }) => `${field} ${message}`);
    assert.equal(fields, [
      'outputs[0].width has no effect: the video is copied',
      'outputs[0].audio_bitrate has no effect: the audio is copied',
    ]);
  }));

test('HEVC is copied into MP4 with the tag hvc1, and no container gets a codec that it does not support', () =>
  withDaemon(async (daemon, folder) => {
    const job = await finish(daemon, folder, [
      { label: 'hevc', video_codec: 'hevc', url: `file://${folder}/out/a.mkv`, clip_length: 1 },
      { source: 'hevc', copy_video: true, copy_audio: true, url: `file://${folder}/out/b.mp4` },
    ]);
    assert.equal(
      job.output_media_files.map(({ error_class }) => error_class),
      [null, null],
    );
    assert.is(await tagOf(join(folder, 'out/b.mp4')), 'hvc1');
    const webm = { copy_video: true, url: `file://${folder}/out/c.webm` };
    const failed = await finish(daemon, folder, [webm]);
    assert.is(failed.output_media_files[0]?.error_class, 'InvalidCodecCombinationError');
    const rejected = await daemon
      .create({ input: `file://${folder}/in.mp4`, outputs: [{ label: 'a' }, { ...webm, source: 'a' }] })
      .catch((error: Error) => error.message);
    assert.match(
      String(rejected),
      /outputs\[1\]\.copy_video cannot be copied into \.webm, which does not support h264/,
    );
  }));

test('a copied clip starts at a keyframe, and a warning says so', () =>
  withDaemon(async (daemon, folder) => {
    const clip = { start_clip: 1.5, clip_length: 1 };
    const job = await finish(daemon, folder, [
      { ...clip, copy_video: true, copy_audio: true, url: `file://${folder}/out/a.mp4` },
    ]);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    assert.match(JSON.stringify(job.output_media_files[0]), /starts at [\d.]+ seconds, at a keyframe,/);
    const whole = await frames(join(folder, 'in.mp4'));
    const [first = ''] = await frames(join(folder, 'out/a.mp4'));
    assert.is(whole.indexOf(first), 25);
  }));

test('a copy names what its container does not store of the display', () =>
  withDaemon(async (daemon, folder) => {
    await execute('ffmpeg', [
      ...['-v', 'error', '-i', join(folder, 'in.mp4'), '-c', 'copy', '-aspect', '4:3'],
      ...['-metadata:s:v', 'rotate=90', join(folder, 'turned.mp4')],
    ]);
    const copied = async (filename: string) => {
      const job = await daemon.waitForJob(
        await daemon.create({
          input: `file://${join(folder, 'turned.mp4')}`,
          outputs: [{ url: `file://${join(folder, filename)}`, copy: true }],
        }),
      );
      assert.is(job.state, 'finished', JSON.stringify(job));
      return JSON.stringify(job);
    };
    const lost = await copied('lost.ts');
    assert.match(lost, /lost its rotation \(\d+ degrees\), which the container does not store/);
    assert.match(lost, /lost its sample aspect ratio \(3:4\)/);
    assert.not.match(await copied('kept.mp4'), 'lost its');
  }));

test('a file that cannot be read is not copied', () =>
  withDaemon(async (daemon, folder) => {
    await writeFile(join(folder, 'in.mp4'), 'not media');
    const job = await finish(daemon, folder, [{ copy_video: true }]);
    assert.is(job.state, 'failed');
  }));

test('with auto, a stream is copied if it already is as requested, and encoded otherwise', () =>
  withDaemon(async (daemon, folder) => {
    const auto = { copy_video: 'auto', copy_audio: 'auto' };
    const cases = [
      ['same.mp4', {}, 'va'],
      ['same.mkv', { width: 320, height: 180, max_video_bitrate: 100_000 }, 'va'],
      ['profile.mp4', { h264_profile: 'high', h264_level: '4' }, 'va'],
      ['main.mp4', { h264_profile: 'main' }, 'a'],
      ['low.mp4', { h264_level: '1' }, 'a'],
      ['small.mp4', { width: 160 }, 'a'],
      ['mono.mp4', { audio_channels: 2 }, 'v'],
    ] as const;
    const job = await finish(
      daemon,
      folder,
      cases.map(([name, settings]) => ({ url: `file://${folder}/out/${name}`, ...auto, ...settings })),
    );
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    for (const [index, [name, , copied]] of cases.entries()) {
      for (const stream of ['v', 'a'] as const) {
        const [before, after] = [join(folder, 'in.mp4'), join(folder, 'out', name)];
        const isSame =
          JSON.stringify(await packets(before, stream)) === JSON.stringify(await packets(after, stream));
        assert.is(isSame, copied.includes(stream), `${stream} of ${name}`);
      }
      const notes = (job.output_media_files[index]?.warnings ?? []).filter((text) =>
        /^The (video|audio) is /.test(text),
      );
      assert.is(notes.filter((text) => text.includes('is copied')).length, copied.length, notes.join());
      assert.is(notes.length, 2);
    }
  }));

test.run();
