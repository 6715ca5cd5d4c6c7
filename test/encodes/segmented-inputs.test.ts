import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const execute = promisify(execFile);
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** What is special about an input, its arguments, the durations of its segments of two seconds, and the number of its frames. */
const inputs: Readonly<
  Record<
    string,
    {
      readonly args: readonly string[];
      readonly name: string;
      readonly frames: number;
      readonly segments: readonly number[];
    }
  >
> = {
  'frames at varying times': {
    name: 'vfr.mkv',
    // Of the first second all frames, of the others a few: at 1, 1.8, 2.6 seconds and so on.
    args: [
      ...testVideo('64x48', 25, 7),
      ...testTone(7),
      ...['-vf', "select='lt(n,25)+not(mod(n-25,20))'", '-vsync', 'vfr', ...h264, '-c:a', 'aac'],
    ],
    frames: 33,
    // The duration of the last frame is not in the file.
    segments: [2.6, 1.6, 2.4],
  },
  'one frame in a second': {
    name: 'slow.mp4',
    args: [...testVideo('64x48', 1, 7), ...testTone(7), ...h264, '-c:a', 'aac'],
    frames: 7,
    segments: [2, 2, 2, 1],
  },
  // The encoder returns the first frame after more than ten seconds of audio.
  'one frame in a second for long': {
    name: 'slides.mp4',
    args: [...testVideo('64x48', 1, 24), ...testTone(24), ...h264, '-c:a', 'aac'],
    frames: 24,
    segments: Array(12).fill(2),
  },
  'still frames, whose segments have a few packets': {
    name: 'still.mp4',
    args: ['-f', 'lavfi', '-i', 'color=s=64x48:r=1:d=6', ...h264],
    frames: 6,
    segments: [2, 2, 2],
  },
  'less than a segment': {
    name: 'short.mp4',
    args: [...testVideo('64x48', 25, 0.4), ...testTone(0.4), ...h264, '-c:a', 'aac'],
    frames: 10,
    segments: [0.4],
  },
  'one frame': {
    name: 'frame.mp4',
    args: [...testVideo('64x48', 25, 1), '-frames:v', '1', ...h264],
    frames: 1,
    segments: [0.04],
  },
  'no audio': {
    name: 'silent.mp4',
    args: [...testVideo('64x48', 25, 5), ...h264],
    frames: 125,
    segments: [2, 2, 1],
  },
  'a late start': {
    name: 'late.ts',
    args: [...testVideo('64x48', 25, 5), ...testTone(5), ...h264, '-c:a', 'aac', '-output_ts_offset', '4000'],
    frames: 125,
    segments: [2, 2, 1],
  },
  'audio that ends early': {
    name: 'half.mp4',
    args: [...testVideo('64x48', 25, 5), ...testTone(2), ...h264, '-c:a', 'aac'],
    frames: 125,
    segments: [2, 2, 1],
  },
  'video that begins late': {
    name: 'gap.mkv',
    args: ['-itsoffset', '1', ...testVideo('64x48', 25, 4), ...testTone(5), ...h264, '-c:a', 'aac'],
    // The playlist begins with the first frame.
    frames: 100,
    segments: [2, 2],
  },
};

const forms = {
  ts: { type: 'segmented', segment_seconds: 2 },
  'fragmented MP4': { type: 'segmented', segment_seconds: 2, format: 'm4f' },
  CMAF: { type: 'segmented', segment_seconds: 2, packaging: 'cmaf' },
} as const;

const test = daemonSuite<Context>('unusual inputs of segmented outputs', async (context) => {
  context.folder = tempFolder();
  for (const { args, name } of Object.values(inputs)) await makeMedia(join(context.folder, name), args);
  await makeMedia(join(context.folder, 'sparse.mp4'), [
    ...[...testVideo('64x48', 25, 9), ...testTone(9), ...h264, '-c:a', 'aac'],
    ...['-g', '125', '-sc_threshold', '0'],
  ]);
  await makeMedia(join(context.folder, 'longer.mp4'), [
    ...[...testVideo('64x48', 25, 3), ...testTone(7), ...h264, '-c:a', 'aac'],
  ]);
  await makeMedia(join(context.folder, 'open.mp4'), [
    ...[...testVideo('64x48', 25, 8), '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
    ...['-x264-params', 'open-gop=1:keyint=50:bframes=3:b-adapt=0:scenecut=0'],
  ]);
  return { filesRoots: [context.folder] };
});

async function run({ daemon, folder }: Context, input: string, output: object): Promise<JobRecord> {
  const id = await daemon.create({ input: `file://${folder}/${input}`, outputs: [output] });
  return daemon.waitForJob(id);
}

/** The number of frames that a decoder finds behind an address. It must find no error. */
async function frameCount(path: string): Promise<number> {
  const { ffmpeg } = await testFfmpeg();
  const options = ['-v', 'error', '-xerror', '-allowed_extensions', 'ALL', '-i', path];
  const { stdout, stderr } = await execute(ffmpeg.path, [
    ...options,
    '-map',
    '0:v',
    '-vsync',
    '0',
    '-f',
    'framecrc',
    '-',
  ]);
  assert.is(stderr, '');
  return stdout.split('\n').filter((line) => /^\d/.test(line)).length;
}

/** The playlist of the video of an output: CMAF has one of each track, unless there is only one track. */
function videoPlaylist(path: string): string {
  const own = path.replace('.m3u8', '-video.m3u8');
  return existsSync(own) ? own : path;
}

for (const [form, settings] of Object.entries(forms))
  for (const [what, { name, frames, segments }] of Object.entries(inputs)) {
    test(`an input with ${what} plays as ${form}`, async (context) => {
      const path = join(context.folder, `${form} ${name}`, 'film.m3u8');
      const url = `file://${encodeURI(path)}`;
      const job = await run(context, name, { ...settings, url });
      const [output] = job.output_media_files;
      assert.is(output?.state, 'finished', output?.error_message ?? '');
      const listed = parsePlaylist(readFileSync(videoPlaylist(path), 'utf8')).segments;
      const rounded = listed.map(({ seconds }) => Math.round(seconds * 100) / 100);
      if (what === 'frames at varying times') assert.ok((rounded.pop() ?? 1) < 1);
      assert.not.match(output?.warnings?.join() ?? '', 'its audio is longer');
      assert.equal(rounded, segments);
      assert.is(await frameCount(videoPlaylist(path)), frames);
    });
  }

for (const [form, settings] of Object.entries(forms)) {
  test(`audio that goes on after the video plays to its end as ${form}`, async (context) => {
    const path = join(context.folder, `longer ${form}`, 'film.m3u8');
    const job = await run(context, 'longer.mp4', { ...settings, url: `file://${encodeURI(path)}` });
    const [output] = job.output_media_files;
    assert.is(output?.state, 'finished', output?.error_message ?? '');
    const durations = (playlist: string) =>
      parsePlaylist(readFileSync(playlist, 'utf8')).segments.map(
        ({ seconds }) => Math.round(seconds * 10) / 10,
      );
    const isCmaf = form === 'CMAF';
    assert.equal(durations(videoPlaylist(path)), isCmaf ? [2, 1] : [2, 5]);
    if (isCmaf) assert.equal(durations(path.replace('.m3u8', '-audio.m3u8')), [2, 2, 2, 1]);
    assert.is(output?.warnings?.some((text) => text.includes('its audio is longer')) ?? false, !isCmaf);
    assert.ok(Math.abs((output?.duration_in_ms ?? 0) - 7000) < 50, `${output?.duration_in_ms}`);
  });

  test(`copied video whose frames need those before their keyframe has a warning as ${form}, and no promise`, async (context) => {
    const path = join(context.folder, `open ${form}`, 'film.m3u8');
    const copied = { ...settings, copy_video: true, url: `file://${encodeURI(path)}` };
    const [output] = (await run(context, 'open.mp4', copied)).output_media_files;
    assert.is(output?.state, 'finished', output?.error_message ?? '');
    assert.match(output?.warnings?.join() ?? '', /need the segment before \(open GOP\)/);
    const { tags } = parsePlaylist(readFileSync(videoPlaylist(path), 'utf8'));
    assert.is(tags['EXT-X-INDEPENDENT-SEGMENTS'], undefined);
  });
}

test('the audio or the video alone of a film is complete, if it is shorter than the other', async (context) => {
  const { daemon, folder } = context;
  const to = (name: string) => ({ url: `file://${folder}/alone/${name}` });
  for (const [input, seconds] of [
    ['half.mp4', [5, 2]],
    ['longer.mp4', [3, 7]],
    ['gap.mkv', [4, 5]],
  ] as const) {
    const id = await daemon.create({
      input: `file://${folder}/${input}`,
      outputs: [
        { ...to(`${input}.v.m3u8`), type: 'segmented', skip_audio: true },
        { ...to(`${input}.m4a`), skip_video: true },
      ],
    });
    const { output_media_files: outputs } = await daemon.waitForJob(id);
    assert.equal(
      outputs.map(({ state, duration_in_ms }) => [state, Math.round((duration_in_ms ?? 0) / 1000)]),
      seconds.map((one) => ['finished', one]),
      JSON.stringify(outputs),
    );
  }
});

for (const [form, settings] of Object.entries(forms)) {
  test(`copied video with few keyframes has long segments as ${form}, and a warning`, async (context) => {
    const path = join(context.folder, `copied ${form}`, 'film.m3u8');
    const job = await run(context, 'sparse.mp4', {
      ...settings,
      copy_video: true,
      url: `file://${encodeURI(path)}`,
    });
    const [output] = job.output_media_files;
    assert.is(output?.state, 'finished', output?.error_message ?? '');
    const { segments, tags } = parsePlaylist(readFileSync(videoPlaylist(path), 'utf8'));
    assert.equal(
      segments.map(({ seconds }) => seconds),
      [5, 4],
    );
    assert.is(tags['EXT-X-TARGETDURATION'], '5');
    assert.is(await frameCount(videoPlaylist(path)), 225);
    assert.match(
      output?.warnings?.join() ?? '',
      /^The longest segment has 5\.0 seconds instead of 2, because/,
    );
  });

  test(`an input without video has no video as ${form}`, async (context) => {
    const folder = join(context.folder, `audio ${form}`);
    await makeMedia(join(context.folder, 'tone.m4a'), [...testTone(5), '-c:a', 'aac']);
    const job = await run(context, 'tone.m4a', { ...settings, url: `file://${encodeURI(folder)}/a.m3u8` });
    const [output] = job.output_media_files;
    assert.is(output?.state, 'finished', output?.error_message ?? '');
    const { segments } = parsePlaylist(readFileSync(join(folder, 'a.m3u8'), 'utf8'));
    const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0);
    assert.ok(Math.abs(seconds - 5) < 0.05, `${seconds} seconds`);
    assert.is(segments.length, 3);
  });
}

test('a file that is not media is one sentence, and leaves nothing', async (context) => {
  const { folder } = context;
  const url = `file://${folder}/none/a.m3u8`;
  await execute('cp', [new URL(import.meta.url).pathname, join(folder, 'text.mp4')]);
  const job = await run(context, 'text.mp4', { ...forms.CMAF, url });
  assert.is(job.input_media_file.error_message, 'The file is plain text.');
  assert.equal(readdirSync(folder).includes('none'), false);
});

test.run();
