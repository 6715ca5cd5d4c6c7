import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputDetails } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { type FtpTestServer, startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { type RecordingBucket, startRecordingBucket } from '../helpers/servers/recording-bucket.js';
import { s3rverKeys } from '../helpers/servers/s3rver.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  folder: string;
  input: string;
  daemon: TestDaemon;
  bucket: RecordingBucket;
}

const test = suite<Context>('delivery of segmented outputs');
const cut = { type: 'segmented', segment_seconds: 2, width: 64, hls_protocol_version: 4 } as const;
const parts = ['a-00001.ts', 'a-00002.ts', 'a-00003.ts', 'a-iframe-index.m3u8'];

test.before(async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'in.mp4'), film('64x48', 5));
  context.input = `file://${join(context.folder, 'in.mp4')}`;
  context.bucket = await startRecordingBucket();
  process.env.AWS_ENDPOINT_URL_S3 = context.bucket.endpoint;
  process.env.AWS_ACCESS_KEY_ID = s3rverKeys.id;
  process.env.AWS_SECRET_ACCESS_KEY = s3rverKeys.secret;
  context.daemon = await startTestDaemon({ filesRoots: [context.folder], allowPrivateNetwork: true });
});
test.after(async ({ daemon, bucket }) => {
  killDaemons();
  await daemon.stop();
  await bucket.close();
});
test.before.each(({ bucket }) => {
  bucket.uploads.length = 0;
  Object.assign(bucket.rule, { name: '', status: 403 });
});

async function run({ daemon, input }: Context, output: object, fields: object = {}) {
  const id = await daemon.create({ input, ...fields, outputs: [{ ...cut, ...output }] });
  const job = await daemon.waitForJob(id);
  const details = await daemon.read<OutputDetails>(`/v2/outputs/${job.output_media_files[0]?.id}`);
  return { id, job, details };
}

test('a hosted output plays from its address, with ranges and conditional requests, and is removed as a whole', async (context) => {
  const { daemon } = context;
  const { id, details, job } = await run(context, { filename: 'a.mp4', byte_range_segmenting: true });
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.match(details.url ?? '', /\/hosted\/[0-9a-f]{32}\/a\.m3u8$/);
  assert.match(JSON.stringify(job.warnings), 'outputs[0].filename","message":"is a playlist');
  const url = details.url ?? '';
  const answer = await fetch(url);
  const headersOf = (response: Response) => [
    response.status,
    response.headers.get('content-type'),
    response.headers.get('access-control-allow-origin'),
  ];
  assert.equal(headersOf(answer), [200, 'application/vnd.apple.mpegurl', '*']);
  const { segments } = parsePlaylist(await answer.text());
  const { uri = '', range } = segments[1] ?? {};
  const first = range?.offset ?? 0;
  const last = first + (range?.size ?? 0) - 1;
  const part = await fetch(new URL(uri, url), { headers: { Range: `bytes=${first}-${last}` } });
  assert.equal(headersOf(part), [206, 'video/mp2t', '*']);
  assert.is((await part.arrayBuffer()).byteLength, range?.size);
  const etag = answer.headers.get('etag') ?? '';
  const modified = answer.headers.get('last-modified') ?? '';
  const conditions = [
    [{ 'If-None-Match': etag }, 304],
    [{ 'If-None-Match': `"other", W/${etag}` }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"other"' }, 200],
    [{ 'If-None-Match': '"other"', 'If-Modified-Since': modified }, 200],
    [{ 'If-Modified-Since': modified }, 304],
    [{ 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
    [{ 'If-Modified-Since': 'yesterday' }, 200],
  ] as const;
  for (const [headers, status] of conditions) {
    const response = await fetch(url, { headers });
    assert.equal([response.status, response.headers.get('etag')], [status, etag], JSON.stringify(headers));
    if (status === 304) assert.is(await response.text(), '');
    else await response.body?.cancel();
  }
  const hosted = join(daemon.dataFolder, 'hosted', /hosted\/([0-9a-f]{32})/.exec(url)?.[1] ?? '');
  assert.equal(readdirSync(hosted).toSorted(), ['a-iframe-index.m3u8', 'a.m3u8', 'a.ts']);
  assert.is((await daemon.request(`/v2/jobs/${id}`, { method: 'DELETE' })).status, 204);
  assert.not.ok(existsSync(hosted));
});

test('venc download saves the segments of a hosted output next to its playlist, once', async (context) => {
  const { daemon } = context;
  const { id } = await run(context, { filename: 'a.m3u8' });
  const cwd = tempFolder();
  const venc = (...words: string[]) =>
    runCli(words, { cwd, env: { VENC_URL: daemon.url, VENC_API_KEY: daemon.key } });
  const { code, stdout, stderr } = await venc('download', String(id), '--progress', 'none');
  assert.is(code, 0, stderr);
  assert.equal(stdout.trim().split('\n'), [...parts, 'a.m3u8']);
  assert.equal(readdirSync(cwd).toSorted(), [...parts, 'a.m3u8'].toSorted());
  assert.is(parsePlaylist(readFileSync(join(cwd, 'a.m3u8'), 'utf8')).segments.length, 3);
  const again = await venc('download', String(id), '--progress', 'none');
  assert.equal([again.code, again.stdout], [0, ''], again.stderr);
  const shown = await venc('show', String(id));
  assert.match(shown.stdout, /segments +3, 2 s at most, peak \d+ kbps, average \d+ kbps, avc1/);
});

test('venc submit --hls makes a ladder that the daemon hosts, and downloads it with both playlists', async ({
  daemon,
  folder,
}) => {
  const cwd = tempFolder();
  const words = [
    '--hls',
    '--ladder',
    '48',
    '--segment-seconds',
    '2',
    '--wait',
    '--download',
    'site',
    '--progress',
    'none',
  ];
  const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
  const { code, stderr } = await runCli(['submit', join(folder, 'in.mp4'), ...words], { cwd, env });
  assert.is(code, 0, stderr);
  const segments = (track: string) =>
    ['init.mp4', '00001.m4s', '00002.m4s', '00003.m4s'].map((end) => `${track}-${end}`);
  assert.equal(
    readdirSync(join(cwd, 'site')).toSorted(),
    [
      ...['48p.m3u8', '48p.mpd', ...segments('48p-video'), 'audio.m3u8', 'audio.mpd'],
      ...[...segments('audio-audio'), 'master.m3u8', 'master.mpd'],
    ].toSorted(),
  );
  const { streams, media } = parsePlaylist(readFileSync(join(cwd, 'site', 'master.m3u8'), 'utf8'));
  assert.equal(
    streams.map(({ uri }) => uri),
    ['48p.m3u8', 'audio.m3u8'],
  );
  assert.is(media[0]?.URI, 'audio.m3u8');
  const shown = await runCli(['show', '@last'], { cwd, env });
  assert.match(shown.stdout, /dash url +http:.*\/hosted\/[0-9a-f]{32}\/master\.mpd/);
});

test('venc run writes a segmented output next to its playlist', async ({ folder }) => {
  const out = tempFolder();
  const words = [
    'run',
    join(folder, 'in.mp4'),
    '-o',
    `${out}/b.m3u8`,
    '--type',
    'segmented',
    '--segment-seconds',
    '2',
  ];
  const { code, stdout, stderr } = await runCli([...words, '--width', '64', '--progress', 'none'], {
    cwd: out,
  });
  assert.is(code, 0, stderr);
  assert.is(stdout.trim(), `${out}/b.m3u8`);
  assert.equal(readdirSync(out).toSorted(), ['b-00001.ts', 'b-00002.ts', 'b-00003.ts', 'b.m3u8']);
});

test('segments are uploaded to a bucket in parallel and playlists last, each with its type', async (context) => {
  const { bucket } = context;
  // The first segment is stored once the second one has begun: that never happens if they come one after the other.
  Object.assign(bucket.rule, { name: 'a-00001.ts', status: { after: 'a-00002.ts' } });
  const { job } = await run(context, {
    url: 's3://films/one/a.m3u8',
    headers: { 'Cache-Control': 'max-age=60' },
    public: true,
  });
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.equal(bucket.uploads.map(({ name }) => name).toSorted(), [...parts, 'a.m3u8'].toSorted());
  const of = (name: string) => bucket.uploads.find((upload) => upload.name === name);
  const [one, two] = [of('a-00001.ts'), of('a-00002.ts')];
  assert.ok((two?.begin ?? 0) < (one?.end ?? 0), 'the segments are uploaded in parallel');
  const endOfSegments = Math.max(
    ...bucket.uploads.filter(({ name }) => name.endsWith('.ts')).map(({ end }) => end),
  );
  assert.ok(endOfSegments < (of('a-iframe-index.m3u8')?.begin ?? 0));
  assert.ok((of('a-iframe-index.m3u8')?.end ?? 0) < (of('a.m3u8')?.begin ?? 0));
  for (const { name, headers } of bucket.uploads) {
    const type = name.endsWith('.ts') ? 'video/mp2t' : 'application/vnd.apple.mpegurl';
    assert.equal([headers['content-type'], headers['cache-control']], [type, 'max-age=60'], name);
    assert.is(headers['x-amz-acl'], 'public-read', name);
  }
  bucket.uploads.length = 0;
  bucket.rule.name = '';
  await run(context, {
    url: 's3://films/typed/a.m3u8',
    headers: { 'Content-Type': 'video/x-mine' },
    parallel_upload_limit: 1,
  });
  for (const [index, { name, headers, begin }] of bucket.uploads.entries()) {
    const isSegment = name.endsWith('.ts');
    assert.is(headers['content-type'], isSegment ? 'video/x-mine' : 'application/vnd.apple.mpegurl');
    assert.ok(begin >= (bucket.uploads[index - 1]?.end ?? 0), 'one upload at a time');
  }
});

test('an upload that fails or is cancelled leaves no segment', async (context) => {
  const { bucket, daemon, input } = context;
  const before = bucket.objects();
  for (const name of ['a.m3u8', 'a-iframe-index.m3u8', 'a-00002.ts']) {
    Object.assign(bucket.rule, { name, status: 403 });
    const { details } = await run(context, { url: 's3://films/two/a.m3u8' });
    assert.equal([details.state, details.error_class], ['failed', 'UploadAccessDeniedError'], name);
    assert.equal([details.segments, details.fragment_duration_in_ms], [undefined, undefined]);
    assert.equal(bucket.objects(), before, name);
  }
  bucket.uploads.length = 0;
  Object.assign(bucket.rule, { name: 'a.m3u8', status: 'held' });
  const id = await daemon.create({ input, outputs: [{ ...cut, url: 's3://films/three/a.m3u8' }] });
  await waitUntil('the playlist is uploaded', () => bucket.uploads.some(({ name }) => name === 'a.m3u8'));
  assert.is(bucket.objects().length, before.length + parts.length);
  assert.is((await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
  await waitUntil('nothing is left', () => bucket.objects().length === before.length);
});

test('segments of a killed daemon without their playlist are removed by the next one', async ({
  bucket,
  folder,
}) => {
  const before = bucket.objects();
  Object.assign(bucket.rule, { name: 'a.m3u8', status: 'held' });
  const input = join(folder, 'once.mp4');
  copyFileSync(join(folder, 'in.mp4'), input);
  const data = tempFolder();
  const first = await startDaemonProcess(data, ['--files-root', folder]);
  const outputs = [{ ...cut, url: 's3://films/four/a.m3u8' }];
  const body = JSON.stringify({ api_key: processKey, input: `file://${input}`, outputs });
  assert.is((await fetch(`${first.url}/v2/jobs`, { method: 'POST', body })).status, 201);
  await waitUntil('the playlist is uploaded', () => bucket.uploads.some(({ name }) => name === 'a.m3u8'));
  assert.is(bucket.objects().length, before.length + parts.length);
  await first.end('SIGKILL');
  // Without its input, the job is not made again.
  rmSync(input);
  await startDaemonProcess(data, ['--files-root', folder]);
  await waitUntil('nothing is left', () => bucket.objects().length === before.length);
});

test('a server of files gets the segments too, and its failure removes them', async (context) => {
  const { folder } = context;
  const server = await startFtpTestServer();
  const failing = await startFtpTestServer({ rejects: (line) => /^RNTO .*a\.m3u8$/.test(line) });
  const url = ({ port }: FtpTestServer) => `ftp://me:secret@127.0.0.1:${port}/a.m3u8`;
  await run(context, { url: url(server) });
  const names = [...parts, 'a.m3u8'].map((name) => `/${name}`);
  assert.equal([...server.files.keys()].toSorted(), names.toSorted());
  const failed = await run(context, { url: url(failing) });
  assert.is(failed.details.state, 'failed');
  assert.equal([...failing.files.keys()], []);

  const endpoint = await startWebhookEndpoint();
  const { details, job } = await run(
    context,
    { url: url(failing), secondary_url: `file://${folder}/second/b.m3u8` },
    { notifications: { url: endpoint.url('/job'), format: 'xml' } },
  );
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(details.url, `file://${folder}/second/b.m3u8`);
  assert.equal([...failing.files.keys()], []);
  assert.equal(readdirSync(join(folder, 'second')).toSorted(), [...parts, 'b.m3u8'].toSorted());
  await waitUntil('the notification has arrived', () => endpoint.received.length === 1);
  const body = endpoint.received[0]?.body ?? '';
  assert.match(body, '<segments type="integer">3</segments>');
  assert.match(body, /<rfc-6381-video-codec>avc1\.|<rfc_6381_video_codec>avc1\./);
  await Promise.all([server.close(), failing.close(), endpoint.close()]);
});

test.run();
