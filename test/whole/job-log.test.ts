import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { type FtpTestServer, startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  folder: string;
  /** An ffmpeg whose encodes fail at a filter that it does not have. */
  failing: string;
}

const secret = 'hunter2-secret';
const test = suite<Context>('the log of a job');

test.before(async (context) => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), film('64x48', 1));
  const bytes = await readFile(join(folder, 'film.mp4'));
  await writeFile(join(folder, 'cut.mp4'), bytes.subarray(0, Math.floor(bytes.length / 3)));
  const { ffmpeg } = await testFfmpeg();
  const failing = join(folder, 'ffmpeg');
  const script = [
    '#!/bin/sh',
    'for arg do shift; case "$arg" in *setsar=1*) arg=$(echo "$arg" | sed s/setsar=1/setsar=1,nosuchfilter=1/);; esac; set -- "$@" "$arg"; done',
    `exec '${ffmpeg.path}' "$@"`,
  ];
  await writeFile(failing, `${script.join('\n')}\n`);
  await chmod(failing, 0o755);
  Object.assign(context, { folder, failing });
});

const logOf = async (daemon: TestDaemon, id: number) =>
  (await daemon.read<{ log: readonly LogRecord[] }>(`/v2/jobs/${id}/log`)).log;

test('a job that finishes logs its stages and commands, all with its id, and the daemon fewer lines', async ({
  folder,
}) => {
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const id = await daemon.create({ input: `file://${folder}/film.mp4`, outputs: [{ label: 'web' }] });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished');
  const outputId = job.output_media_files[0]?.id;
  const lines = await logOf(daemon, id);
  const text = lines.map(({ message }) => message).join('\n');
  for (const pattern of [
    /^Job 1 is accepted\.$/m,
    /^Job 1 started: file:.*film\.mp4 to 1 output\.$/m,
    /^Job 1: the input is downloaded, /m,
    /^Job 1: output 3 \(web\) is being encoded\.$/m,
    /^Job 1: ffmpeg starts for output 3: ffmpeg .*-i file:input .* file:output-3\.mp4$/m,
    /^Job 1: output 3 \(web\) is being delivered\.$/m,
    /^Job 1: output 3 \(web\) is mpeg4, /m,
    /^Job 1 is finished: 1 of 1 output/m,
  ])
    assert.match(text, pattern);
  assert.not.match(text, daemon.dataFolder);
  assert.ok(lines.every((line) => line.job_id === id));
  assert.ok(lines.filter((line) => line.output_id === outputId).length >= 4);
  assert.not.match(daemon.logLines.join('\n'), /ffmpeg starts|being encoded/);
  await daemon.stop();
});

test('a failed encode keeps the last messages of ffmpeg in the log of the job, and not in its record', async ({
  folder,
  failing,
}) => {
  const daemon = await startTestDaemon({ filesRoots: [folder], ffmpeg: failing });
  const id = await daemon.create({ input: `file://${folder}/film.mp4` });
  const job = await daemon.waitForJob(id);
  assert.is(job.output_media_files[0]?.error_class, 'TranscodingError', JSON.stringify(job));
  const failed = (await logOf(daemon, id)).find(({ stderr }) => stderr !== undefined);
  assert.match(failed?.message ?? '', /^Job 1: ffmpeg failed for output 3\. Its last messages:$/);
  assert.match(failed?.stderr?.join('\n') ?? '', /No such filter: 'nosuchfilter'/);
  assert.is(failed?.output_id, 3);
  assert.not.match(JSON.stringify(failed), daemon.dataFolder);
  const shown = await runCli(['show', String(id), '--log'], { env: { VENC_DATA: daemon.dataFolder } });
  assert.match(shown.stdout, /^job 1 {2}failed\n(?:.*\n)*log\n\S+ info {2}Job 1 is accepted\.\n/);
  assert.match(shown.stdout, /Its last messages:\n(?: {4}.*\n)* {4}.*No such filter: 'nosuchfilter'/);
  await daemon.stop();
  const document = await readFile(join(daemon.dataFolder, 'jobs', 'done', '0', `${id}.json`), 'utf8');
  for (const text of [JSON.stringify(job), document, daemon.logLines.join('\n')])
    assert.not.match(text, /AVFilterGraph|No such filter: 'nosuchfilter'/);
});

test('an input that ffprobe rejects has the messages of ffprobe', async ({ folder }) => {
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const id = await daemon.create({ input: `file://${folder}/cut.mp4` });
  assert.is((await daemon.waitForJob(id)).state, 'failed');
  const rejected = (await logOf(daemon, id)).find(({ stderr }) => stderr !== undefined);
  assert.match(rejected?.message ?? '', /^Job 1: ffprobe rejects the file input\. Its last messages:$/);
  assert.match(rejected?.stderr?.join('\n') ?? '', /moov atom not found|Invalid data/);
  await daemon.stop();
});

test('no secret and, for a private job, no URL is in any log, and retries are', async ({ folder }) => {
  const daemon = await startTestDaemon({
    filesRoots: [folder],
    allowPrivateNetwork: true,
    stallTimeoutSeconds: 1,
  });
  const failing = await startFtpTestServer({ answers: { STOR: '450 busy' } });
  const url = ({ port }: FtpTestServer) => `ftp://me:${secret}@127.0.0.1:${port}/hidden.mp4?token=${secret}`;
  for (const isPrivate of [false, true]) {
    const outputs = [{ url: url(failing) }];
    const id = await daemon.create({ input: `file://${folder}/film.mp4`, private: isPrivate, outputs });
    await daemon.waitForJob(id);
    const lines = await logOf(daemon, id);
    const text = JSON.stringify(lines);
    const retries = lines.filter(({ message }) =>
      /: a transfer is tried again in \d\.\d s, Upload/.test(message),
    );
    assert.ok(retries.length > 0, text);
    assert.ok(retries.every(({ level, job_id }) => level === 'warn' && job_id === id));
    if (isPrivate) assert.not.match(text, /hidden|127\.0\.0\.1|ftp:|film\.mp4/);
    else assert.match(text, /is being delivered to ftp:\/\/me@127\.0\.0\.1/);
    const path = join(daemon.dataFolder, 'logs', 'jobs', '0', `${id}.log`);
    for (const log of [text, await readFile(path, 'utf8')]) assert.not.match(log, secret);
  }
  assert.not.match(daemon.logLines.join('\n'), secret);
  await daemon.stop();
  assert.not.match(await readFile(join(daemon.dataFolder, 'logs', 'daemon.log'), 'utf8'), secret);
  await failing.close();
});

test('a job finishes although its log cannot be written, and stderr says so once', async ({ folder }) => {
  const dataFolder = join(tempFolder(), 'data');
  await mkdir(dataFolder, { mode: 0o700 });
  await writeFile(join(dataFolder, 'logs'), 'in the way');
  const daemon = await startTestDaemon({ filesRoots: [folder], dataFolder });
  const id = await daemon.create({ input: `file://${folder}/film.mp4` });
  assert.is((await daemon.waitForJob(id)).state, 'finished');
  assert.equal(
    (await logOf(daemon, id)).map(({ message }) => message),
    ['Job 1 is accepted.'],
  );
  assert.is(daemon.logLines.filter((line) => /^warn The log files cannot be written/.test(line)).length, 1);
  await rm(join(dataFolder, 'logs'));
  const next = await daemon.create({ input: `file://${folder}/film.mp4` });
  assert.is((await daemon.waitForJob(next)).state, 'finished');
  assert.ok((await logOf(daemon, next)).length > 3);
  await daemon.stop();
});

test.run();
