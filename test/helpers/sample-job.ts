import { apply } from '../../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../../daemon/jobs/draft.js';
import type { FileFacts, Job } from '../../daemon/jobs/job.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import type { Run } from '../../daemon/jobs/run.js';
import type { JobStore } from '../../daemon/store/job-store.js';

/** The smallest valid media facts. */
export const sampleMedia: MediaFacts = {
  format: 'mpeg4',
  durationSeconds: 1,
  totalBitrateKbps: null,
  video: null,
  audio: null,
};

/** An empty file. */
export const sampleFile: FileFacts = { sizeBytes: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' };

/** The draft of a job with a number of outputs. */
export function sampleDraft(outputCount = 1, accountId = '1'): JobDraft {
  return draftJob({
    accountId,
    request: { input: 'http://localhost/in.mp4', outputs: [] },
    test: false,
    outputs: Array.from({ length: outputCount }, (_, index) => ({
      settings: {},
      outputDestination: { destination: `hosted://token/${index}.mp4`, url: `http://localhost/${index}.mp4` },
    })),
    now: new Date(0),
  });
}

/** Records a number of crashes in a job. */
export async function crash(store: JobStore, id: number, times: number): Promise<Job | null> {
  for (let count = 0; count < times; count += 1) {
    await store.update(id, (job) => apply(job, { type: 'claimed', token: `crash ${count}` }, new Date(0)));
    await store.update(id, (job) => apply(job, { type: 'lost' }, new Date(0)));
  }
  return store.get(id);
}

/** Makes the changes of a run in which every output finishes. */
export async function finishAll(run: Run): Promise<Job> {
  const job = await run.change({ type: 'inspected', media: sampleMedia, file: sampleFile });
  return finishOutputs(run, job);
}

/** Makes the changes of a run in which every output finishes, after the input was inspected. */
export async function finishOutputs(run: Run, inspected: Job = run.job): Promise<Job> {
  let job = inspected;
  for (const { id } of run.job.outputs.filter(({ state }) => state !== 'finished')) {
    await run.change({ type: 'output-started', id });
    job = await run.change({ type: 'output-finished', id, media: sampleMedia, file: sampleFile });
  }
  return job;
}
