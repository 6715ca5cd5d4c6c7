import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { parseWebvtt } from '../../daemon/captions/webvtt.js';
import type { OutputDetails } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const english =
  '1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:03,900 --> 00:00:08,200\nA <i>long</i> one\n';
const german = '1\n00:00:01,000 --> 00:00:05,000\nErste Zeile\n';

const test = daemonSuite<{ folder: string; daemon: TestDaemon }>(
  'captions of segmented outputs',
  async (context) => {
    context.folder = tempFolder();
    const path = (name: string) => join(context.folder, name);
    writeFileSync(path('en.srt'), english);
    writeFileSync(path('de.srt'), german);
    const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    const { ffmpeg } = await testFfmpeg();
    await promisify(execFile)(ffmpeg.path, [
      ...[...testVideo('160x90', 25, 9), ...testTone(9), '-i', path('en.srt')],
      ...[...video, '-c:s', 'srt', '-metadata:s:s:0', 'language=eng', '-disposition:s:0', 'default'],
      path('film.mkv'),
    ]);
    return { filesRoots: [context.folder] };
  },
);

/** Runs a job with outputs in a folder, and returns the folder and the details of the first output. */
async function run(
  { daemon, folder }: { folder: string; daemon: TestDaemon },
  name: string,
  outputs: readonly object[],
) {
  const id = await daemon.create({
    input: `file://${folder}/film.mkv`,
    outputs: outputs.map((output, index) => ({
      url: `file://${folder}/${name}/${'abc'[index]}.m3u8`,
      ...output,
    })),
  });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  const details = await daemon.read<OutputDetails>(`/v2/outputs/${job.output_media_files[0]?.id}`);
  return { out: join(folder, name), details };
}

const cut = { type: 'segmented', segment_seconds: 4, width: 64 } as const;
const tenths = (ms: number) => Math.floor(ms / 100) * 100;

/** The cues of a file. Times are cut to tenths: Matroska delays all tracks by the first frame of the AAC encoder, 23 ms. */
const cuesIn = (path: string) =>
  parseWebvtt(readFileSync(path, 'utf8').replace(/X-TIMESTAMP-MAP=.*\n/, '')).cues.map(
    ({ startMs, endMs, raw }) => [tenths(startMs), tenths(endMs), raw],
  );

test('subtitles of the input and files are cut with the segments, and listed by the playlist', async (context) => {
  const { folder } = context;
  const files = {
    caption_url: { url: `file://${folder}/de.srt`, language: 'de', label: 'Deutsch', forced: true },
  };
  const { out, details } = await run(context, 'ts', [
    { ...cut, ...files, label: 'one' },
    { ...cut, ...files, label: 'two', width: 32 },
    { type: 'playlist', streams: [{ source: 'one' }, { source: 'two' }] },
  ]);
  assert.equal(details.warnings, undefined);
  const { streams, media } = parsePlaylist(readFileSync(join(out, 'c.m3u8'), 'utf8'));
  assert.equal(
    streams.map(({ SUBTITLES }) => SUBTITLES),
    ['captions', 'captions'],
  );
  assert.equal(
    media.map(({ TYPE, NAME, LANGUAGE, DEFAULT, FORCED, URI }) => [
      TYPE,
      NAME,
      LANGUAGE,
      DEFAULT,
      FORCED,
      URI,
    ]),
    [
      ['SUBTITLES', 'English', 'en', 'YES', undefined, 'a-captions-en.m3u8'],
      ['SUBTITLES', 'Deutsch', 'de', 'NO', 'YES', 'a-captions-de.m3u8'],
    ],
  );
  const video = parsePlaylist(readFileSync(join(out, 'a.m3u8'), 'utf8')).segments;
  const list = parsePlaylist(readFileSync(join(out, 'a-captions-en.m3u8'), 'utf8')).segments;
  assert.equal(
    list.map(({ seconds }) => seconds),
    video.map(({ seconds }) => seconds),
  );
  const long = [3900, 8200, 'A <i>long</i> one'];
  assert.equal(
    list.map(({ uri }) => cuesIn(join(out, uri))),
    [[[500, 2000, 'Hello'], long], [long], [long]],
  );
  // Transport streams begin at 1.4 s.
  assert.match(
    readFileSync(join(out, 'a-captions-en-00002.vtt'), 'utf8'),
    'MPEGTS:126000,LOCAL:00:00:00.000',
  );
});

test('a playlist lists the captions of its request in place of those of its sources', async (context) => {
  const { out } = await run(context, 'chosen', [
    { ...cut, label: 'one' },
    {
      type: 'playlist',
      streams: [{ source: 'one' }],
      captions: [
        { source: 'one', language: 'en', name: 'Everything', default: true },
        { path: 'https://cdn.example.com/fr.m3u8', language: 'fr', forced: true },
      ],
    },
  ]);
  const { media } = parsePlaylist(readFileSync(join(out, 'b.m3u8'), 'utf8'));
  assert.equal(
    media.map(({ NAME, LANGUAGE, DEFAULT, FORCED, URI }) => [NAME, LANGUAGE, DEFAULT, FORCED, URI]),
    [
      ['Everything', 'en', 'YES', undefined, 'a-captions-en.m3u8'],
      ['French', 'fr', 'NO', 'YES', 'https://cdn.example.com/fr.m3u8'],
    ],
  );
});

test('with CMAF, a clip shifts captions, which also are one file for DASH', async (context) => {
  const { out } = await run(context, 'cmaf', [{ ...cut, packaging: 'cmaf', start_clip: 1 }]);
  assert.equal(cuesIn(join(out, 'a-captions-en.vtt')), [
    [0, 1000, 'Hello'],
    [2900, 7200, 'A <i>long</i> one'],
  ]);
  assert.match(readFileSync(join(out, 'a.mpd'), 'utf8'), '<BaseURL>a-captions-en.vtt</BaseURL>');
  assert.match(readFileSync(join(out, 'a.m3u8'), 'utf8'), 'URI="a-captions-en.m3u8"');
  assert.match(readFileSync(join(out, 'a-captions-en-00001.vtt'), 'utf8'), 'MPEGTS:0,LOCAL:00:00:00.000');
});

test('captions can be left out', async (context) => {
  for (const [name, setting] of Object.entries({
    skipped: { skip_captions: true },
    dropped: { subtitles: 'drop' },
  })) {
    const { out } = await run(context, name, [{ ...cut, ...setting }]);
    assert.equal(
      readdirSync(out).filter((file) => file.includes('captions')),
      [],
    );
  }
});

test.run();
