import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobNotificationBody } from '../../src/shared/records/notifications.js';
import type { ErrorsRecord, JobRecord, OutputDetails } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { type FtpTestServer, startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  folder: string;
  input: string;
  daemon: TestDaemon;
  /** A server that accepts files. */
  server: FtpTestServer;
  /** A server that accepts no file. */
  failing: FtpTestServer;
}

const test = suite<Context>('secondary_url');
const secret = 'hunter2-secret';

test.before(async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'in.mov'), film('64x48', 1));
  context.input = `file://${join(context.folder, 'in.mov')}`;
  context.daemon = await startTestDaemon({ filesRoots: [context.folder], allowPrivateNetwork: true });
  context.server = await startFtpTestServer();
  context.failing = await startFtpTestServer({ answers: { STOR: '553 not allowed' } });
});
test.after(async ({ daemon, server, failing }) => {
  await daemon.stop();
  await Promise.all([server.close(), failing.close()]);
  killDaemons();
});

const ftpUrl = ({ port }: FtpTestServer, name: string, user = `me:${secret}@`) =>
  `ftp://${user}127.0.0.1:${port}/${name}`;

/** Runs a job with one output. */
async function deliver(
  { daemon, input }: Context,
  output: object,
  fields: object = {},
): Promise<{ readonly job: JobRecord; readonly details: OutputDetails }> {
  const id = await daemon.create({ input, ...fields, outputs: [{ width: 32, ...output }] });
  const job = await daemon.waitForJob(id);
  const details = await daemon.read<OutputDetails>(`/v2/outputs/${job.output_media_files[0]?.id}`);
  return { job, details };
}

async function postedErrors({ daemon, input }: Context, outputs: readonly object[]) {
  const body = JSON.stringify({ input, outputs, mock: true });
  const response = await daemon.request('/v2/jobs', { method: 'POST', body });
  return ((await response.json()) as Partial<ErrorsRecord>).errors ?? [];
}

test('a file whose delivery fails goes to its secondary URL with its thumbnails, and the records say so', async (context) => {
  const { daemon, server } = context;
  const endpoint = await startWebhookEndpoint();
  // The thumbnails can be written next to it, the file itself cannot.
  const first = await startFtpTestServer({ rejects: (line) => /^RNTO .*film\.mp4$/.test(line) });
  const { job, details } = await deliver(
    context,
    {
      url: ftpUrl(first, 'film.mp4'),
      secondary_url: ftpUrl(server, 'film.mp4'),
      thumbnails: { number: 2 },
      notifications: endpoint.url('/output'),
    },
    { notifications: { url: endpoint.url('/job'), format: 'xml' } },
  );
  assert.is(job.state, 'finished', JSON.stringify(job));
  const url = `ftp://me@127.0.0.1:${server.port}/film`;
  assert.is(job.output_media_files[0]?.url, `${url}.mp4`);
  assert.equal(
    job.thumbnails.map((one) => one.url),
    [`${url}_0000.png`, `${url}_0001.png`],
  );
  assert.equal([...server.files.keys()].toSorted(), ['/film.mp4', '/film_0000.png', '/film_0001.png']);
  const bytes = server.files.get('/film.mp4') ?? Buffer.alloc(0);
  assert.is(createHash('md5').update(bytes).digest('hex'), details.md5_checksum);
  assert.equal([details.state, details.url, details.backup_server_used], ['finished', `${url}.mp4`, true]);
  assert.match(details.primary_upload_error_message ?? '', /127\.0\.0\.1:\d+ .*not allowed|denies/);
  assert.equal([details.error_class, details.error_message], [null, null]);
  assert.ok(first.commands.some((line) => line.startsWith('RNTO') && line.endsWith('film_0001.png')));
  assert.equal([...first.files.keys()], [], 'no thumbnail stays at the first URL');

  await waitUntil('the notifications have arrived', () => endpoint.received.length === 2);
  const [ofOutput, ofJob] = endpoint.received;
  const { output } = JSON.parse(ofOutput?.body ?? '{}') as {
    readonly output: JobNotificationBody['outputs'][number];
  };
  assert.equal([output.backup_server_used, output.url], [true, `${url}.mp4`]);
  assert.is(output.primary_upload_error_message, details.primary_upload_error_message);
  assert.match(ofJob?.body ?? '', '<backup_server_used type="boolean">true</backup_server_used>');
  const seen = `${JSON.stringify([job, details])}${endpoint.received.map(({ body }) => body)}${daemon.logLines}`;
  assert.not.match(seen, secret);
  assert.match(daemon.logLines.join('\n'), /goes to its secondary URL because its URL failed, Upload/);
  await Promise.all([endpoint.close(), first.close()]);
});

test('the secondary URL is tried once all retries of the first have failed, which are as many as without it', async (context) => {
  const { folder, failing } = context;
  const stores = () => failing.commands.filter((line) => line.startsWith('STOR')).length;
  const alone = await deliver(context, { url: ftpUrl(failing, 'alone.mp4') });
  const expected = stores();
  assert.is(alone.job.state, 'failed');
  assert.is(alone.details.backup_server_used, undefined);
  const { job, details } = await deliver(context, {
    url: ftpUrl(failing, 'both.mp4'),
    secondary_url: `file://${join(folder, 'second', 'both.mp4')}`,
  });
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(stores(), 2 * expected);
  assert.is(details.primary_upload_error_message, alone.details.error_message?.replace('alone', 'both'));
  const bytes = readFileSync(join(folder, 'second', 'both.mp4'));
  assert.is(createHash('md5').update(bytes).digest('hex'), details.md5_checksum);
});

test('a server without a listener is replaced by the secondary URL, and the stored job says so', async (context) => {
  const { folder, daemon } = context;
  const closed = await startFtpTestServer();
  await closed.close();
  const { job, details } = await deliver(context, {
    url: ftpUrl(closed, 'a.mp4'),
    secondary_url: `file://${join(folder, 'refused.mp4')}`,
  });
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(details.backup_server_used, true);
  assert.not.match(details.primary_upload_error_message ?? '', secret);
  assert.ok(existsSync(join(folder, 'refused.mp4')));
  // Read from the disk again, by a daemon that did not run the job.
  const id = job.id;
  await daemon.stop();
  context.daemon = await startTestDaemon({
    dataFolder: daemon.dataFolder,
    filesRoots: [folder],
    allowPrivateNetwork: true,
  });
  const read = await context.daemon.read<OutputDetails>(`/v2/outputs/${job.output_media_files[0]?.id}`);
  assert.equal(read, details);
  assert.is((await context.daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job.state, 'finished');
});

test('if both fail, the first error counts, and nothing is left at either', async (context) => {
  const { failing } = context;
  const second = await startFtpTestServer({ rejects: (line) => /^RNTO .*film\.mp4$/.test(line) });
  const { job, details } = await deliver(context, {
    url: ftpUrl(failing, 'film.mp4'),
    secondary_url: ftpUrl(second, 'film.mp4'),
    thumbnails: { number: 1 },
  });
  assert.equal([job.state, details.state], ['failed', 'failed']);
  assert.match(details.error_message ?? '', String(failing.port));
  assert.is(details.url, `ftp://me@127.0.0.1:${failing.port}/film.mp4`);
  assert.is(details.backup_server_used, undefined);
  assert.ok(second.commands.some((line) => line.startsWith('RNTO') && line.endsWith('film_0000.png')));
  assert.equal([failing.files.size, second.files.size], [0, 0]);
  await second.close();
});

test('a delivery that succeeds does not touch the secondary URL', async (context) => {
  const { folder, failing } = context;
  const before = failing.commands.length;
  const { job, details } = await deliver(context, {
    type: 'transfer-only',
    url: `file://${join(folder, 'kept.mov')}`,
    secondary_url: ftpUrl(failing, 'kept.mov'),
  });
  assert.is(job.state, 'finished');
  assert.equal([details.backup_server_used, details.primary_upload_error_message], [undefined, undefined]);
  assert.is(failing.commands.length, before);
});

test('the secondary URL of another scheme is used with the default credentials for its scheme', async (context) => {
  const { folder, daemon, server } = context;
  for (const args of [
    ['shop', '--scheme', 'sftp'],
    ['spare', '--scheme', 'ftp', '--default'],
  ]) {
    const added = await runInProcess(['credentials', 'add', ...args, '--data', daemon.dataFolder], {
      stdin: `${args[0]}-user\n${secret}\n`,
    });
    assert.is(added.code, 0, added.stderr);
  }
  const closed = await startFtpTestServer();
  await closed.close();
  const { job, details } = await deliver(context, {
    url: `sftp://127.0.0.1:${closed.port}/a.mp4`,
    secondary_url: ftpUrl(server, 'by-default.mp4', ''),
    credentials: 'shop',
  });
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(details.url, ftpUrl(server, 'by-default.mp4', ''));
  assert.ok(server.commands.includes('USER spare-user'));
  assert.ok(server.files.has('/by-default.mp4'));
  assert.ok(existsSync(folder));
});

test('a file that another job has delivered to the first URL stays there if the daemon is killed while it uses the second', async ({
  folder,
  input,
}) => {
  const first = await startFtpTestServer({ rejects: (line) => /^RNTO .*film\.mp4$/.test(line) });
  const hanging = await startFtpTestServer({ answers: { STOR: null } });
  const data = join(tempFolder(), 'data');
  const args = ['--files-root', folder, '--allow-private-network', '--stall-timeout', '20s'];
  const killed = await startDaemonProcess(data, [...args, '--jobs', '1']);
  const output = {
    url: ftpUrl(first, 'film.mp4'),
    secondary_url: ftpUrl(hanging, 'film.mp4'),
    thumbnails: { number: 1 },
  };
  const created = await fetch(`${killed.url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': processKey },
    body: JSON.stringify({ input, outputs: [{ ...output, width: 32 }] }),
  });
  assert.is(created.status, 201);
  await waitUntil('the second server is used', () => hanging.commands.some((one) => one.startsWith('STOR')));
  await killed.end('SIGKILL');
  const earlier = first.commands.length;
  first.files.set('/film.mp4', Buffer.from('of another job'));
  const next = await startDaemonProcess(data, [...args, '--jobs', '0']);
  assert.equal([...first.files.keys()], ['/film.mp4']);
  assert.not.ok(first.commands.slice(earlier).some((one) => /^DELE .*film\.mp4/.test(one)));
  assert.is(await next.end('SIGTERM'), 0);
  await Promise.all([first.close(), hanging.close()]);
});

test('a secondary URL is checked as url is, and no two outputs share it', async (context) => {
  const file = (name: string) => `file://${join(context.folder, name)}`;
  const rejected: readonly (readonly [outputs: readonly object[], error: RegExp])[] = [
    [
      [{ url: file('a.mp4'), secondary_url: file('./b/../a.mp4') }],
      /^outputs\[0\]\.secondary_url must not be the same as url$/,
    ],
    [
      [{ secondary_url: `https://me:${secret}@example.com/a.mp4` }],
      /^outputs\[0\]\.secondary_url must not be https: outputs need/,
    ],
    [[{ secondary_url: 'hosted://token/a.mp4' }], /^outputs\[0\]\.secondary_url has the scheme "hosted"/],
    [[{ secondary_url: 'file:///elsewhere/a.mp4' }], /^outputs\[0\]\.secondary_url .*--files-root/],
    [[{ secondary_url: 'a.mp4' }], /^outputs\[0\]\.secondary_url must be a URL/],
    [
      [{ secondary_url: file(`${'a'.repeat(252)}.mp4`) }],
      /^outputs\[0\]\.secondary_url must have at most 255 bytes/,
    ],
    [
      [{ secondary_url: file('a.mp4') }, { secondary_url: file('a.mp4') }],
      /^outputs\[1\]\.secondary_url goes to the same place as another output/,
    ],
    [[{ secondary_url: file('a.mp4') }, { url: file('a.mp4') }], /^outputs\[1\] goes to the same place as/],
    [
      [
        { secondary_url: file('a.mp4'), thumbnails: { number: 1 } },
        { url: file('a.mov'), thumbnails: { number: 1 } },
      ],
      /^outputs\[1\]\.thumbnails\[0\] would write the same files as thumbnails\[0\] of outputs\[0\]/,
    ],
  ];
  for (const [outputs, error] of rejected) {
    const errors = await postedErrors(context, outputs);
    assert.is(errors.length, 1, JSON.stringify([outputs, errors]));
    assert.match(errors[0] ?? '', error);
    assert.not.match(errors[0] ?? '', secret);
  }
  const same = { url: file('x.mp4'), secondary_url: file('x.mov'), thumbnails: { number: 1 } };
  assert.equal(await postedErrors(context, [same]), []);
});

test.run();
