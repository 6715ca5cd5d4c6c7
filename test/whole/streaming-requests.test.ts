import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { parseAsPlayer, parseManifest } from '../helpers/manifests.js';
import { makeMedia, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Requests of applications that stream: files, renditions that are copied from them, playlists, thumbnails and captions in one job.
 */

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const test = daemonSuite<Context>('requests of applications that stream', async (context) => {
  context.folder = tempFolder();
  const film = [...testVideo('320x180', 25, 5), ...testTone(5), '-c:v', 'libx264', '-c:a', 'aac'];
  await makeMedia(join(context.folder, 'in.mp4'), [...film, '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']);
  writeFileSync(join(context.folder, 'en.srt'), '1\n00:00:01,000 --> 00:00:02,000\nHello\n');
  return { filesRoots: [context.folder] };
});

async function run({ daemon, folder }: Context, outputs: readonly object[]): Promise<JobRecord> {
  const job = await daemon.waitForJob(await daemon.create({ input: `file://${folder}/in.mp4`, outputs }));
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  return job;
}

const parsed = (path: string) => parseAsPlayer(readFileSync(path, 'utf8'));
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
const heights = [144, 120, 96, 72, 48] as const;

test('five files with thumbnails and captions, five renditions that are copied from them, and a playlist', async (context) => {
  const { folder } = context;
  const at = `file://${folder}/classic`;
  const caption_url = { url: `file://${folder}/en.srt`, language: 'en' };
  const job = await run(context, [
    ...heights.map((height, index) => ({
      ...{
        label: `mp4-${height}`,
        url: `${at}/${height}.mp4`,
        height,
        prepare_for_segmenting: 'hls',
        caption_url,
      },
      ...(index > 0
        ? {}
        : {
            thumbnails: [
              { label: 'still', number: 1, size: '64x36', base_url: `${at}/stills` },
              {
                ...{ label: 'strip', interval: 2, start_at_first_frame: true, base_url: `${at}/strip` },
                filename: 'strip-{{number}}',
              },
            ],
          }),
    })),
    ...heights.map((height) => ({
      ...{ label: `hls-${height}`, url: `${at}/hls/${height}.m3u8`, type: 'segmented', segment_seconds: 2 },
      ...{ source: `mp4-${height}`, copy_video: true, copy_audio: true },
    })),
    {
      ...{ type: 'playlist', url: `${at}/hls/master.m3u8` },
      streams: heights.map((height) => ({ source: `hls-${height}` })),
    },
  ]);
  const records = job.output_media_files;
  assert.equal(
    records.map(({ height, segments }) => [height, segments]),
    [
      ...heights.map((height) => [height, undefined]),
      ...heights.map((height) => [height, 3]),
      [null, undefined],
    ],
  );
  assert.equal(readdirSync(join(folder, 'classic/strip')).toSorted(), [
    'strip-0.png',
    'strip-1.png',
    'strip-2.png',
  ]);
  assert.is(readdirSync(join(folder, 'classic/stills')).length, 1);
  const master = parsed(join(folder, 'classic/hls/master.m3u8'));
  assert.equal(
    master.playlists.map(({ uri, attributes }) => [uri, attributes.RESOLUTION?.height]),
    heights.map((height) => [`${height}.m3u8`, height]),
  );
  const [subtitles] = Object.values(master.mediaGroups.SUBTITLES?.captions ?? {});
  assert.is(subtitles?.language, 'en');
  for (const height of heights) {
    const { segments } = parsed(join(folder, `classic/hls/${height}.m3u8`));
    assert.ok(Math.abs(sum(segments.map(({ duration }) => duration)) - 5) < 0.04);
    for (const { uri } of segments) assert.ok(existsSync(join(folder, 'classic/hls', uri)), uri);
  }
});

test('files as HLS and as DASH by copy, two playlists with addresses of a network, SMIL, and a size that is skipped', async (context) => {
  const { folder } = context;
  const at = `file://${folder}/network`;
  const sizes = [120, 90, 360] as const;
  const cut = { type: 'segmented', segment_seconds: 2, copy_video: true, copy_audio: true } as const;
  const skip = (height: number) => ({ skip: { min_size: `${Math.round((height * 16) / 9)}x${height}` } });
  const listed = (extension: string) => ({
    allow_skipped_sources: true,
    streams: sizes.map((height) => ({
      source: `${extension}-${height}`,
      path: `https://cdn.example.com/${height}/film.${extension}`,
    })),
  });
  const job = await run(context, [
    ...sizes.flatMap((height) => [
      {
        ...{ label: `mp4-${height}`, url: `${at}/${height}.mp4`, height, ...skip(height) },
        prepare_for_segmenting: 'dash',
      },
      { ...cut, label: `m3u8-${height}`, url: `${at}/${height}/film.m3u8`, source: `mp4-${height}` },
      {
        ...{ ...cut, label: `mpd-${height}`, url: `${at}/${height}/film.mpd`, source: `mp4-${height}` },
        streaming_delivery_format: 'dash',
      },
    ]),
    { type: 'playlist', url: `${at}/master.m3u8`, ...listed('m3u8') },
    { type: 'playlist', url: `${at}/master.mpd`, ...listed('mpd') },
    {
      ...{ type: 'playlist', url: `${at}/film.smil`, allow_skipped_sources: true },
      streams: sizes.map((height) => ({ source: `mp4-${height}` })),
    },
  ]);
  assert.equal(
    job.output_media_files.map(({ state }) => state),
    [...Array(6).fill('finished'), 'skipped', 'skipped', 'skipped', ...Array(3).fill('finished')],
  );
  const master = parsed(join(folder, 'network/master.m3u8'));
  assert.equal(
    master.playlists.map(({ uri }) => uri),
    ['https://cdn.example.com/120/film.m3u8', 'https://cdn.example.com/90/film.m3u8'],
  );
  const { playlists } = parseManifest(readFileSync(join(folder, 'network/master.mpd'), 'utf8'));
  assert.equal(playlists.map(({ attributes }) => attributes.RESOLUTION?.height).toSorted(), [120, 90]);
  const smil = readFileSync(join(folder, 'network/film.smil'), 'utf8');
  assert.equal(
    [...smil.matchAll(/src="([^"]+)"/g)].map(([, src]) => src),
    ['mp4:120.mp4', 'mp4:90.mp4'],
  );
});

test('an audio rendition as packed AAC with transport streams, and captions of each file', async (context) => {
  const { folder } = context;
  const at = `file://${folder}/radio`;
  const caption_url = `file://${folder}/en.srt`;
  await run(context, [
    { label: 'film', url: `${at}/film.mp4`, height: 90, caption_url },
    ...[96, 64].map((audio_bitrate) => ({
      ...{
        label: `ts-${audio_bitrate}`,
        type: 'segmented',
        segment_seconds: 2,
        url: `${at}/${audio_bitrate}.m3u8`,
      },
      ...{ source: 'film', copy_video: true, audio_bitrate },
    })),
    {
      label: 'audio',
      type: 'segmented',
      format: 'aac',
      segment_seconds: 2,
      url: `${at}/audio.m3u8`,
      audio_bitrate: 64,
    },
    {
      ...{ type: 'playlist', url: `${at}/master.m3u8` },
      streams: [{ source: 'ts-96' }, { source: 'ts-64' }, { source: 'audio' }],
    },
  ]);
  const { playlists } = parsed(join(folder, 'radio/master.m3u8'));
  assert.equal(
    playlists.map(({ uri, attributes }) => [
      uri,
      attributes.RESOLUTION?.height,
      attributes.CODECS?.split(',').at(-1),
    ]),
    [
      ['96.m3u8', 90, 'mp4a.40.2'],
      ['64.m3u8', 90, 'mp4a.40.2'],
      ['audio.m3u8', undefined, 'mp4a.40.2'],
    ],
  );
  assert.is(parsed(join(folder, 'radio/audio.m3u8')).segments.length, 3);
});

test('a playlist waits only for the outputs that it names', async (context) => {
  const to = (name: string) => ({ url: `file://${context.folder}/early/${name}`, width: 64 });
  const job = await run(context, [
    { ...to('a.m3u8'), type: 'segmented', segment_seconds: 2, label: 'a' },
    { ...to('film.mp4'), label: 'film' },
    { ...to('large.mp4'), source: 'film', width: 1280, upscale: true, speed: 1 },
    { type: 'playlist', url: `file://${context.folder}/early/m.m3u8`, streams: [{ source: 'a' }] },
    {
      type: 'playlist',
      url: `file://${context.folder}/early/cdn.m3u8`,
      streams: [{ path: 'https://example.com/a.m3u8', bandwidth: 300 }],
    },
  ]);
  const ends = job.output_media_files.map(({ finished_at }) => Date.parse(finished_at ?? ''));
  const [rendition = 0, , large = 0, playlist = 0, addresses = 0] = ends;
  assert.ok(rendition <= playlist && playlist < large && large <= addresses, String(ends));
});

test.run();
