import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobNotificationBody } from '../../src/shared/records/notifications.js';
import { processesOf } from '../helpers/chaos/processes.js';
import { killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  createHeld,
  type DatabaseDaemons,
  deliveryUrl,
  finalJob,
  findDatabasePrograms,
  jobAt,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { media } from '../helpers/media.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { waitUntil } from '../helpers/wait-until.js';

const name = 'daemons of a database that are lost';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite<{ daemons: DatabaseDaemons }>(name);
  test.before.each(async (context) => {
    context.daemons = await startDatabaseDaemons(bin);
  });
  test.after.each(async ({ daemons }) => {
    killDaemons();
    await daemons.close();
  });

  test('the job of a killed daemon is finished by another within 60 s, delivered and reported once', async ({
    daemons,
  }) => {
    const killed = await daemons.start('killed', 1);
    const url = deliveryUrl(daemons, 'killed');
    const notify = daemons.webhooks.url('/killed');
    const id = await createHeld(daemons, killed, { output: { url, width: 64 }, notify });
    await killed.end('SIGKILL');
    const killedAt = performance.now();
    const other = await daemons.start('other', 1);
    assert.is((await jobAt(other, id)).state, 'processing');
    daemons.source.release();
    const job = await finalJob(other, id, 90_000);
    const seconds = (performance.now() - killedAt) / 1000;
    assert.is(job.state, 'finished', other.logged());
    assert.ok(seconds < 60, `after ${seconds} s`);
    assert.match(other.logged(), new RegExp(`Job ${id} had a run that no longer reports \\(crash 1\\)`));
    await checkOutput(daemons, 'killed');
    await waitUntil('the notification arrives', () => daemons.webhooks.received.length > 0);
    // The killed daemon comes back, and neither runs the job nor reports it again.
    const again = await daemons.start('killed', 1);
    const next = await createAt(again, { input: daemons.source.url('clip'), notify });
    await finalJob(other, next);
    await waitUntil('that is reported', () => reportedJobs(daemons).includes(next));
    assert.equal(reportedJobs(daemons), [id, next]);
  });

  test('a daemon that is started again in its folder runs its own jobs at once', async ({ daemons }) => {
    const daemon = await daemons.start('one', 1);
    const other = await daemons.start('other', 0);
    const id = await createHeld(daemons, daemon);
    await daemon.end('SIGKILL');
    const before = daemons.source.waitingCount;
    const again = await daemons.start('one', 1);
    await waitUntil('it runs again', () => daemons.source.waitingCount > before);
    assert.not.match(other.logged() + again.logged(), /no longer reports/);
    daemons.source.release();
    assert.is((await finalJob(other, id)).state, 'finished');
  });

  test('a frozen daemon loses its job, and delivers nothing after it is woken', async ({ daemons }) => {
    const frozen = await daemons.start('frozen', 1);
    const other = await daemons.start('other', 0);
    const url = deliveryUrl(daemons, 'frozen');
    const notify = daemons.webhooks.url('/frozen');
    const held = await createHeld(daemons, other, { output: { url, width: 64 }, notify });
    frozen.child.kill('SIGSTOP');
    // Its answer waits in the socket: the frozen daemon goes on with it as soon as it is woken.
    daemons.source.release();
    const awake = await daemons.start('awake', 1);
    const job = await finalJob(awake, held, 90_000);
    assert.is(job.state, 'finished', awake.logged());
    const path = join(daemons.deliveryFolder, 'frozen.mp4');
    const { mtimeMs } = statSync(path);
    frozen.child.kill('SIGCONT');
    await waitUntil('it knows of the loss', () =>
      /was given to another run|ended with an error/.test(frozen.logged()),
    );
    // It works again.
    await awake.end('SIGTERM');
    const next = await createAt(other, { input: daemons.source.url('clip'), notify });
    assert.is((await finalJob(frozen, next)).state, 'finished', frozen.logged());
    assert.is(statSync(path).mtimeMs, mtimeMs, 'the file was delivered once');
    await checkOutput(daemons, 'frozen');
    await waitUntil('both are reported', () => reportedJobs(daemons).length >= 2);
    assert.equal(reportedJobs(daemons), [held, next]);
    assert.is(processesOf(daemons.dataFolder('frozen')).length, 1, 'only the daemon itself runs');
  });

  test.run();
}

/** The jobs that were reported, in order. */
function reportedJobs({ webhooks }: DatabaseDaemons): readonly number[] {
  return webhooks.received.map(({ body }) => Number((JSON.parse(body) as JobNotificationBody).job.id));
}

/** Checks that a file was delivered, of about the length that its encode has. */
async function checkOutput({ deliveryFolder }: DatabaseDaemons, name: string): Promise<void> {
  const bytes = readFileSync(join(deliveryFolder, `${name}.mp4`));
  assert.ok(bytes.length > 1000 && bytes.length < 10 * readFileSync(await media('clip.mp4')).length);
}
