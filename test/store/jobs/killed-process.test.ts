import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDataFolder } from '../../../daemon/store/data-folder/lock.js';
import { openJobStore } from '../../../daemon/store/jobs/json-job-store.js';
import { draftWith } from '../../contracts/job-store/store-facts.js';
import { tempFolder } from '../../helpers/temp.js';

const test = suite('a killed process');
const program = fileURLToPath(new URL('../../helpers/store-child.js', import.meta.url));

test('every confirmed update is stored, and at most one more', async () => {
  const folder = tempFolder();
  for (const lines of [1, 40, 75]) {
    const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    let last = '';
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      last = line;
      seen += 1;
      if (seen === lines) child.kill('SIGKILL');
    }
    await exited;
    const [id = 0, reported = 0] = last.split(' ').map(Number);

    const lock = await lockDataFolder(folder);
    const logLines: string[] = [];
    const store = await openJobStore(folder, { log: (_level, message) => logLines.push(message) });
    const job = await store.get(id);
    assert.ok(
      job !== null && (job.crashes === reported || job.crashes === reported + 1),
      `${job?.crashes} after ${reported}`,
    );
    assert.is(job.state, job.crashes % 2 === 1 ? 'cancelled' : 'waiting');
    assert.equal(logLines, []);
    await store.close();
    await lock.release();
  }
});

test('every confirmed create under a key is found by that key, and no key has two jobs', async () => {
  const folder = tempFolder();
  const reported = new Map<string, number>();
  for (const lines of [1, 30, 31]) {
    const child = spawn(process.execPath, [program, folder, 'once'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [id = '', key = ''] = line.split(' ');
      assert.is(reported.get(key) ?? Number(id), Number(id));
      reported.set(key, Number(id));
      seen += 1;
      if (seen === lines) child.kill('SIGKILL');
    }
    await exited;

    const lock = await lockDataFolder(folder);
    const store = await openJobStore(folder, { log: () => undefined });
    const { jobs } = await store.list({ offset: 0, limit: 10_000 });
    const keys = jobs.map((job) => job.idempotency?.key ?? '');
    assert.is(new Set(keys).size, keys.length);
    for (const [key, id] of reported) {
      assert.is((await store.create(draftWith({ key }))).id, id);
    }
    assert.is((await store.list({ offset: 0, limit: 0 })).total, jobs.length);
    await store.close();
    await lock.release();
  }
});

test.run();
