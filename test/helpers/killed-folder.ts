import { cpSync } from 'node:fs';
import { defaultAccountId } from '../../daemon/jobs/job.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { draftFor } from '../contracts/job-store/store-facts.js';
import { tempFolder } from './temp.js';

/** Makes a copy of a data folder as a daemon leaves it that is killed right after a create: the new job is only in the journal. */
export async function killedAfterCreate(
  folder: string,
): Promise<{ readonly folder: string; readonly id: number }> {
  const store = await openJobStore(folder, { log: () => undefined });
  const { id } = await store.create(draftFor(defaultAccountId));
  const copy = tempFolder();
  cpSync(folder, copy, { recursive: true });
  await store.close();
  return { folder: copy, id };
}
