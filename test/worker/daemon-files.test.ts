import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Transport } from '../../daemon/transports/transport.js';
import { createDaemonFilesTransport } from '../../daemon/worker/daemon-files-transport.js';
import { createRemoteCredentials } from '../../daemon/worker/worker-client.js';
import type { VencError } from '../../src/shared/errors.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { fakeTokens } from './fake-daemon.js';
import { type RemoteRunHarness, startRemoteRun } from './run-harness.js';

const test = suite('the files of the daemon');

interface Scenario extends RemoteRunHarness {
  readonly transport: Transport;
  readonly folder: string;
}

const withTransport = (scenario: (given: Scenario) => Promise<void>) => async () => {
  const harness = await startRemoteRun();
  const { client, remote } = harness;
  const claim = { jobId: 1, token: fakeTokens.claim, signal: remote.run.signal };
  const limits = { stallTimeoutMs: 2_000, retryDelayMs: 5 };
  const transport = createDaemonFilesTransport({ client, claim, ...limits });
  try {
    await scenario({ ...harness, transport, folder: tempFolder() });
  } finally {
    await harness.close();
  }
};

const bytes = randomBytes(3_000_000);
const md5 = createHash('md5').update(bytes).digest('hex');
const transfer = { signal: new AbortController().signal, onProgress: () => {} };

test(
  'a download that is cut continues behind the last byte',
  withTransport(async ({ daemon, transport, folder }) => {
    const url = 'upload://token/in put.mp4';
    daemon.files.set(url, bytes);
    daemon.cutFileAfter = 1_000_000;
    const path = join(folder, 'input');
    assert.equal(await transport.download?.(url, path, transfer), { sizeBytes: bytes.length, md5 });
    assert.ok(bytes.equals(await readFile(path)));
    assert.is(daemon.requests.filter((path) => path.startsWith('GET')).length, 2);
    assert.is(await transport.sizeOf?.(url, transfer.signal), bytes.length);
  }),
);

test(
  'a file that the daemon does not have fails as missing, and leaves nothing',
  withTransport(async ({ transport, folder }) => {
    const error = await transport.download?.('upload://token/none.mp4', join(folder, 'input'), transfer).then(
      () => null,
      (one: VencError) => one,
    );
    assert.is(error?.errorClass, 'FileNotFoundError');
    assert.is(error?.message, 'The file does not exist on the machine of the daemon.');
    assert.equal(await listRecursively(folder), []);
  }),
);

test(
  'an upload that is cut continues behind the last byte that the daemon has',
  withTransport(async ({ daemon, transport, folder }) => {
    const path = join(folder, 'out.mp4');
    await writeFile(path, bytes);
    daemon.cutFileAfter = 1_000_000;
    const facts = await transport.upload?.(path, 'hosted://token/out.mp4', transfer);
    assert.equal(facts, { sizeBytes: bytes.length, md5 });
    assert.ok(daemon.files.get('hosted://token/out.mp4')?.equals(bytes));
    const offsets = daemon.requests.flatMap((one) => /PUT .*offset=(\d+)/.exec(one)?.[1] ?? []).map(Number);
    assert.is(offsets.length, 2);
    assert.is(offsets[0], 0);
    assert.ok((offsets[1] ?? 0) >= 1_000_000);
  }),
);

test(
  'an upload that was aborted is continued by the next one',
  withTransport(async ({ daemon, transport, folder }) => {
    const path = join(folder, 'out.mp4');
    await writeFile(path, bytes);
    const url = 'file:///srv/out.mp4';
    const aborted = new AbortController();
    const onProgress = () => aborted.abort(new Error('stale'));
    const error = await transport.upload?.(path, url, { signal: aborted.signal, onProgress }).then(
      () => null,
      (one: Error) => one.message,
    );
    assert.is(error, 'stale');
    assert.is(daemon.files.has(url), false);
    assert.equal(await transport.upload?.(path, url, transfer), { sizeBytes: bytes.length, md5 });
    assert.ok(daemon.files.get(url)?.equals(bytes));
  }),
);

test(
  'a transfer that fails while the daemon is away starts over when it is back',
  withTransport(async ({ daemon, transport, folder, events }) => {
    const path = join(folder, 'out.mp4');
    await writeFile(path, bytes);
    daemon.isDown = true;
    const uploading = transport.upload?.(path, 'hosted://token/out.mp4', transfer);
    const attempts = () => daemon.requests.filter((one) => one.includes('/received')).length;
    // After five attempts it asks whether the daemon answers, until it does. Requests on a connection that was kept alive
    // may be sent twice.
    await waitUntil('the transfer has used its retries', () => attempts() >= 8);
    await waitUntil('the daemon is unreachable', () => events.includes('disconnected'));
    daemon.isDown = false;
    assert.equal(await uploading, { sizeBytes: bytes.length, md5 });
  }),
);

test(
  'a delivered file is removed, and one that is missing is no error',
  withTransport(async ({ daemon, transport }) => {
    daemon.files.set('hosted://token/out.mp4', bytes);
    await transport.remove?.('hosted://token/out.mp4');
    assert.is(daemon.files.size, 0);
    await transport.remove?.('hosted://token/out.mp4');
  }),
);

test(
  'credentials are asked for until the daemon answers',
  withTransport(async ({ daemon, client, remote }) => {
    daemon.disturb('/credentials', 'cut', 503);
    const claim = { jobId: 1, token: fakeTokens.claim, signal: remote.run.signal };
    const saved = createRemoteCredentials(client, claim);
    const found = await saved.find({ accountId: '1', scheme: 's3', name: 'films' });
    assert.equal(found, { user: 'user', secret: 'secret' });
  }),
);

test.run();
