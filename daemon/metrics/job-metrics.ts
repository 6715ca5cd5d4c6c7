import { Counter, Histogram, type Registry } from 'prom-client';
import { finalJobStates, isFinal } from '../../src/shared/states.js';
import type { Job, JobFailure } from '../jobs/job.js';

/**
 * Registers the metrics of the life of jobs. The returned function is a listener of the job store, so that changes by
 * the API, by runs and by the recovery at the start all count.
 */
export function createJobMetrics(registry: Registry): (job: Job, before: Job | null) => void {
  const registers = [registry];
  const created = new Counter({
    name: 'venc_jobs_created_total',
    help: 'Jobs that were created.',
    registers,
  });
  const resubmitted = new Counter({
    name: 'venc_jobs_resubmitted_total',
    help: 'Times that a job which had ended was run again by request.',
    registers,
  });
  const ended = new Counter({
    name: 'venc_jobs_ended_total',
    help: 'Jobs that ended, by the state in which they ended.',
    labelNames: ['state'],
    registers,
  });
  for (const state of finalJobStates) ended.inc({ state }, 0);
  const failures = new Counter({
    name: 'venc_file_failures_total',
    help: 'Inputs and outputs that failed, by error class.',
    labelNames: ['file', 'error_class'],
    registers,
  });
  const wait = new Histogram({
    name: 'venc_job_wait_seconds',
    help: 'Seconds from the moment a job began to wait, usually its create, until a run claimed it.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
    registers,
  });
  const countFailure = (file: 'input' | 'output', now: JobFailure | null, earlier: JobFailure | null) => {
    if (now !== null && earlier === null) failures.inc({ file, error_class: now.errorClass });
  };
  return (job, before) => {
    if (before === null) {
      created.inc();
      return;
    }
    if (before.state === 'waiting' && job.state === 'processing') {
      // A job that waits is changed only by what ends the wait.
      const waitedMs = Date.parse(job.updatedAt) - Date.parse(before.updatedAt);
      wait.observe(Math.max(0, waitedMs) / 1000);
    }
    if (job.resubmits > before.resubmits) resubmitted.inc();
    if (isFinal(job.state) && !isFinal(before.state)) ended.inc({ state: job.state });
    if (job.input !== before.input) countFailure('input', job.input.failure, before.input.failure);
    if (job.outputs === before.outputs) return;
    for (const [index, output] of job.outputs.entries()) {
      const earlier = before.outputs[index];
      if (output !== earlier) countFailure('output', output.failure, earlier?.failure ?? null);
    }
  };
}
