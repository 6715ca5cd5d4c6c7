import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JobNotificationBody, OutputNotificationBody } from '../../src/shared/records/notifications.js';
import { runCli } from '../cli/run-cli.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  input: string;
  env: Readonly<Record<string, string>>;
}

const test = daemonSuite<Context>(
  'skipped outputs in notifications, reports and the watch',
  async (context) => {
    const folder = tempFolder();
    await makeMedia(join(folder, 'in.mov'), film('64x48', 1));
    context.input = `file://${join(folder, 'in.mov')}`;
    return { filesRoots: [folder] };
  },
  async (context) => {
    context.env = { VENC_URL: context.daemon.url, VENC_API_KEY: context.daemon.key };
  },
);

const skipped = { label: 'hd', min_size: '1280x720' };
const made = { label: 'sd', width: 32 };

test('a skipped output is notified with that state and no media, and so is its job', async ({
  daemon,
  input,
}) => {
  const endpoint = await startWebhookEndpoint();
  const id = await daemon.create({
    input,
    notifications: endpoint.url('/job'),
    outputs: [
      {
        ...skipped,
        notifications: [endpoint.url('/hd'), { url: endpoint.url('/hd-in-xml'), format: 'xml' }],
      },
      { ...made, notifications: endpoint.url('/sd') },
      { label: 'copy', source: 'hd', width: 16, notifications: endpoint.url('/copy') },
    ],
  });
  await daemon.waitForJob(id);
  await waitUntil('all notifications have arrived', () => endpoint.received.length === 5);
  const bodyAt = (path: string): string => endpoint.received.find((one) => one.path === path)?.body ?? '{}';
  for (const path of ['/hd', '/copy']) {
    const { job, output } = JSON.parse(bodyAt(path)) as OutputNotificationBody;
    assert.equal([job.id, output.state, output.error_class], [id, 'skipped', null]);
    assert.equal(
      [output.format, output.width, output.duration_in_ms, output.file_size_in_bytes, output.md5_checksum],
      [null, null, null, null, null],
    );
    assert.ok(output.url);
  }
  assert.match(bodyAt('/hd-in-xml'), '<output><id type="integer">');
  assert.match(bodyAt('/hd-in-xml'), '<state>skipped</state>');
  assert.is((JSON.parse(bodyAt('/sd')) as OutputNotificationBody).output.state, 'finished');
  const ofJob = JSON.parse(bodyAt('/job')) as JobNotificationBody;
  assert.is(ofJob.job.state, 'finished');
  assert.equal(
    ofJob.outputs.map(({ state }) => state),
    ['skipped', 'finished', 'skipped'],
  );
  assert.is(endpoint.received.at(-1)?.path, '/job');
  await endpoint.close();
});

test('a skipped output is not in a report', async ({ daemon, input, env }) => {
  for (const [grouping, outputs] of [
    ['with', [skipped, made]],
    ['without', [made]],
    ['all skipped', [skipped]],
  ] as const)
    assert.is((await daemon.waitForJob(await daemon.create({ input, grouping, outputs }))).state, 'finished');
  const day = new Date().toISOString().slice(0, 10);
  const reportOf = async (grouping: string): Promise<unknown> => {
    const args = ['report', 'vod', '--grouping', grouping, '--from', day, '--to', day, '--json'];
    const { code, stdout, stderr } = await runCli(args, { env });
    assert.is(code, 0, stderr);
    return (JSON.parse(stdout) as { readonly total: unknown }).total;
  };
  const amounts = await reportOf('with');
  assert.equal(amounts, await reportOf('without'));
  assert.ok(Object.values(amounts as Readonly<Record<string, number>>).some((amount) => amount > 0));
  const none = await reportOf('all skipped');
  assert.ok(Object.values(none as Readonly<Record<string, number>>).every((amount) => amount === 0));
});

test('the watch of a job with a skipped output ends with success and names its state', async ({
  daemon,
  input,
  env,
}) => {
  const id = await daemon.create({ input, outputs: [skipped, made] });
  const watched = await runCli(['watch', String(id), '--jsonl'], { env });
  assert.is(watched.code, 0, watched.stderr);
  const events = watched.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  assert.match(JSON.stringify(events.at(-1)), /"skipped"/);
  assert.match(JSON.stringify(events.at(-1)), /"finished"/);
  const plain = await runCli(['watch', String(id), '--progress', 'plain'], { env });
  assert.is(plain.code, 0, plain.stderr);
  assert.match(plain.stdout, /finished/);
  const allSkipped = await daemon.create({ input, outputs: [skipped] });
  const ended = await runCli(['watch', String(allSkipped), '--progress', 'plain'], { env });
  assert.is(ended.code, 0, ended.stdout + ended.stderr);
});

test.run();
