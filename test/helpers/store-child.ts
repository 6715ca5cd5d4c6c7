import { lockDataFolder } from '../../daemon/store/data-folder/lock.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { applying, draftFor, draftWith } from '../contracts/job-store/store-facts.js';

/*
 * A process for tests to kill. It locks the data folder named by its first argument, creates a job and alternates it between final and
 * active. After each durable update it prints `ID COUNT`. With the second argument `lock` it only takes the lock and prints `locked`.
 * With `once` it creates jobs, two concurrently under each idempotency key, and prints `ID KEY` for each.
 */
const [folder = '', mode] = process.argv.slice(2);
await lockDataFolder(folder);
if (mode === 'lock') {
  console.log('locked');
  process.stdin.resume();
} else {
  const store = await openJobStore(folder, { log: (level, message) => console.error(level, message) });
  for (let count = 1; mode === 'once'; count += 1) {
    const key = `key-${count}`;
    for (const { id } of await Promise.all([1, 2].map(() => store.create(draftWith({ key })))))
      console.log(`${id} ${key}`);
  }
  const { id } = await store.create(draftFor());
  for (let count = 1; ; count += 1) {
    const step = applying({ type: count % 2 === 1 ? 'cancelled' : 'resubmitted' });
    await store.update(id, (job) => ({ ...step(job), crashes: count, resubmits: 0 }));
    console.log(`${id} ${count}`);
  }
}
