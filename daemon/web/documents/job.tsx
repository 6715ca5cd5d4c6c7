/** @jsxImportSource hono/jsx */
import { isFinal } from '../../../src/shared/states.js';
import { findJob } from '../../actions/find-job.js';
import { readProgress } from '../../actions/queue.js';
import { readLog } from '../../actions/read-log.js';
import { jobRecord } from '../../jobs/view.js';
import { JobLog, type JobState, JobView } from '../views/job.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** The lines at the end of a log that the document has. */
const shownLines = 500;

/** `/ui/jobs/ID`: a job and the end of its log. */
export async function jobDocument({
  appContext,
  holder,
  root,
  param,
}: DocumentRequest): Promise<PageDocument> {
  const id = Number(param('id'));
  const job = await findJob(appContext, holder.account.id, id);
  const tail = { level: null, tail: String(shownLines) };
  const { log } = await readLog(appContext, holder.account, { jobId: id }, tail);
  const state: JobState = {
    job: jobRecord(job),
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
        <JobLog lines={log} root={root} id={id} />
      </>
    ),
  };
}
