import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { OutputDetails } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { type ParsedPlaylist, parsePlaylist } from '../helpers/hls.js';
import { makeMedia, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { packets } from './packets.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const execute = promisify(execFile);

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

const test = daemonSuite<Context>('segmented outputs', async (context) => {
  context.folder = tempFolder();
  const input = (name: string, args: readonly string[]) => makeMedia(join(context.folder, name), args);
  await input('film.mp4', [
    ...testVideo('320x180', 30000 / 1001, 13),
    ...testTone(13),
    ...h264,
    '-c:a',
    'aac',
  ]);
  await input('sparse.mp4', [...testVideo('160x90', 25, 9), ...h264, '-g', '125', '-sc_threshold', '0']);
  await input('slow.mp4', [...testVideo('160x90', 1, 9), ...testTone(9), ...h264, '-c:a', 'aac']);
  await input('short.mp4', [...testVideo('160x90', 25, 1), ...h264]);
  await input('tone.mp3', [...testTone(25), '-c:a', 'libmp3lame']);
  return { filesRoots: [context.folder] };
});

/** Runs a job and returns the folder of its files and its output details. */
async function run({ daemon, folder }: Context, input: string, outputs: readonly object[]) {
  const out = tempFolder();
  const to = outputs.map((output) => ({
    url: `file://${folder}/${out.replaceAll('/', '_')}/film.m3u8`,
    ...output,
  }));
  const id = await daemon.create({ input: `file://${folder}/${input}`, outputs: to });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  const details = await Promise.all(
    job.output_media_files.map((file) => daemon.read<OutputDetails>(`/v2/outputs/${file.id}`)),
  );
  const places = details.map(({ url }) => (url ?? '').replace('file://', ''));
  return { job, details, places };
}

const read = (path: string): ParsedPlaylist => parsePlaylist(readFileSync(path, 'utf8'));
const next = (playlist: string, name: string) => join(playlist, '..', decodeURIComponent(name));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Writes the bytes of each segment into a file of its own, as a player receives them. */
function separateSegments(path: string): readonly string[] {
  const folder = tempFolder();
  return read(path).segments.map(({ uri, range }, index) => {
    const bytes = readFileSync(next(path, uri));
    const file = join(folder, `${index}.ts`);
    writeFileSync(file, range === null ? bytes : bytes.subarray(range.offset, range.offset + range.size));
    return file;
  });
}

/** The frames that a file has when it is decoded alone. Fails on any error of the decoder. */
async function decodedFrames(path: string, stream: 'v' | 'a'): Promise<number> {
  const { stdout } = await execute(
    'ffmpeg',
    ['-v', 'error', '-xerror', '-i', path, '-map', `0:${stream}`, '-f', 'framemd5', '-'],
    { maxBuffer: 1 << 26 },
  );
  return stdout.split('\n').filter((line) => /^\d/.test(line)).length;
}

/** The type of the first slice of an H.264 stream: 5 is that of a keyframe at which decoding can start. */
async function firstSliceType(path: string): Promise<number> {
  const { stdout } = await execute(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:v', '-c', 'copy', '-frames:v', '1', '-f', 'h264', '-'],
    { encoding: 'buffer', maxBuffer: 1 << 26 },
  );
  const types: number[] = [];
  const startCode = Buffer.from([0, 0, 1]);
  for (let at = stdout.indexOf(startCode); at >= 0; at = stdout.indexOf(startCode, at + 3))
    types.push((stdout[at + 3] ?? 0) & 31);
  return types.find((type) => type === 1 || type === 5) ?? 0;
}

/** Checks what holds for every media playlist, and returns the times at which its segments begin. */
async function checkRendition(path: string, { fps, seconds }: { fps: number; seconds: number }) {
  const { tags, segments } = read(path);
  assert.is(tags['EXT-X-ENDLIST'], '');
  assert.is(tags['EXT-X-MEDIA-SEQUENCE'], '0');
  assert.is(tags['EXT-X-PLAYLIST-TYPE'], 'VOD');
  const target = Math.max(...segments.map((one) => Math.round(one.seconds)));
  assert.is(Number(tags['EXT-X-TARGETDURATION']), target);
  for (const { uri } of segments) assert.ok(existsSync(next(path, uri)), uri);
  const files = separateSegments(path);
  const starts: number[] = [];
  let frames = 0;
  for (const [index, file] of files.entries()) {
    const video = await packets(file);
    const times = video.map((packet) => packet.seconds).toSorted((a, b) => a - b);
    const [first] = video;
    assert.ok(first?.isKey, `segment ${index} of ${path} begins with a keyframe`);
    assert.is(first.seconds, times[0]);
    assert.is(await firstSliceType(file), 5, `segment ${index} of ${path}`);
    starts.push(first.seconds);
    // With the packets of audio that ffmpeg writes by default it is up to 0.45 s.
    const [audio] = await packets(file, 'a:0');
    if (audio !== undefined)
      assert.ok(first.seconds - audio.seconds < 0.25, `audio of segment ${index} of ${path}`);
    assert.is(await decodedFrames(file, 'v'), video.length);
    frames += video.length;
  }
  assert.is(frames, Math.round(seconds * fps));
  const total = sum(segments.map((segment) => segment.seconds));
  assert.ok(Math.abs(total - frames / fps) < 1 / fps, `${total} is not ${frames / fps}`);
  for (const [index, { seconds: length }] of segments.entries()) {
    const measured = (starts[index + 1] ?? (starts[0] ?? 0) + frames / fps) - (starts[index] ?? 0);
    assert.ok(Math.abs(length - measured) < 0.001, `segment ${index}: ${length} is not ${measured}`);
  }
  return starts.map((start) => start - 1.4);
}

test('renditions of one job have the same boundaries, and their playlists say what is in the files', async (context) => {
  const { folder } = context;
  const to = (name: string) => ({ url: `file://${folder}/one/${name}` });
  const cut = { type: 'segmented', segment_seconds: 4 } as const;
  const { details, job } = await run(context, 'film.mp4', [
    { ...cut, ...to('high.m3u8'), video_codec_profile: 'high' },
    { ...cut, ...to('low.m3u8'), width: 160, video_codec_profile: 'baseline', audio_bitrate: 48 },
    { ...to('whole.mp4'), label: 'whole', width: 240 },
    { ...cut, ...to('copy.m3u8'), source: 'whole', copy_video: true, copy_audio: true },
    { ...cut, ...to('range.m3u8'), byte_range_segmenting: true, max_hls_protocol_version: 4, width: 96 },
    { ...cut, ...to('hevc file.m3u8'), width: 128, video_codec: 'hevc' },
  ]);
  const fps = 30000 / 1001;
  const names = ['high', 'low', 'copy', 'range'];
  const boundaries = [];
  for (const name of names)
    boundaries.push(await checkRendition(join(folder, 'one', `${name}.m3u8`), { fps, seconds: 390 / fps }));
  for (const times of boundaries)
    assert.equal(
      times.map((time) => time.toFixed(3)),
      [0, 120, 240, 360].map((frame) => (frame / fps).toFixed(3)),
    );
  assert.equal(
    details.map((one) => [one.segments, one.fragment_duration_in_ms, one.format]),
    details.map((_, index) => (index === 2 ? [undefined, undefined, 'mpeg4'] : [4, 4004, 'mpeg-ts'])),
  );
  assert.equal(
    details.map((one) => one.rfc_6381_audio_codec),
    ['mp4a.40.2', 'mp4a.40.2', undefined, 'mp4a.40.2', 'mp4a.40.2', 'mp4a.40.2'],
  );
  assert.match(details[0]?.rfc_6381_video_codec ?? '', /^avc1\.64[0-9A-F]{4}$/);
  assert.match(details[1]?.rfc_6381_video_codec ?? '', /^avc1\.42[0-9A-F]{4}$/);
  assert.match(details[5]?.rfc_6381_video_codec ?? '', /^hvc1\.1\.6\.L\d+\.90$/);
  for (const [index, one] of details.entries()) {
    if (index === 2) continue;
    const path = (one.url ?? '').replace('file://', '').replaceAll('%20', ' ');
    const stem = path.replace(/\.m3u8$/, '');
    const files = readdirSync(join(path, '..'))
      .map((name) => join(path, '..', name))
      .filter((file) => file === path || file === `${stem}.ts` || file.startsWith(`${stem}-`));
    assert.is(one.file_size_in_bytes, sum(files.map((file) => statSync(file).size)), path);
  }
  const inJob = job.output_media_files[0];
  assert.equal([inJob?.segments, inJob?.fragment_duration_in_ms], [4, 4004]);
  assert.ok(readFileSync(join(folder, 'one/hevc file.m3u8'), 'utf8').includes('hevc%20file-00001.ts'));
});

test('a playlist of keyframes lists each as a range that can be decoded with the tables', async (context) => {
  const { places } = await run(context, 'film.mp4', [
    { type: 'segmented', segment_seconds: 4, keyframe_interval: 40, hls_protocol_version: 4, width: 160 },
    {
      ...{ type: 'segmented', segment_seconds: 3, width: 160, byte_range_segmenting: true },
      ...{ generate_keyframe_manifest: true, keyframe_manifest_filename: 'keys only.m3u8' },
      url: `file://${context.folder}/keys/b.m3u8`,
    },
  ]);
  const lists = [next(places[0] ?? '', 'film-iframe-index.m3u8'), next(places[1] ?? '', 'keys only.m3u8')];
  for (const [index, path] of lists.entries()) {
    const { tags, segments } = read(path);
    assert.equal([tags['EXT-X-I-FRAMES-ONLY'], tags['EXT-X-VERSION']], ['', '4']);
    const [, map = '', size = ''] = /URI="([^"]+)",BYTERANGE="(\d+)@0"/.exec(tags['EXT-X-MAP'] ?? '') ?? [];
    const tables = readFileSync(next(path, map)).subarray(0, Number(size));
    const times = [];
    for (const { uri, range } of segments) {
      const { offset, size: bytes } = range ?? { offset: 0, size: 0 };
      const file = join(tempFolder(), 'keyframe.ts');
      writeFileSync(
        file,
        Buffer.concat([tables, readFileSync(next(path, uri)).subarray(offset, offset + bytes)]),
      );
      const video = await packets(file);
      assert.equal([video.length, video[0]?.isKey], [1, true]);
      assert.is(await decodedFrames(file, 'v'), 1);
      times.push(video[0]?.seconds ?? 0);
    }
    const whole = separateSegments(places[index] ?? '');
    const keys = (await Promise.all(whole.map((path) => packets(path)))).flat().filter(({ isKey }) => isKey);
    assert.equal(
      times,
      keys.map(({ seconds }) => seconds),
    );
    assert.ok(keys.length > (index === 0 ? 9 : 4));
    assert.ok(Math.abs(sum(segments.map(({ seconds }) => seconds)) - 13.013) < 0.034);
  }
});

test('before version 3, durations are whole seconds', async (context) => {
  const { places } = await run(context, 'film.mp4', [
    { type: 'segmented', segment_seconds: 2.5, max_hls_protocol_version: 2, width: 96 },
  ]);
  const text = readFileSync(places[0] ?? '', 'utf8');
  assert.match(text, '#EXT-X-VERSION:2\n');
  const seconds = [...text.matchAll(/#EXTINF:(\d+),\n/g)].map(([, value]) => Number(value));
  assert.is(seconds.length, 6);
  assert.is(sum(seconds), 13);
  assert.not.match(text, 'INDEPENDENT');
});

test('copied video is cut at its own keyframes, and a warning names the longest segment', async (context) => {
  const { details, places } = await run(context, 'sparse.mp4', [
    { type: 'segmented', segment_seconds: 2, copy_video: true },
    {
      type: 'segmented',
      segment_seconds: 2,
      copy_video: 'auto',
      url: `file://${context.folder}/auto/a.m3u8`,
    },
  ]);
  const { segments, tags } = read(places[0] ?? '');
  assert.equal(
    segments.map(({ seconds }) => seconds),
    [5, 4],
  );
  assert.is(tags['EXT-X-TARGETDURATION'], '5');
  assert.match(JSON.stringify(details[0]?.warnings), 'The longest segment has 5.0 seconds instead of 2');
  assert.is(details[1]?.segments, 5);
  assert.match(JSON.stringify(details[1]?.warnings), 'keyframes');
});

test('inputs with few frames, one segment or no video are cut as well', async (context) => {
  const slow = await run(context, 'slow.mp4', [{ type: 'segmented', segment_seconds: 2 }]);
  assert.equal(
    read(slow.places[0] ?? '').segments.map(({ seconds }) => seconds),
    [2, 2, 2, 2, 1],
  );
  const short = await run(context, 'short.mp4', [{ type: 'segmented' }]);
  assert.equal(
    read(short.places[0] ?? '').segments.map(({ seconds }) => seconds),
    [1],
  );
  const audio = await run(context, 'tone.mp3', [
    { type: 'segmented', url: `file://${context.folder}/audio/a.m3u8` },
    {
      type: 'segmented',
      audio_codec: 'mp3',
      byte_range_segmenting: true,
      url: `file://${context.folder}/audio/b.m3u8`,
    },
  ]);
  for (const [index, path] of audio.places.entries()) {
    const { segments } = read(path);
    assert.is(segments.length, 3);
    assert.ok(
      Math.abs(sum(segments.map(({ seconds }) => seconds)) - 25) < 0.06,
      `${path} ${sum(segments.map(({ seconds }) => seconds))}`,
    );
    for (const { seconds } of segments.slice(0, 2)) assert.ok(Math.abs(seconds - 10) < 0.5, `${seconds}`);
    let frames = 0;
    for (const file of separateSegments(path)) frames += await decodedFrames(file, 'a');
    assert.ok(frames >= (25 * 44100) / (index === 0 ? 1024 : 1152), `${frames}`);
    const { rfc_6381_video_codec: video, rfc_6381_audio_codec: codec } = audio.details[index] ?? {};
    assert.equal([video, codec], [undefined, index === 0 ? 'mp4a.40.2' : 'mp4a.40.34']);
  }
});

test.run();
