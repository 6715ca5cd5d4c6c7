import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { freePort } from '../helpers/servers/program.js';
import { tempFolder } from '../helpers/temp.js';

const daemon = await startTestDaemon();
const folder = tempFolder();
const film = await media('clip.mp4');
const venc = (words: readonly string[], cwd = folder) =>
  runCli(words, { cwd, env: { VENC_URL: daemon.url, VENC_API_KEY: daemon.key } });
const md5Of = (path: string) => createHash('md5').update(readFileSync(path)).digest('hex');

test.after(() => daemon.stop());

test('one command submits a file, waits, and downloads the outputs with their thumbnails', async () => {
  const words = ['submit', film, '--wait', '--download', 'films', '--progress', 'none'];
  const { code, stdout, stderr } = await venc([
    ...words,
    '--output',
    'filename=web.mp4,width=64',
    '--thumbnails',
    '2',
  ]);
  assert.is(code, 0, stderr);
  const [id = '', ...paths] = stdout.trim().split('\n');
  assert.equal(paths, ['films/web.mp4', 'films/web_0000.png', 'films/web_0001.png']);
  assert.equal(readdirSync(join(folder, 'films')).sort(), ['web.mp4', 'web_0000.png', 'web_0001.png']);
  const { job } = await daemon.read<{
    job: { output_media_files: readonly { md5_checksum: string }[] };
  }>(`/v2/jobs/${id}`);
  assert.is(md5Of(join(folder, 'films', 'web.mp4')), job.output_media_files[0]?.md5_checksum);
});

test('submit --download rejects an existing file name before the upload; after the job it shows the download command', async () => {
  const here = tempFolder();
  writeFileSync(join(here, 'web.mp4'), 'mine');
  const words = ['submit', film, '--wait', '--download', '.', '--progress', 'none'];
  const before = await venc([...words, '--filename', 'web.mp4'], here);
  assert.equal([before.code, before.stdout], [2, '']);
  assert.match(before.stderr, /web\.mp4 already exists\.\nvenc: hint: overwrite it with --force/);
  // With an idempotency key the job may be a repeat, some of whose files are already downloaded.
  const after = await venc([...words, '--filename', 'web.mp4', '--idempotency-key', 'taken'], here);
  assert.is(after.code, 2);
  const id = after.stdout.trim();
  assert.match(
    after.stderr,
    `venc: hint: the job has ended: venc download ${id} --force, or with --out another folder`,
  );
  assert.is(readFileSync(join(here, 'web.mp4'), 'utf8'), 'mine');
});

test('a download resumes from its partial file, overwrites nothing without --force, and names a missing output', async () => {
  const submitted = await venc(['submit', film, '--wait', '--filename', 'out.mp4', '--progress', 'none']);
  const id = submitted.stdout.trim();
  const here = tempFolder();
  assert.equal(await venc(['download', id, '--progress', 'none'], here), {
    code: 0,
    signal: null,
    stdout: 'out.mp4\n',
    stderr: '',
  });
  const whole = readFileSync(join(here, 'out.mp4'));
  const again = await venc(['download', id], here);
  assert.equal([again.code, again.stdout], [0, ''], 'the file exists and is complete');
  assert.is(again.stderr, 'venc: out.mp4 already exists and is complete\n');
  writeFileSync(join(here, 'out.mp4'), 'something else');
  const rejected = await venc(['download', id], here);
  assert.is(rejected.code, 2);
  assert.match(rejected.stderr, /out\.mp4 already exists[\s\S]*--force/);
  writeFileSync(join(here, 'out.mp4.part'), whole.subarray(0, 1000));
  const forced = await venc(['download', id, '--force', '--progress', 'json'], here);
  assert.is(forced.code, 0, forced.stderr);
  assert.ok(readFileSync(join(here, 'out.mp4')).equals(whole));
  assert.not.ok(existsSync(join(here, 'out.mp4.part')));
  const [first = ''] = forced.stderr.split('\n');
  assert.is(JSON.parse(first).done_bytes, 1000, 'it resumed from the partial file');
  assert.is((await venc(['download', '99999'], here)).code, 5);
});

test('outputs that an earlier run has downloaded are skipped, and other existing files are not', async () => {
  const outputs = ['--output', 'filename=a.mp4,width=64', '--output', 'filename=b.mp4,width=48'];
  const submitted = await venc(['submit', film, '--wait', '--progress', 'none', ...outputs]);
  const id = submitted.stdout.trim();
  const here = tempFolder();
  assert.is((await venc(['download', id], here)).stdout, 'a.mp4\nb.mp4\n');
  rmSync(join(here, 'b.mp4'));
  const again = await venc(['download', id, '--progress', 'none'], here);
  assert.equal(
    [again.code, again.stdout, again.stderr],
    [0, 'b.mp4\n', 'venc: a.mp4 already exists and is complete\n'],
  );
  rmSync(join(here, 'b.mp4'));
  writeFileSync(join(here, 'a.mp4'), 'mine');
  assert.is((await venc(['download', id, '--progress', 'none'], here)).code, 2);
  assert.is(readFileSync(join(here, 'a.mp4'), 'utf8'), 'mine');
});

test('a daemon that restarts on another port still serves its hosted files', async () => {
  const dataFolder = join(tempFolder(), 'data');
  const env = { VENC_DATA: dataFolder };
  const before = await startTestDaemon({ dataFolder });
  const made = await runCli(['submit', film, '--wait', '--filename', 'a.mp4', '--progress', 'none'], { env });
  assert.is(made.code, 0, made.stderr);
  await before.stop();
  const blocker = createServer().listen(Number(new URL(before.url).port), '127.0.0.1');
  const after = await startTestDaemon({ dataFolder });
  const here = tempFolder();
  const fetched = await runCli(['download', made.stdout.trim(), '--progress', 'none'], { env, cwd: here });
  await after.stop();
  blocker.close();
  assert.equal([fetched.code, fetched.stdout], [0, 'a.mp4\n'], fetched.stderr);
});

test('a running job cannot be downloaded, and the message says what to do', async () => {
  const waiting = await startTestDaemon({ jobs: 0 });
  try {
    const id = String(await waiting.create({ input: 'http://example.com/a.mp4' }));
    const env = { VENC_URL: waiting.url, VENC_API_KEY: waiting.key };
    const { code, stderr } = await runCli(['download', id], { env });
    assert.is(code, 6);
    assert.match(stderr, /has not ended[\s\S]*venc wait/);
  } finally {
    await waiting.stop();
  }
});

test('flags without effect are reported, and so is a stage that does not support uploads', async () => {
  const cases = [
    [['submit', film, '--download', 'films'], /--download needs --wait/],
    [['submit', film, '--wait', '--force'], /--force needs --download/],
    [['submit', 'http://example.com/a.mp4', '--stage', 's3://bucket'], /--stage needs a local file/],
    [['submit', film, '--stage', 'gopher://example.com/in'], /Nothing can be uploaded to gopher/],
  ] as const;
  for (const [words, expected] of cases) {
    const { code, stderr } = await venc(words);
    assert.is(code, 2);
    assert.match(stderr, expected);
  }
});

test('a rejected upload is reported as rejected, however much of the file is still unsent', async () => {
  const path = join(folder, 'large.mov');
  writeFileSync(path, '');
  truncateSync(path, 40_000_000);
  const env = { VENC_URL: daemon.url, VENC_API_KEY: 'somebody-elses' };
  const { code, stderr } = await runCli(['submit', path, '--progress', 'none'], { env });
  assert.is(code, 4, stderr);
  assert.match(stderr, /key is not known/);
});

test('a request that the daemon would reject is rejected before the upload, and --mock uploads nothing', async () => {
  const uploads = () =>
    readdirSync(join(daemon.dataFolder, 'uploads')).filter((name) => !name.startsWith('.'));
  const before = uploads();
  const named = await venc(['submit', film, '--filename', 'film.xyz', '--progress', 'none']);
  assert.is(named.code, 2, named.stderr);
  assert.match(named.stderr, /filename ends in \.xyz, which is not a supported container/);
  const withDestination = await venc(['submit', film, '--url', 's3://bucket/film.mp4', '--progress', 'none']);
  assert.is(withDestination.code, 2, withDestination.stderr);
  const mock = await venc(['submit', film, '--mock', '--progress', 'none']);
  assert.is(mock.code, 0, mock.stderr);
  assert.match(mock.stderr, /the request is valid; nothing was queued/);
  for (const { stderr } of [named, withDestination, mock]) assert.not.match(stderr, 'stays at the service');
  assert.equal(uploads(), before);
});

test('a stage that cannot be reached is reported, and no job is created', async () => {
  const port = await freePort();
  const { code, stderr } = await venc(['submit', film, '--stage', `ftp://user:hunter2@127.0.0.1:${port}/in`]);
  assert.is(code, 3);
  assert.match(stderr, /refused the connection[\s\S]*nothing was submitted[\s\S]*--stage/);
  assert.not.match(stderr, /hunter2|resubmit/);
});

test('segmented outputs with the same name are downloaded into folders of their own', async () => {
  const here = tempFolder();
  const outputs = ['width=64', 'width=32'].flatMap((width) => [
    '--output',
    `type=segmented,filename=film.m3u8,${width}`,
  ]);
  const created = await venc(['submit', film, ...outputs, '--wait', '--progress', 'none'], here);
  assert.is(created.code, 0, created.stderr);
  const words = ['download', created.stdout.trim(), '--out', 'films', '--progress', 'none'];
  const { code, stdout, stderr } = await venc(words, here);
  assert.is(code, 0, stderr);
  const [first, playlist, second, secondPlaylist = ''] = stdout.trim().split('\n');
  assert.equal([first, playlist], ['films/film-00001.ts', 'films/film.m3u8']);
  assert.match(secondPlaylist, /^films\/(film-\d+)\/\1\.m3u8$/);
  assert.is(second, secondPlaylist.replace(/[^/]*$/, 'film-00001.ts'));
  assert.is.not(md5Of(join(here, first ?? '')), md5Of(join(here, second ?? '')));
  const again = await venc(words, here);
  assert.equal([again.code, again.stdout], [0, ''], again.stderr);
});

test.run();
