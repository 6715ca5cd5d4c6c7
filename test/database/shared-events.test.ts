import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobChangesRecord } from '../../src/shared/records.js';
import { type DaemonProcess, processKey as key, killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  createHeld,
  type DatabaseDaemons,
  findDatabasePrograms,
  requestTo,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { EventListener } from '../helpers/event-listener.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const name = 'any daemon of a database streams the changes of all jobs';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite(name);
  let daemons: DatabaseDaemons;
  /** Runs jobs. */
  let one: DaemonProcess;
  /** Runs no jobs. */
  let other: DaemonProcess;

  test.before(async () => {
    daemons = await startDatabaseDaemons(bin);
    one = await daemons.start('one', 1);
    other = await daemons.start('other', 0);
    daemons.source.hold();
  });
  test.after(async () => {
    killDaemons();
    await daemons.close();
  });

  const listenTo = ({ url }: DaemonProcess, lastEventId?: string) =>
    new EventListener({ url, key }, lastEventId === undefined ? {} : { lastEventId });
  const idsOf = ({ jobs }: JobChangesRecord) => jobs.map(({ id }) => id);

  test('states, progress, removals and pauses of one daemon are events of the other', async () => {
    const listener = listenTo(other);
    await listener.first();
    const id = await createHeld(daemons, one);
    await listener.untilState(id, 'processing');
    await requestTo(one, '/v2/queue/pause', { method: 'PUT' });
    await listener.until('the pause', ({ queue }) => queue?.paused);
    await requestTo(one, '/v2/queue/resume', { method: 'PUT' });
    await requestTo(one, `/v2/jobs/${id}/cancel`, { method: 'PUT' });
    await listener.untilState(id, 'cancelled');
    await requestTo(one, `/v2/jobs/${id}`, { method: 'DELETE' });
    await listener.until('the removal', ({ removed }) => removed.includes(id));
    listener.close();
  });

  test('a client continues at another daemon, and after restarts of all', async () => {
    const input = daemons.source.url('held');
    const first = listenTo(one);
    await first.first();
    await requestTo(one, '/v2/queue/pause', { method: 'PUT' });
    const [changed, gone] = [await createAt(one, { input }), await createAt(one, { input })];
    await first.untilState(gone, 'waiting');
    first.close();
    await requestTo(other, `/v2/jobs/${changed}/cancel`, { method: 'PUT' });
    await requestTo(other, `/v2/jobs/${gone}/cancel`, { method: 'PUT' });
    await requestTo(other, `/v2/jobs/${gone}`, { method: 'DELETE' });
    const checkAt = async (daemon: DaemonProcess) => {
      const again = listenTo(daemon, first.lastEventId);
      const record = await again.first();
      assert.is(record.reset, undefined);
      assert.ok(idsOf(record).includes(changed));
      assert.ok(record.removed.includes(gone));
      again.close();
    };
    await checkAt(other);
    await one.end('SIGKILL');
    await other.end('SIGTERM');
    one = await daemons.start('one', 1);
    other = await daemons.start('other', 0);
    await checkAt(one);
    await checkAt(other);
    assert.ok((await listenTo(one, '999999999').first()).reset, 'a position of the future');
  });

  test.run();
}
