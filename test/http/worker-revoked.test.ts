import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { revokeKey } from '../../daemon/store/accounts/api-keys.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { joinTestWorker } from '../helpers/test-worker.js';

const test = suite('revoked keys of workers over HTTP');
const body = { input: 'http://127.0.0.1:9/film.mp4', outputs: [{ type: 'transfer-only' }] };

test('a job of a worker whose key is revoked goes to the next worker at once, and that is no crash', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const revoked = await joinTestWorker(daemon, { name: 'revoked' });
  const next = await joinTestWorker(daemon, { name: 'next' });
  const id = await daemon.create(body);
  const first = await revoked.claim();
  const idle = revoked.send('POST', '/claims', { body: { workerId: revoked.workerId } });
  const claiming = next.claim();
  await revokeKey(openFolderSetup(daemon.dataFolder), revoked.keyId);
  // Without a further request of the revoked worker.
  const second = await claiming;
  assert.equal([second.job.id, second.job.crashes], [id, 0]);
  assert.is((await idle).status, 204, 'its request for a job ends without one');
  const late = await first.send('POST', '/end');
  assert.is(late.status, 401);
  assert.is((await second.heartbeat()).stop, null, 'the claim of the next worker is its own');
  assert.match(daemon.logLines.join('\n'), /Job \d+ is taken from the worker revoked: its key was revoked\./);
  assert.not.match(daemon.logLines.join('\n'), /has not reported/);
  await daemon.stop();
});

test('a key that is revoked while the daemon is stopped costs its worker the job with the next request', async () => {
  const before = await startTestDaemon({ jobs: 0 });
  const { dataFolder } = before;
  const revoked = await joinTestWorker(before, { name: 'revoked' });
  const id = await before.create(body);
  const first = await revoked.claim();
  await before.stop();
  await revokeKey(openFolderSetup(dataFolder), revoked.keyId);
  const after = await startTestDaemon({ jobs: 0, dataFolder });
  const next = await joinTestWorker(after, { name: 'next' });
  const claiming = next.claim();
  const heartbeat = () =>
    fetch(`${after.url}/worker/v1/claims/${id}/heartbeat`, {
      method: 'POST',
      headers: { ...revoked.headers, 'Venc-Claim': first.token },
    });
  assert.is((await heartbeat()).status, 401);
  const second = await claiming;
  assert.equal([second.job.id, second.job.crashes], [id, 0]);
  // A claim that has ended gives nothing back.
  assert.is((await heartbeat()).status, 401);
  assert.is((await second.heartbeat()).stop, null);
  await after.stop();
});

test.run();
