import * as assert from 'uvu/assert';
import type { Job, Notification } from '../../../daemon/jobs/job.js';
import {
  applying,
  draftFor,
  type StoreContext,
  type StoreFacts,
  updateAll,
  withClaim,
} from './store-facts.js';

const notification: Notification = {
  id: 'msg_1_job_0_0',
  outputId: null,
  target: { url: 'http://localhost/notified', format: 'json', headers: { 'x-from': 'here' } },
  attempts: 0,
  dueAt: '2024-05-06T07:08:09.010Z',
};

const withNotification = (job: Job): Job => ({ ...job, pendingNotifications: [notification] });
const delivered = (job: Job): Job => ({ ...job, pendingNotifications: [] });

const cancelled = applying({ type: 'cancelled' });

/** Four jobs in creation order: final with a notification, waiting with one, final without, waiting without. */
async function fourJobs({ store }: StoreContext): Promise<readonly Job[]> {
  const fates = [[withNotification, cancelled], [withNotification], [cancelled], []];
  const jobs: Job[] = [];
  for (const fate of fates) jobs.push(await updateAll(store, await store.create(draftFor()), fate));
  return jobs;
}

/** Notifications to deliver. */
export const notificationFacts: StoreFacts = {
  async 'jobs with notifications are found, final or not, oldest first, after a crash of the process too'(
    context,
  ) {
    const [first, second] = await fourJobs(context);
    assert.equal(await context.store.listWithNotifications(), [first, second]);
    await context.crash('process');
    assert.equal(await (await context.open()).listWithNotifications(), [first, second]);
  },

  async 'jobs with notifications are found after a clean restart'(context) {
    const [first, second] = await fourJobs(context);
    await context.store.close();
    assert.equal(await (await context.open()).listWithNotifications(), [first, second]);
  },

  async 'a job whose notifications are delivered is no longer found'(context) {
    const [first, second] = await fourJobs(context);
    await context.store.update(first?.id ?? 0, delivered);
    assert.equal(await context.store.listWithNotifications(), [second]);
    // A further change of the job does not restore its notifications.
    await context.store.update(first?.id ?? 0, withClaim('a'));
    await context.store.update(second?.id ?? 0, delivered);
    assert.equal(await context.store.listWithNotifications(), []);
    await context.store.close();
    assert.equal(await (await context.open()).listWithNotifications(), []);
  },
};
