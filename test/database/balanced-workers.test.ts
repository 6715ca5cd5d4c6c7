import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WorkerRecord } from '../../src/shared/records.js';
import { type DaemonProcess, killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  type DatabaseDaemons,
  findDatabasePrograms,
  jobAt,
  requestTo,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { joinAs, type TestWorker } from '../helpers/test-worker.js';
import { waitUntil } from '../helpers/wait-until.js';

const name = 'a worker whose requests go to two daemons in turn';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite(name);
  let daemons: DatabaseDaemons;
  let one: DaemonProcess;
  let other: DaemonProcess;
  let worker: TestWorker;
  /** The same worker at the other daemon. */
  let there: TestWorker;

  test.before(async () => {
    daemons = await startDatabaseDaemons(bin);
    one = await daemons.start('one', 0);
    other = await daemons.start('other', 0);
    const key = await daemons.createKey('worker');
    worker = await joinAs({ url: one.url, key });
    there = await joinAs({ url: other.url, key, workerId: worker.workerId });
  });
  test.after(async () => {
    killDaemons();
    await daemons.close();
  });

  test('it has no job at either once its job is cancelled, and may remove what it delivered', async () => {
    const path = join(daemons.deliveryFolder, 'cancelled.mp4');
    const url = `file://${path}`;
    const output = { type: 'transfer-only', url };
    const id = await createAt(one, { input: daemons.source.url('clip'), output });
    const here = await worker.claim();
    const reported = there.claimOf(here);
    assert.is((await reported.heartbeat()).stop, null);
    for (const daemon of [one, other])
      await waitUntil('the job is listed', async () => (await jobsOf(daemon)).join() === String(id));
    assert.is((await requestTo(one, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    await untilNoJobIsListed();
    for (const claim of [here, reported]) assert.is((await claim.heartbeat()).stop, 'cancelled');
    const file = `/file?url=${encodeURIComponent(url)}`;
    const put = await reported.send('PUT', `${file}&offset=0&size=4`, { body: Buffer.from('film') });
    assert.is(put.status, 409, 'it delivers nothing more');
    // Not delivered by this job.
    writeFileSync(path, 'film');
    assert.is((await reported.send('DELETE', file)).status, 204);
    assert.ok(existsSync(path));
    assert.is((await reported.send('POST', '/end')).status, 204);
  });

  test('a resubmit does not wait for it, and its earlier claim is lost at both', async () => {
    const output = { type: 'transfer-only' };
    const id = await createAt(one, { input: daemons.source.url('clip'), output });
    const earlier = await worker.claim();
    const reported = there.claimOf(earlier);
    await reported.heartbeat();
    const beganAt = performance.now();
    assert.is((await requestTo(one, `/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
    assert.ok(performance.now() - beganAt < 10_000, 'it is answered before the lease is over');
    for (const claim of [earlier, reported])
      assert.is((await claim.send('POST', '/heartbeat', { body: emptyReport(worker) })).status, 409);
    const again = await there.claim();
    assert.is(again.job.id, id);
    assert.is((await worker.claimOf(again).heartbeat()).stop, null);
    for (const daemon of [one, other]) assert.equal(await jobsOf(daemon), [id]);
    assert.is((await again.send('POST', '/end')).status, 204);
    await untilNoJobIsListed();
    assert.is((await jobAt(one, id)).state, 'waiting');
  });

  test.run();

  async function untilNoJobIsListed(): Promise<void> {
    const beganAt = performance.now();
    for (const daemon of [one, other])
      await waitUntil('no job is listed', async () => (await jobsOf(daemon)).length === 0);
    assert.ok(performance.now() - beganAt < 20_000, 'it is before the lease is over');
  }
}

const emptyReport = ({ workerId }: TestWorker) => ({ workerId, progress: [], log: [] });

/** The jobs that a daemon lists for the only worker. */
async function jobsOf(daemon: DaemonProcess): Promise<readonly number[]> {
  const response = await requestTo(daemon, '/v2/workers');
  const { workers } = (await response.json()) as { readonly workers: readonly WorkerRecord[] };
  return workers.flatMap(({ job_ids: ids }) => ids);
}
