import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { parsePlaylist } from '../helpers/hls.js';
import { type ManifestSegment, parseManifest } from '../helpers/manifests.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('ladders of renditions');

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const seconds = 7;

/** Makes an input and a ladder of it, and returns the folder of the ladder. */
async function ladderOf(input: readonly string[], flags: readonly string[]): Promise<string> {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), input);
  const { ffmpeg, ffprobe } = await testFfmpeg();
  const out = join(folder, 'out');
  const places: Readonly<Record<string, string>> = { OUT: out, OUT_URL: pathToFileURL(out).href };
  const programs = ['--ffmpeg', ffmpeg.path, '--ffprobe', ffprobe.path, '--speed', '5'];
  const result = await runCli(
    ['run', join(folder, 'film.mp4'), ...flags.map((flag) => places[flag] ?? flag), ...programs],
    {},
  );
  assert.is(result.code, 0, result.stderr);
  assert.not.match(result.stderr, 'warning');
  return join(folder, 'out');
}

const read = (...path: readonly string[]) => parsePlaylist(readFileSync(join(...path), 'utf8'));
/** The path of a segment in a manifest. */
const fileOf = (segment?: ManifestSegment) => (segment?.resolvedUri ?? '').replace('http://manifest/', '');
const starts = (list: readonly { readonly seconds: number }[]) =>
  list.map((_, index) => list.slice(0, index).reduce((sum, one) => sum + one.seconds, 0));

test('a ladder has one set of captions, which its playlist lists', async () => {
  const captions = join(tempFolder(), 'captions.srt');
  writeFileSync(captions, '1\n00:00:01,000 --> 00:00:05,000\nErste Zeile\n');
  const out = await ladderOf(
    [...testVideo('512x288', 25, seconds), ...testTone(seconds), ...h264, '-c:a', 'aac'],
    ['--hls', 'OUT', '--segment-seconds', '4', '--caption-url', captions],
  );
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  assert.equal(
    files.filter((file) => file.endsWith('.vtt')).map((file) => file.split('/')[0]),
    [...['234p', '234p', '234p']],
  );
  const master = read(out, 'master.m3u8');
  assert.equal(
    master.media.filter(({ TYPE }) => TYPE === 'SUBTITLES').map(({ LANGUAGE, URI }) => [LANGUAGE, URI]),
    [[undefined, '234p/234p-captions-und.m3u8']],
  );
  assert.ok(master.streams.filter(({ RESOLUTION }) => RESOLUTION).every(({ SUBTITLES }) => SUBTITLES));
});

test('--hls makes renditions up to the height of the input, which begin their segments together', async () => {
  const out = await ladderOf(
    [...testVideo('512x288', 25, seconds), ...testTone(seconds), ...h264, '-c:a', 'aac'],
    ['--hls', 'OUT', '--segment-seconds', '4'],
  );
  assert.equal(readdirSync(out).sort(), ['234p', '360p', 'audio', 'master.m3u8', 'master.mpd']);
  const { streams, media } = read(out, 'master.m3u8');
  assert.equal(
    streams.map(({ uri, RESOLUTION, AUDIO }) => [uri, RESOLUTION, AUDIO]),
    [
      ['360p/360p.m3u8', '512x288', 'audio'],
      ['234p/234p.m3u8', '416x234', 'audio'],
      ['audio/audio.m3u8', undefined, undefined],
    ],
  );
  assert.is(media[0]?.URI, 'audio/audio.m3u8');
  const lists = ['360p', '234p', 'audio'].map((name) => read(out, name, `${name}.m3u8`).segments);
  assert.equal(
    lists.map((list) => list.length),
    [2, 2, 2],
  );
  assert.equal(starts(lists[0] ?? []), [0, 4]);
  assert.equal(starts(lists[1] ?? []), [0, 4]);
  assert.ok(Math.abs((starts(lists[2] ?? [])[1] ?? 0) - 4) < 0.05);
  for (const [index, name] of ['360p', '234p', 'audio'].entries())
    for (const { uri } of lists[index] ?? []) assert.ok(existsSync(join(out, name, uri)), uri);
  const manifest = parseManifest(readFileSync(join(out, 'master.mpd'), 'utf8'));
  assert.equal(manifest.playlists.map(({ segments }) => fileOf(segments[0])).sort(), [
    '234p/234p-video-00001.m4s',
    '360p/360p-video-00001.m4s',
  ]);
  for (const { segments } of manifest.playlists)
    for (const segment of segments) assert.ok(existsSync(join(out, fileOf(segment))), fileOf(segment));
});

test('a portrait video without audio has no audio, and --ts makes transport streams', async () => {
  const out = await ladderOf(
    [...testVideo('180x320', 25, seconds), ...h264],
    ['--hls', 'OUT', '--ts', '--ladder', '300,200,100', '--segment-seconds', '4'],
  );
  assert.equal(readdirSync(out).sort(), ['100p', '200p', '300p', 'master.m3u8']);
  const { streams, media } = read(out, 'master.m3u8');
  assert.equal(media, []);
  assert.equal(
    streams.map(({ uri, RESOLUTION }) => [uri, RESOLUTION]),
    [
      ['300p/300p.m3u8', '168x300'],
      ['200p/200p.m3u8', '112x200'],
      ['100p/100p.m3u8', '56x100'],
    ],
  );
  assert.is(read(out, '100p', '100p.m3u8').segments[1]?.uri, '100p-00002.ts');
});

test('--dash makes only a manifest, and an input without video plays as audio', async () => {
  const out = await ladderOf([...testTone(seconds), '-c:a', 'aac'], ['--dash', 'OUT_URL']);
  assert.equal(readdirSync(out).sort(), ['audio', 'master.mpd']);
  const text = readFileSync(join(out, 'master.mpd'), 'utf8');
  assert.match(text, 'contentType="audio"');
  assert.not.match(text, 'contentType="video"');
});

test('plan says once which renditions are left out, and creates no folders for them', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), [...testVideo('320x180', 25, 1), ...h264]);
  const { ffmpeg, ffprobe } = await testFfmpeg();
  const flags = ['--hls', 'out', '--ffmpeg', ffmpeg.path, '--ffprobe', ffprobe.path];
  const { code, stdout, stderr } = await runCli(['plan', 'film.mp4', ...flags], { cwd: folder });
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    /^venc: 2160p, 1440p, 1080p, 720p, 540p, 360p are left out: the input has 180 lines\n/,
  );
  assert.not.match(stderr, 'min_height');
  assert.not.match(stdout, 'mkdir');
});

test.run();
