import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { OutputDetails } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const execute = promisify(execFile);

const english =
  '1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,250\nA <i>slanted</i> word\n';
const german = '1\n00:00:01,000 --> 00:00:09,000\nGrüße & Küsse\n';

const test = daemonSuite<Context>('outputs of type captions', async (context) => {
  context.folder = tempFolder();
  const path = (name: string) => join(context.folder, name);
  writeFileSync(path('en.srt'), english);
  writeFileSync(path('de.srt'), Buffer.from(german, 'latin1'));
  writeFileSync(path('de-utf8.srt'), german);
  await makeMedia(path('plain.mp4'), film('64x48', 5));
  const { ffmpeg } = await testFfmpeg();
  const tracks = [
    '-metadata:s:s:0',
    'language=eng',
    '-metadata:s:s:1',
    'language=deu',
    '-disposition:s:1',
    'default',
  ];
  await execute(ffmpeg.path, [
    ...['-i', path('plain.mp4'), '-i', path('en.srt'), '-i', path('de-utf8.srt')],
    ...['-map', '0', '-map', '1', '-map', '2', '-c', 'copy', '-c:s', 'mov_text', ...tracks, path('film.mp4')],
  ]);
  return { filesRoots: [context.folder] };
});

async function run({ daemon, folder }: Context, input: string, outputs: readonly object[]) {
  const id = await daemon.create({
    input: `file://${folder}/${input}`,
    outputs: outputs.map((output) => ({ type: 'captions', ...output })),
  });
  const job = await daemon.waitForJob(id);
  const details = await Promise.all(
    job.output_media_files.map((file) => daemon.read<OutputDetails>(`/v2/outputs/${file.id}`)),
  );
  return { job, details };
}

/** The cues of a file, as ffmpeg reads them: start, end and text. */
async function cuesOf(path: string): Promise<readonly (readonly string[])[]> {
  const { ffmpeg } = await testFfmpeg();
  const { stdout } = await execute(ffmpeg.path, [
    '-v',
    'error',
    '-i',
    path,
    '-c:s',
    'webvtt',
    '-f',
    'webvtt',
    '-',
  ]);
  return [...stdout.matchAll(/^(\S+) --> (\S+)\n(.+)$/gm)].map(([, ...parts]) => parts);
}

test('text tracks of the input are written in each format, by language or the default one', async (context) => {
  const { folder } = context;
  const to = (name: string) => ({ url: `file://${folder}/${name}` });
  const { details } = await run(context, 'film.mp4', [
    to('a.vtt'),
    { ...to('b.srt'), language: 'en' },
    { ...to('c'), format: 'dfxp', language: 'eng' },
    { ...to('d.mp4'), language: 'en', start_clip: 1, clip_length: 2.5 },
  ]);
  assert.equal(
    details.map(({ state, format, error_message }) => [state, format, error_message]),
    ['webvtt', 'srt', 'dfxp', 'mp4'].map((format) => ['finished', format, null]),
  );
  assert.equal(await cuesOf(join(folder, 'a.vtt')), [['00:01.000', '00:05.000', 'Grüße & Küsse']]);
  assert.equal(await cuesOf(join(folder, 'b.srt')), [
    ['00:00.500', '00:02.000', 'Hello'],
    ['00:03.000', '00:04.250', 'A <i>slanted</i> word'],
  ]);
  const ttml = readFileSync(join(folder, 'c'), 'utf8');
  assert.match(
    ttml,
    '<p begin="00:00:03.000" end="00:00:04.250">A <span tts:fontStyle="italic">slanted</span> word</p>',
  );
  const clipped = await cuesOf(join(folder, 'd.mp4'));
  assert.equal(
    clipped.map(([start, end]) => [start, end]),
    [
      ['00:00.000', '00:01.000'],
      ['00:02.000', '00:02.500'],
    ],
  );
});

test('a caption file in another encoding is converted', async (context) => {
  const { folder } = context;
  const { details } = await run(context, 'plain.mp4', [
    { url: `file://${folder}/e.vtt`, caption_url: { url: `file://${folder}/de.srt` }, width: 100 },
  ]);
  assert.equal(details[0]?.state, 'finished');
  assert.match(readFileSync(join(folder, 'e.vtt'), 'utf8'), 'Grüße &amp; Küsse');
});

test('outputs of several kinds use the same caption file', async ({ daemon, folder }) => {
  const caption_url = { url: `file://${folder}/en.srt`, language: 'en' };
  const to = (name: string) => ({ url: `file://${folder}/shared/${name}`, caption_url });
  const id = await daemon.create({
    input: `file://${folder}/plain.mp4`,
    outputs: [
      { ...to('a.mp4'), label: 'a', width: 32 },
      { ...to('b.mp4'), source: 'a', width: 16 },
      { ...to('c.vtt'), type: 'captions' },
      { ...to('d.srt'), type: 'captions' },
    ],
  });
  const { output_media_files: outputs } = await daemon.waitForJob(id);
  assert.equal(
    outputs.map(({ state, error_message }) => [state, error_message]),
    outputs.map(() => ['finished', null]),
  );
  assert.equal((await cuesOf(join(folder, 'shared/c.vtt'))).length, 2);
});

test('an input without captions, or without those in the language, fails the output', async (context) => {
  const { folder } = context;
  const to = { url: `file://${folder}/none.vtt` };
  const without = await run(context, 'plain.mp4', [to]);
  assert.equal(
    [without.details[0]?.error_class, without.details[0]?.error_message],
    ['CaptionError', 'The input has no captions.'],
  );
  const { details } = await run(context, 'film.mp4', [{ ...to, language: 'fr' }]);
  assert.is(details[0]?.error_message, 'The input has no captions in the language fr.');
});

const rejected: readonly (readonly [object, string])[] = [
  [
    { format: 'scc', caption_url: { url: 'http://127.0.0.1/a', format: 'srt' } },
    'outputs[0].format cannot be made: there is no encoder for CEA-608',
  ],
  [{ format: 'webm' }, 'outputs[0].format must be webvtt, dfxp, srt, mp4, m3u8 or scc'],
  [
    { caption_url: ['http://a.example/a', 'http://a.example/b'] },
    'outputs[0].caption_url must have one entry',
  ],
];
for (const [output, message] of rejected)
  test(`${JSON.stringify(output)} is rejected`, async ({ daemon }) => {
    const body = { input: 'http://a.example/a.mp4', mock: true, outputs: [{ type: 'captions', ...output }] };
    const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
    const text = await response.text();
    assert.is(response.status, 422);
    assert.ok(text.includes(message), text);
  });

test.run();
