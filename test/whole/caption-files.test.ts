import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { type RecordingBucket, startRecordingBucket } from '../helpers/servers/recording-bucket.js';
import { s3rverKeys } from '../helpers/servers/s3rver.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
  bucket: RecordingBucket;
}

const test = suite<Context>('captions in files next to an output');
const execute = promisify(execFile);

test.before(async (context) => {
  context.folder = tempFolder();
  const path = (name: string) => join(context.folder, name);
  writeFileSync(
    path('en.srt'),
    '1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,250\nAgain\n',
  );
  writeFileSync(path('de.srt'), '1\n00:00:01,000 --> 00:00:04,000\nGrüße & Küsse\n');
  await makeMedia(path('plain.mp4'), film('64x48', 5));
  const { ffmpeg } = await testFfmpeg();
  await execute(ffmpeg.path, [
    ...['-i', path('plain.mp4'), '-i', path('en.srt'), '-i', path('de.srt'), '-i', path('de.srt')],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-c', 'copy', '-c:s', 'srt'],
    ...[
      '-metadata:s:s:0',
      'language=eng',
      '-metadata:s:s:1',
      'language=deu',
      '-metadata:s:s:2',
      'language=deu',
    ],
    path('film.mkv'),
  ]);
  context.bucket = await startRecordingBucket();
  process.env.AWS_ENDPOINT_URL_S3 = context.bucket.endpoint;
  process.env.AWS_ACCESS_KEY_ID = s3rverKeys.id;
  process.env.AWS_SECRET_ACCESS_KEY = s3rverKeys.secret;
  context.daemon = await startTestDaemon({ filesRoots: [context.folder], allowPrivateNetwork: true });
});
test.after(async ({ daemon, bucket }) => {
  await daemon.stop();
  await bucket.close();
});

async function run({ daemon, folder }: Context, input: string, output: object): Promise<JobRecord> {
  const id = await daemon.create({ input: `file://${folder}/${input}`, outputs: [{ width: 32, ...output }] });
  return daemon.waitForJob(id);
}

/** The times and texts of a WebVTT file. */
function cuesIn(path: string): readonly string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^(\S+ --> \S+)\n(.+)$/gm)].map(
    ([, time, text]) => `${time} ${text}`,
  );
}

async function subtitleTracks(path: string): Promise<number> {
  const { ffprobe } = await testFfmpeg();
  const { stdout } = await execute(ffprobe.path, [
    '-v',
    'error',
    '-select_streams',
    's',
    '-show_entries',
    'stream=index',
    '-of',
    'csv=p=0',
    path,
  ]);
  return stdout.split('\n').filter((line) => line !== '').length;
}

test('subtitles of the input are files, cut with the clip, and the output has no tracks', async (context) => {
  const folder = mkdtempSync(join(context.folder, 'run-'));
  const job = await run(context, 'film.mkv', {
    url: `file://${folder}/a.mp4`,
    subtitles: 'sidecar',
    start_clip: 1,
    clip_length: 3,
  });
  const [output] = job.output_media_files;
  assert.is(output?.state, 'finished', output?.error_message ?? '');
  assert.equal(readdirSync(folder).toSorted(), ['a.de-2.vtt', 'a.de.vtt', 'a.en.vtt', 'a.mp4']);
  assert.equal(
    output?.caption_files,
    [
      ['a.en.vtt', 'en', 'English'],
      ['a.de.vtt', 'de', 'German'],
      ['a.de-2.vtt', 'de', 'German'],
    ].map(([name, language, label]) => ({ url: `file://${folder}/${name}`, language, label })),
  );
  assert.is(output?.warnings, undefined);
  // A clip of Matroska starts up to 2 ms early, because the time of its first frame is rounded.
  assert.equal(cuesIn(join(folder, 'a.en.vtt')), [
    '00:00:00.000 --> 00:00:01.002 Hello',
    '00:00:02.002 --> 00:00:03.000 Again',
  ]);
  assert.equal(cuesIn(join(folder, 'a.de.vtt')), ['00:00:00.002 --> 00:00:03.000 Grüße &amp; Küsse']);
  assert.is(await subtitleTracks(join(folder, 'a.mp4')), 0);
  assert.is(output?.file_size_bytes, readFileSync(join(folder, 'a.mp4')).length);
});

test('caption files of a container without tracks are next to it, with a warning', async (context) => {
  const folder = mkdtempSync(join(context.folder, 'run-'));
  const captions = join(folder, 'a.en.vtt');
  writeFileSync(captions, 'WEBVTT\n\n00:01.000 --> 00:02.000\nMine\n');
  const job = await run(context, 'film.mkv', {
    url: `file://${folder}/a.flv`,
    caption_url: [{ url: `file://${captions}`, language: 'en' }],
  });
  const [output] = job.output_media_files;
  assert.is(output?.state, 'finished', output?.error_message ?? '');
  assert.equal(output?.warnings, [
    'The subtitles of the input were left out: .flv has no tracks for them.',
    'The captions are in files next to the output: .flv has no tracks for them.',
  ]);
  // The file of the request keeps its name and its bytes.
  assert.match(readFileSync(captions, 'utf8'), /^WEBVTT\n\n00:01\.000/);
  assert.equal(
    output?.caption_files?.map(({ url }) => basename(url)),
    ['a.en-2.vtt'],
  );
  assert.equal(cuesIn(join(folder, 'a.en-2.vtt')), ['00:00:01.000 --> 00:00:02.000 Mine']);
});

test('captions are delivered before their file, and removed if its delivery fails', async (context) => {
  const { bucket } = context;
  const url = 's3://films/a.mp4';
  await run(context, 'film.mkv', { url, subtitles: 'sidecar' });
  assert.equal(bucket.uploads.at(-1)?.name, 'a.mp4');
  const types = bucket.uploads.map(({ name, headers }) => [name, headers['content-type']]);
  assert.equal(
    types.toSorted(),
    ['a.de-2.vtt', 'a.de.vtt', 'a.en.vtt'].map((name) => [name, 'text/vtt']).concat([['a.mp4', 'video/mp4']]),
  );
  const before = bucket.objects();
  Object.assign(bucket.rule, { name: 'b.mp4', status: 403 });
  const job = await run(context, 'film.mkv', { url: 's3://films/b.mp4', subtitles: 'sidecar' });
  const [output] = job.output_media_files;
  assert.equal([output?.state, output?.caption_files], ['failed', undefined]);
  assert.equal(bucket.objects(), before);
});

test('requests that would lose captions are rejected', async ({ daemon, folder }) => {
  const caption_url = { url: `file://${folder}/en.srt`, language: 'en' };
  const requests: readonly (readonly [readonly object[], string])[] = [
    [
      [{ filename: 'a.flv', subtitles: 'keep', caption_url }],
      'outputs[0].subtitles must not be keep: .flv has no tracks for captions; use sidecar or burn',
    ],
    [
      [
        { url: `file://${folder}/b.flv`, caption_url },
        { url: `file://${folder}/b.ts`, caption_url },
      ],
      'outputs[1].url would write the same files as the captions of outputs[0], such as b.en.vtt',
    ],
    [
      [
        { url: `file://${folder}/b.flv`, caption_url },
        { url: `file://${folder}/b.en.vtt`, type: 'captions' },
      ],
      'outputs[1].url would write the same file as the captions of outputs[0]',
    ],
  ];
  for (const [outputs, message] of requests) {
    const body = JSON.stringify({ input: `file://${folder}/film.mkv`, outputs });
    const response = await daemon.request('/v2/jobs', { method: 'POST', body });
    assert.is(response.status, 422);
    assert.ok((await response.text()).includes(message), message);
  }
});

test('run and plan read a caption file that a request names by its path, as the input', async ({
  folder,
}) => {
  const outputs = [{ filename: 'named.flv', caption_url: { url: 'de.srt', language: 'de' } }];
  writeFileSync(join(folder, 'named.json'), JSON.stringify({ input: 'plain.mp4', outputs }));
  const planned = await runCli(['plan', 'named.json'], { cwd: folder });
  assert.is(planned.code, 0, planned.stderr);
  const { code, stdout, stderr } = await runCli(['run', 'named.json', '--progress', 'none'], { cwd: folder });
  assert.is(code, 0, stderr);
  assert.equal(stdout.trim().split('\n'), ['named.flv', 'named.de.vtt']);
  writeFileSync(
    join(folder, 'gone.json'),
    JSON.stringify({ input: 'plain.mp4', outputs: { caption_url: 'no.srt' } }),
  );
  const missing = await runCli(['run', 'gone.json'], { cwd: folder });
  assert.is(missing.code, 2);
  assert.match(missing.stderr, /no\.srt cannot be read: there is no such file/);
});

test('venc download and venc show have the captions of a hosted output', async (context) => {
  const { daemon } = context;
  const { id } = await run(context, 'film.mkv', { subtitles: 'sidecar' });
  const cwd = tempFolder();
  const venc = (...words: string[]) =>
    runCli(words, { cwd, env: { VENC_URL: daemon.url, VENC_API_KEY: daemon.key } });
  const { code, stdout, stderr } = await venc('download', String(id), '--progress', 'none');
  assert.is(code, 0, stderr);
  const names = ['film.mp4', 'film.en.vtt', 'film.de.vtt', 'film.de-2.vtt'];
  assert.equal(stdout.trim().split('\n'), names);
  assert.is(cuesIn(join(cwd, 'film.en.vtt')).length, 2);
  const shown = await venc('show', String(id));
  assert.match(shown.stdout, /captions +http\S+\.en\.vtt, en, English/);
});

test('venc run prints the captions, and replaces none without --force', async ({ folder }) => {
  const cwd = tempFolder();
  const venc = (...words: string[]) =>
    runCli(['run', join(folder, 'film.mkv'), '-o', 'out/a.mp4', '--subtitles', 'sidecar', ...words], { cwd });
  const { code, stdout, stderr } = await venc('--width', '32');
  assert.is(code, 0, stderr);
  const captions = ['out/a.en.vtt', 'out/a.de.vtt', 'out/a.de-2.vtt'];
  assert.equal(stdout.trim().split('\n'), ['out/a.mp4', ...captions]);
  for (const name of ['a.mp4', 'a.de.vtt', 'a.de-2.vtt']) await execute('rm', [join(cwd, 'out', name)]);
  writeFileSync(join(cwd, 'out', 'a.en.vtt'), 'mine');
  const again = await venc();
  assert.is(again.code, 2);
  assert.match(again.stderr, /out\/a\.en\.vtt already exists\./);
  assert.is(readFileSync(join(cwd, 'out', 'a.en.vtt'), 'utf8'), 'mine');
  assert.not.ok(existsSync(join(cwd, 'out', 'a.mp4')));
});

test.run();
