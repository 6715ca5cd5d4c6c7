import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodes } from '../../src/shared/exit-codes.js';
import type { LogRecord } from '../../src/shared/records.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { runCli, startCli } from './run-cli.js';
import { runInProcess } from './run-here.js';

interface Context {
  data: string;
  daemon: DaemonProcess;
  env: Record<string, string>;
}

const test = suite<Context>('venc logs');

test.before(async (context) => {
  context.data = join(tempFolder(), 'data');
  context.daemon = await startDaemonProcess(context.data, ['--jobs', '0']);
  context.env = { VENC_URL: context.daemon.url, VENC_API_KEY: processKey };
  for (const words of [
    ['submit', 'http://127.0.0.1:9/a.mp4'],
    ['cancel', '@last'],
  ])
    await runInProcess(words, context);
});
test.after(killDaemons);

test('prints the lines of a job as text, as JSON and as JSON lines', async ({ env }) => {
  const text = await runInProcess(['logs', '@last'], { env });
  const [first, second] = ['Job 1 is accepted.', 'Job 1 is cancelled.'];
  assert.match(
    text.stdout,
    /^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}Job 1 is accepted\.\n\S+ info {2}Job 1 is cancelled\.\n$/,
  );
  const json: readonly LogRecord[] = JSON.parse(
    (await runInProcess(['logs', '1', '--json'], { env })).stdout,
  );
  assert.equal(
    json.map(({ message }) => message),
    [first, second],
  );
  const lines = (await runInProcess(['logs', '1', '--jsonl', '--tail', '1'], { env })).stdout;
  assert.is((JSON.parse(lines) as LogRecord).message, second);
  const followed = await runInProcess(['logs', '1', '-f', '--json'], { env });
  assert.equal(
    followed.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as LogRecord).id),
    json.map(({ id }) => id),
  );
});

test('without an id prints the log of the daemon, with the lines of all jobs', async ({ env }) => {
  const { stdout, code } = await runInProcess(['logs'], { env });
  assert.is(code, 0);
  assert.match(stdout, /listens at http:.*\n(?:.*\n)*.*Job 1 is accepted\.\n.*Job 1 is cancelled\.\n$/);
  const none = await runInProcess(['logs', '1', '--level', 'error'], { env });
  assert.equal([none.code, none.stdout], [0, '']);
  assert.match(none.stderr, 'the log has no lines of this level');
});

test('an unknown job, an output and a wrong level are explained', async ({ env }) => {
  for (const [words, code, says] of [
    ['logs 99', 5, /There is no job with the id 99/],
    ['logs 3', 5, /3 is not a job: it is the output 3 of job 1/],
    ['logs 99 -f', 5, /There is no job with the id 99/],
    ['logs 1 --level loud', 2, /--level/],
    ['logs 1 --tail 0', 2, /--tail/],
    ['logs 1 --json --jsonl', 2, /--jsonl/],
    ['show 1 --log --json', 2, /--log/],
  ] as const) {
    const result = await runInProcess(words.split(' '), { env });
    assert.is(result.code, code, `${words}: ${result.stderr}`);
    assert.match(result.stderr, says);
  }
});

test('venc show --log prints the log after the details', async ({ env }) => {
  const { stdout } = await runInProcess(['show', '1', '--log'], { env });
  assert.match(
    stdout,
    /^job 1 {2}cancelled\n(?:.*\n)*\nlog\n\S+ info {2}Job 1 is accepted\.\n.*cancelled\.\n$/,
  );
});

for (const unknownStatus of [200, 404, 405, 501]) {
  test(`a service that answers unknown addresses with ${unknownStatus} keeps no logs, and venc says so`, async () => {
    const service = await startFakeService({ unknownStatus });
    const env = { VENC_URL: service.url, VENC_API_KEY: service.key };
    for (const words of ['logs 1001', 'logs 1001 -f', 'logs', 'logs -f', 'show 1001 --log']) {
      const result = await runInProcess(words.split(' '), { env });
      assert.is(result.code, 5, `${words}: ${result.stderr}`);
      assert.match(result.stderr, 'This service keeps no logs that venc can read.');
    }
    const missing = await runInProcess(['logs', '999'], { env });
    assert.not.match(missing.stderr, 'keeps no logs');
    await service.close();
  });
}

test('--follow goes on over a kill and a start of the daemon until the job has ended, with each line once', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), film('320x180', 3));
  const data = join(folder, 'data');
  const env = { VENC_DATA: data, VENC_API_KEY: processKey };
  const args = ['--files-root', folder, '--jobs', '1'];
  const first = await startDaemonProcess(data, args);
  const output = ['--output', 'video_codec=vp9,speed=1'];
  const submitted = await runCli(['submit', `file://${folder}/film.mp4`, ...output], { env });
  assert.is(submitted.code, 0, submitted.stderr);
  const following = startCli(['logs', '1', '--follow', '--jsonl'], { env });
  await following.expectedText('ffmpeg starts');
  await first.end('SIGKILL');
  await following.expectedText('Trying again until it answers');
  const second = await startDaemonProcess(data, args);
  const { code, stdout, stderr } = await following.ended;
  assert.is(code, 0, stderr);
  assert.match(stderr, 'The service answers again.');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRecord);
  assert.is(new Set(lines.map(({ id }) => id)).size, lines.length);
  assert.ok(
    lines.some(({ message }) => /^Job 1 was running when the daemon ended/.test(message)),
    stdout,
  );
  assert.match(lines.at(-1)?.message ?? '', /^Job 1 is finished/);
  const kept = await runCli(['logs', '1', '--jsonl'], { env });
  const keptIds = kept.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as LogRecord).id);
  const seenIds = new Set(lines.map(({ id }) => id));
  assert.equal(
    keptIds.filter((id) => !seenIds.has(id)),
    [],
  );
  await second.end('SIGTERM');
});

test('Ctrl-C ends --follow with 130 and says nothing', async ({ env }) => {
  const following = startCli(['logs', '--follow'], { env });
  await following.expectedText('Job 1 is cancelled.');
  following.child.kill('SIGINT');
  const { code, stderr } = await following.ended;
  assert.equal([code, stderr], [130, '']);
});

test('a key of another account that asks for the log of the daemon learns which key it needs', async ({
  data,
  daemon,
}) => {
  const created = await runInProcess(['accounts', 'create', 'studio', '--data', data], {});
  const env = { VENC_URL: daemon.url, VENC_API_KEY: created.stdout.trim() };
  const { code, stderr } = await runInProcess(['logs'], { env });
  assert.is(code, exitCodes.unauthorized);
  assert.match(stderr, /hint: use a full access key of the account default/);
});

test.run();
