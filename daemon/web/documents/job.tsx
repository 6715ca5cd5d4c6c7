/** @jsxImportSource hono/jsx */
import { isFinal } from '../../../src/shared/states.js';
import { accountNameOf, findNamedJob } from '../../actions/find-job.js';
import { readProgress } from '../../actions/queue.js';
import { readLog } from '../../actions/read-log.js';
import { jobRecord } from '../../jobs/view.js';
import { JobLog, type JobState, JobView } from '../views/job.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** The lines at the end of a log that the document has. */
const shownLines = 500;

/** `/ui/jobs/ID`: a job and the end of its log; `?account=NAME`, or `*`, for the owner: a job of another account. */
export async function jobDocument({
  appContext,
  holder,
  root,
  param,
  query,
}: DocumentRequest): Promise<PageDocument> {
  const id = Number(param('id'));
  const accountName = query('account');
  const job = await findNamedJob(appContext, holder.account, id, accountName);
  const tail = { level: null, tail: String(shownLines) };
  const { log } = await readLog(appContext, holder.account, { jobId: id, accountName }, tail);
  const state: JobState = {
    job: jobRecord(job),
    account: job.accountId === holder.account.id ? null : accountNameOf(appContext, job),
    progress: isFinal(job.state) ? null : readProgress(appContext, job, appContext.progressTracker.read(id)),
    now: appContext.now().getTime(),
  };
  return {
    ...{ title: `Job ${id}`, current: 'queue' },
    live: { name: 'job', data: state },
    content: (
      <>
        <div id="job">
          <JobView {...state} root={root} actions={null} play={null} />
        </div>
        <JobLog lines={log} root={root} id={id} account={state.account} />
      </>
    ),
  };
}
