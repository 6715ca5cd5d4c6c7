import { lockDataFolder } from '../../daemon/store/data-folder/lock.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { applying, draftFor, draftWith } from '../contracts/job-store/store-facts.js';

/*
 * A process to be killed: it holds the data folder named on its command line, makes a job and moves it between final and
 * not, and says after each change that is safe how many there were: `ID COUNT` a line. With `lock` behind the folder
 * it only takes the lock and says `locked`; with `once` it makes jobs, two at once under each key, and says
 * `ID KEY` of each.
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
