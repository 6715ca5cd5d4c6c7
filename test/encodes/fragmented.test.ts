import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputDetails } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { type ListedSegment, parsePlaylist } from '../helpers/hls.js';
import { parseManifest } from '../helpers/manifests.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { packets } from './packets.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
  details: readonly OutputDetails[];
}

const test = suite<Context>('segments of fragmented MP4');
const execute = promisify(execFile);

const seconds = 13;
const fps = 25;
const cut = { type: 'segmented', segment_seconds: 4, width: 160, video_codec_profile: 'high' } as const;

/** An output for each kind of fragmented MP4. The last one is the reference: the same encode in one file. */
const outputs = {
  together: { ...cut, format: 'm4f', generate_keyframe_manifest: true },
  ranges: { ...cut, format: 'm4f', byte_range_segmenting: true },
  cmaf: { ...cut, packaging: 'cmaf' },
  dash: { ...cut, streaming_delivery_format: 'dash' },
  indexed: { ...cut, streaming_delivery_format: 'dash', streaming_delivery_profile: 'on_demand' },
  encrypted: { ...cut, format: 'm4f', encryption_key: '0'.repeat(32) },
  silent: { ...cut, packaging: 'cmaf', skip_audio: true },
  audio: { type: 'segmented', segment_seconds: 4, packaging: 'cmaf', skip_video: true },
  hevc: { ...cut, packaging: 'cmaf', video_codec: 'hevc', video_codec_profile: undefined, width: 96 },
} as const;
type Name = keyof typeof outputs;

test.before(async (context) => {
  context.folder = tempFolder();
  const film = [
    ...testVideo('320x180', fps, seconds),
    ...testTone(seconds),
    '-c:v',
    'libx264',
    '-c:a',
    'aac',
  ];
  await makeMedia(join(context.folder, 'film.mp4'), [...film, '-pix_fmt', 'yuv420p', '-preset', 'ultrafast']);
  context.daemon = await startTestDaemon({ filesRoots: [context.folder] });
  const id = await context.daemon.create({
    input: `file://${context.folder}/film.mp4`,
    outputs: [
      ...Object.entries(outputs).map(([name, output]) => ({ ...output, url: urlOf(context, name) })),
      {
        width: 160,
        video_codec_profile: 'high',
        forced_keyframe_rate: 0.25,
        url: `file://${context.folder}/whole.mp4`,
      },
    ],
  });
  const job = await context.daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  context.details = await Promise.all(
    job.output_media_files.map((file) => context.daemon.read<OutputDetails>(`/v2/outputs/${file.id}`)),
  );
});
test.after(({ daemon }) => daemon.stop());

function urlOf({ folder }: Pick<Context, 'folder'>, name: string): string {
  return `file://${folder}/${name}/film.${/dash|indexed/.test(name) ? 'mpd' : 'm3u8'}`;
}

const pathOf = ({ folder }: Context, name: Name, file: string) => join(folder, name, file);
const textOf = (context: Context, name: Name, file: string) =>
  readFileSync(pathOf(context, name, file), 'utf8');
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The bytes of a segment, or of a part of a file. */
function bytesOf(context: Context, name: Name, { uri, range }: Pick<ListedSegment, 'uri' | 'range'>): Buffer {
  const bytes = readFileSync(pathOf(context, name, uri));
  return range === null ? bytes : bytes.subarray(range.offset, range.offset + range.size);
}

/** The header that a playlist names. */
function headerOf(context: Context, name: Name, map: string): Buffer {
  const [, uri = '', size, offset] = /URI="([^"]+)"(?:,BYTERANGE="(\d+)@(\d+)")?/.exec(map) ?? [];
  const range = size === undefined ? null : { size: Number(size), offset: Number(offset) };
  return bytesOf(context, name, { uri, range });
}

/** A file with a header and some segments. */
function playable(header: Buffer, segments: readonly Buffer[]): string {
  const path = join(tempFolder(), 'part.mp4');
  writeFileSync(path, Buffer.concat([header, ...segments]));
  return path;
}

/** A hash of the decoded video. Fails on any error of the decoder. */
async function hashOf(path: string, options: readonly string[] = []): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const input = ['-v', 'error', '-xerror', ...options, '-i', path];
  const args = [...input, '-map', '0:v', '-vsync', '0', '-f', 'md5', '-'];
  return (await execute(ffmpeg.path, args)).stdout;
}

/** Checks that two files have the same audio at the same time, but for the rounding of the decoder. */
async function checkAudio(path: string, reference: string): Promise<void> {
  const { ffmpeg } = await testFfmpeg();
  const [one, other] = await Promise.all(
    [path, reference].map(async (file) => {
      const args = ['-v', 'error', '-xerror', '-i', file, '-map', '0:a', '-ac', '1', '-f', 's16le', '-'];
      const { stdout } = await execute(ffmpeg.path, args, { encoding: 'buffer', maxBuffer: 1 << 26 });
      return new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 2));
    }),
  );
  const length = other?.length ?? 0;
  assert.ok(Math.abs((one?.length ?? 0) - length) <= 1024, `${one?.length} samples are not ${length}`);
  // The first frames differ: encoders write a frame to start their filters, which segments do not have.
  for (let at = 4096; at < length - 2048; at += 1)
    if (Math.abs((one?.[at] ?? 0) - (other?.[at] ?? 0)) > 64) assert.unreachable(`sample ${at} differs`);
}

/** Checks a media playlist of video: each segment decodes alone from a keyframe, at the time that the playlist says. */
async function checkVideo(context: Context, name: Name, file: string): Promise<string> {
  const { tags, segments } = parsePlaylist(textOf(context, name, file));
  assert.equal([tags['EXT-X-VERSION'], tags['EXT-X-TARGETDURATION']], ['6', '4']);
  assert.equal(
    segments.map((segment) => segment.seconds),
    [4, 4, 4, 1],
  );
  const header = headerOf(context, name, tags['EXT-X-MAP'] ?? '');
  const all = segments.map((segment) => bytesOf(context, name, segment));
  let frames = 0;
  for (const bytes of all) {
    const path = playable(header, [bytes]);
    const video = await packets(path);
    assert.ok(video[0]?.isKey);
    assert.is(video[0]?.seconds, Math.min(...video.map((packet) => packet.seconds)));
    await hashOf(path);
    frames += video.length;
  }
  assert.is(frames, seconds * fps);
  const whole = playable(header, all);
  const starts = (await packets(whole)).filter(({ isKey }) => isKey).map((packet) => packet.seconds);
  assert.equal(
    starts.map((start) => Math.round((start - (starts[0] ?? 0)) * fps)),
    [0, 100, 200, 300],
  );
  return whole;
}

test('video and audio in the same segments decode to the frames and samples of one file', async (context) => {
  const reference = join(context.folder, 'whole.mp4');
  for (const name of ['together', 'ranges'] as const) {
    const path = await checkVideo(context, name, 'film.m3u8');
    assert.is(await hashOf(path), await hashOf(reference), name);
    await checkAudio(path, reference);
  }
});

test('encrypted segments decrypt to the same frames', async (context) => {
  const { tags, segments } = parsePlaylist(textOf(context, 'encrypted', 'film.m3u8'));
  const path = pathOf(context, 'encrypted', 'film.m3u8');
  const text = textOf(context, 'encrypted', 'film.m3u8');
  assert.ok(text.indexOf('#EXT-X-MAP') < text.indexOf('#EXT-X-KEY'));
  assert.equal([segments.length, tags['EXT-X-VERSION']], [4, '6']);
  const allowed = ['-allowed_extensions', 'ALL', '-protocol_whitelist', 'file,crypto'];
  assert.is(await hashOf(path, allowed), await hashOf(join(context.folder, 'whole.mp4')));
});

test('each keyframe is a range that decodes behind the header', async (context) => {
  const { tags, segments } = parsePlaylist(textOf(context, 'together', 'film-iframe-index.m3u8'));
  assert.is(segments.length, 4);
  const header = headerOf(context, 'together', tags['EXT-X-MAP'] ?? '');
  for (const segment of segments) {
    const { ffmpeg } = await testFfmpeg();
    const path = playable(header, [bytesOf(context, 'together', segment)]);
    const args = ['-v', 'quiet', '-i', path, '-map', '0:v', '-frames:v', '1', '-f', 'framemd5', '-'];
    const { stdout } = await execute(ffmpeg.path, args);
    assert.is(stdout.split('\n').filter((line) => /^\d/.test(line)).length, 1);
  }
});

test('CMAF has a playlist for each track, and one manifest over the same segments', async (context) => {
  const video = await checkVideo(context, 'cmaf', 'film-video.m3u8');
  assert.is(await hashOf(video), await hashOf(join(context.folder, 'whole.mp4')));
  const audio = parsePlaylist(textOf(context, 'cmaf', 'film-audio.m3u8'));
  const header = headerOf(context, 'cmaf', audio.tags['EXT-X-MAP'] ?? '');
  const samples = playable(
    header,
    audio.segments.map((segment) => bytesOf(context, 'cmaf', segment)),
  );
  await checkAudio(samples, join(context.folder, 'whole.mp4'));
  for (const [index, { seconds: length }] of audio.segments.entries())
    assert.ok(Math.abs(length - (index === 3 ? 1 : 4)) < 0.05, `${length}`);
  const { streams, media } = parsePlaylist(textOf(context, 'cmaf', 'film.m3u8'));
  const [stream] = streams;
  assert.equal([stream?.uri, stream?.AUDIO, media[0]?.URI], ['film-video.m3u8', 'audio', 'film-audio.m3u8']);
  assert.equal([stream?.RESOLUTION, stream?.['FRAME-RATE']], ['160x90', '25.000']);
  assert.match(stream?.CODECS ?? '', /^avc1\.64[0-9A-F]{4},mp4a\.40\.2$/);
  const sizes = [1, 2, 3, 4].map((number) =>
    sum(
      ['video', 'audio'].map(
        (track) => readFileSync(pathOf(context, 'cmaf', `film-${track}-0000${number}.m4s`)).length,
      ),
    ),
  );
  const peak = Math.max(...sizes.slice(0, 3).map((size) => (size * 8) / 4));
  const average = (sum(sizes) * 8) / seconds;
  const declared = Number(stream?.BANDWIDTH);
  assert.ok(
    declared >= Math.max(peak, average) && declared <= 1.1 * Math.max(peak, average),
    `${declared} ${peak}`,
  );
  assert.ok(Math.abs(Number(stream?.['AVERAGE-BANDWIDTH']) / average - 1) < 0.01);
  const manifest = parseManifest(textOf(context, 'cmaf', 'film.mpd'));
  assert.equal(
    manifest.playlists[0]?.segments.map(({ uri, duration }) => [uri, duration]),
    [4, 4, 4, 1].map((duration, index) => [`film-video-0000${index + 1}.m4s`, duration]),
  );
  assert.is(manifest.playlists[0]?.segments[0]?.map.uri, 'film-video-init.mp4');
  assert.equal(manifest.playlists[0]?.attributes.RESOLUTION, { width: 160, height: 90 });
});

test('a rendition of one track has one playlist and one manifest', (context) => {
  for (const [name, track] of [
    ['silent', 'video'],
    ['audio', 'audio'],
  ] as const) {
    const { segments, tags } = parsePlaylist(textOf(context, name, 'film.m3u8'));
    assert.is(tags['EXT-X-MAP'], `URI="film-${track}-init.mp4"`);
    assert.ok(Math.abs(sum(segments.map((segment) => segment.seconds)) - seconds) < 0.05);
    assert.is(segments[0]?.uri, `film-${track}-00001.m4s`);
    assert.ok(textOf(context, name, 'film.mpd').includes(`contentType="${track}"`));
  }
});

test('DASH has segments by number, or one file of each track with an index', async (context) => {
  const live = parseManifest(textOf(context, 'dash', 'film.mpd'));
  assert.is(sum(live.playlists[0]?.segments.map(({ duration }) => duration) ?? []), seconds);
  assert.ok(Math.abs(live.duration - seconds) < 0.05);
  const [indexed] = parseManifest(textOf(context, 'indexed', 'film.mpd')).playlists;
  const { offset = 0, length = 0 } = indexed?.sidx?.byterange ?? {};
  const file = readFileSync(pathOf(context, 'indexed', 'film-video.mp4'));
  assert.is(file.toString('latin1', offset + 4, offset + 8), 'sidx');
  assert.is(file.readUInt32BE(offset), length);
  const entries = Array.from(
    { length: file.readUInt16BE(offset + 30) },
    (_, index) => offset + 32 + index * 12,
  );
  assert.is(entries.length, 4);
  assert.is(sum(entries.map((at) => file.readUInt32BE(at))), file.length - offset - length);
  assert.is(
    await hashOf(pathOf(context, 'indexed', 'film-video.mp4')),
    await hashOf(join(context.folder, 'whole.mp4')),
  );
  const { stdout } = await execute('xmllint', ['--noout', pathOf(context, 'dash', 'film.mpd')]).catch(
    (error) => (error.code === 'ENOENT' ? { stdout: '' } : Promise.reject(error)),
  );
  assert.is(stdout, '');
});

test('records have the segments, their codecs and the size of all files', (context) => {
  const facts = context.details
    .slice(0, -1)
    .map((one) => [one.format, one.segments, one.fragment_duration_in_ms]);
  const expected = Object.keys(outputs).map((name) => ['mpeg4', 4, name === 'audio' ? facts[7]?.[2] : 4000]);
  assert.equal(facts, expected);
  assert.match(context.details[8]?.rfc_6381_video_codec ?? '', /^hvc1\.1\.6\.L\d+\.90$/);
  const size = sum(
    ['film.mpd', 'film-audio.mp4', 'film-video.mp4'].map(
      (file) => readFileSync(pathOf(context, 'indexed', file)).length,
    ),
  );
  assert.is(context.details[4]?.file_size_in_bytes, size);
});

test.run();
