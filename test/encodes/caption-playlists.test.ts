import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const subrip = `1
00:00:01,000 --> 00:00:02,500
first

2
00:00:03,500 --> 00:00:04,750
crosses

3
00:00:09,000 --> 00:00:10,000
last
`;

const test = daemonSuite<Context>('captions as a playlist', async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'in.mp4'), film('64x48', 11));
  writeFileSync(join(context.folder, 'de.srt'), subrip);
  return { filesRoots: [context.folder] };
});

const captionsOf = ({ folder }: Context) => ({ url: `file://${folder}/de.srt`, language: 'de' });

/** The cues of a segment, without their header. */
function cuesIn(text: string): readonly string[] {
  return text
    .split('\n\n')
    .slice(1)
    .map((cue) => cue.trim());
}

test('captions are cut into the segments of the other outputs, and a playlist lists them', async (context) => {
  const { folder, daemon } = context;
  const to = (name: string) => ({ url: `file://${folder}/${name}` });
  const id = await daemon.create({
    input: `file://${folder}/in.mp4`,
    outputs: [
      { ...to('film.m3u8'), label: 'film', type: 'segmented', segment_seconds: 4, width: 32 },
      { ...to('text/de.m3u8'), label: 'de', type: 'captions', caption_url: captionsOf(context) },
      {
        ...to('whole.m3u8'),
        type: 'captions',
        segmented: false,
        start_clip: 3,
        clip_length: 5,
        caption_url: captionsOf(context),
      },
      {
        ...to('master.m3u8'),
        type: 'playlist',
        streams: [{ source: 'film' }],
        captions: [{ source: 'de', language: 'de', default: true }],
      },
    ],
  });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job));
  const [, record] = job.output_media_files;
  assert.equal([record?.format, record?.segments, record?.fragment_duration_in_ms], ['m3u8', 3, 4000]);

  const { segments, tags } = parsePlaylist(readFileSync(join(folder, 'text/de.m3u8'), 'utf8'));
  assert.equal(
    segments.map(({ uri, seconds }) => [uri, Math.round(seconds)]),
    [
      ['de-00001.vtt', 4],
      ['de-00002.vtt', 4],
      ['de-00003.vtt', 3],
    ],
  );
  assert.is(tags['EXT-X-TARGETDURATION'], '4');
  const texts = segments.map(({ uri }) => readFileSync(join(folder, 'text', uri), 'utf8'));
  // The first frame of a transport stream is at 1.4 s.
  for (const text of texts)
    assert.match(text, /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00\.000\n\n/);
  const crossing = '00:00:03.500 --> 00:00:04.750\ncrosses';
  assert.equal(texts.map(cuesIn), [
    ['00:00:01.000 --> 00:00:02.500\nfirst', crossing],
    [crossing],
    ['00:00:09.000 --> 00:00:10.000\nlast'],
  ]);

  const whole = parsePlaylist(readFileSync(join(folder, 'whole.m3u8'), 'utf8'));
  assert.equal(
    whole.segments.map(({ uri, seconds }) => [uri, seconds]),
    [['whole-00001.vtt', 5]],
  );
  assert.equal(cuesIn(readFileSync(join(folder, 'whole-00001.vtt'), 'utf8')), [
    '00:00:00.500 --> 00:00:01.750\ncrosses',
  ]);
  const master = parsePlaylist(readFileSync(join(folder, 'master.m3u8'), 'utf8'));
  assert.equal(
    [master.media[0]?.TYPE, master.media[0]?.URI, master.media[0]?.LANGUAGE, master.media[0]?.DEFAULT],
    ['SUBTITLES', 'text/de.m3u8', 'de', 'YES'],
  );
  assert.is(master.streams[0]?.SUBTITLES, 'captions');
});

test('with fragmented MP4 the times count from 0, and a hosted playlist finds hosted captions', async (context) => {
  const { daemon, folder } = context;
  const id = await daemon.create({
    input: `file://${folder}/in.mp4`,
    outputs: [
      { label: 'film', type: 'segmented', packaging: 'cmaf', filename: 'film.m3u8', width: 32 },
      {
        label: 'de',
        type: 'captions',
        format: 'm3u8',
        filename: 'de.m3u8',
        caption_url: captionsOf(context).url,
      },
      { type: 'playlist', streams: [{ source: 'film' }], captions: [{ source: 'de', language: 'de' }] },
    ],
  });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', JSON.stringify(job));
  const address = job.output_media_files[2]?.url ?? '';
  const read = async (url: string) => (await fetch(url)).text();
  const [captions] = parsePlaylist(await read(address)).media.filter(({ TYPE }) => TYPE === 'SUBTITLES');
  assert.is(captions?.URI, 'de.m3u8');
  const playlist = new URL(captions?.URI ?? '', address).href;
  const [segment] = parsePlaylist(await read(playlist)).segments;
  assert.match(await read(new URL(segment?.uri ?? '', playlist).href), 'MPEGTS:0,LOCAL');
});

test.run();
