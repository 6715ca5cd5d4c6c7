import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { productVersion } from '../../src/shared/version.js';
import type { Job } from '../jobs/job.js';
import type { NotificationAttempt, ProgramUsage, RunObserver } from '../jobs/run-observer.js';
import { createHttpMetrics, type ObserveRequest } from './http-metrics.js';
import { createJobMetrics } from './job-metrics.js';
import { collectProcessMetrics } from './process-metrics.js';
import { createRunMetrics } from './run-metrics.js';
import { createStateMetrics, type StateSnapshot } from './state-metrics.js';

/**
 * The metrics of a daemon in the Prometheus text format. Counters and histograms are updated by the functions below, at
 * a cost that does not depend on history. Labels have few values: none is the name of an account, an id, a label or a URL.
 */
export interface Metrics {
  readonly contentType: string;
  /** The text of a scrape, with the gauges of this snapshot. */
  text(snapshot: StateSnapshot): Promise<string>;
  readonly runObserver: RunObserver;
  /** A listener for the job store. */
  jobChanged(job: Job, before: Job | null): void;
  readonly observeRequest: ObserveRequest;
  observeNotification(attempt: NotificationAttempt): void;
  observeBytes(direction: 'download' | 'upload', scheme: string, bytes: number): void;
  observeProgram(usage: ProgramUsage): void;
  /** A remote worker has lost the claim of a job because it did not report in time. */
  claimExpired(): void;
}

const mebibyte = 2 ** 20;

/** Creates the metrics of a daemon. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'venc_build_info',
    help: 'The version of venc; the value is always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: productVersion }, 1);
  const transferred = {
    download: new Counter({
      name: 'venc_downloaded_bytes_total',
      help: 'Bytes of inputs and of other requested files that were downloaded, by URL scheme.',
      labelNames: ['scheme'],
      registers,
    }),
    upload: new Counter({
      name: 'venc_uploaded_bytes_total',
      help: 'Bytes of outputs and of their other files that were delivered, by URL scheme.',
      labelNames: ['scheme'],
      registers,
    }),
  };
  const notifications = new Counter({
    name: 'venc_notification_attempts_total',
    help: 'Attempts to deliver a notification. A failed one is tried again; gave-up is the last one.',
    labelNames: ['kind', 'result'],
    registers,
  });
  for (const kind of ['webhook', 'mail'])
    for (const result of ['delivered', 'failed', 'gave-up']) notifications.inc({ kind, result }, 0);
  const lostClaims = new Counter({
    name: 'venc_worker_claims_lost_total',
    help: 'Claims of jobs that a worker lost because it did not report in time.',
    registers,
  });
  const observeProgram = createProgramMetrics(registry);
  const jobs = createJobMetrics(registry);
  const state = createStateMetrics(registry);
  const runObserver = createRunMetrics(registry);
  const observeRequest = createHttpMetrics(registry);
  collectProcessMetrics(registry);
  return {
    contentType: registry.contentType,
    async text(snapshot) {
      state.set(snapshot);
      return registry.metrics();
    },
    runObserver,
    jobChanged: jobs,
    observeRequest,
    observeNotification: ({ kind, result }) => notifications.inc({ kind, result }),
    observeBytes: (direction, scheme, bytes) => transferred[direction].inc({ scheme }, bytes),
    observeProgram,
    claimExpired: () => lostClaims.inc(),
  };
}

function createProgramMetrics(registry: Registry): Metrics['observeProgram'] {
  const common = { labelNames: ['program'] as const, registers: [registry] };
  const seconds = new Histogram({
    ...common,
    name: 'venc_program_duration_seconds',
    help: 'Wall seconds of each run of ffmpeg and ffprobe.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400],
  });
  const memory = new Histogram({
    ...common,
    name: 'venc_program_peak_memory_bytes',
    help: 'Peak resident memory of each run of ffmpeg and ffprobe.',
    buckets: [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].map((size) => size * mebibyte),
  });
  const cpu = new Counter({
    ...common,
    name: 'venc_program_cpu_seconds_total',
    help: 'CPU seconds that ffmpeg and ffprobe have used, user and system.',
  });
  for (const program of ['ffmpeg', 'ffprobe']) {
    seconds.zero({ program });
    memory.zero({ program });
    cpu.inc({ program }, 0);
  }
  return ({ program, seconds: elapsed, peakMemoryBytes, cpuSeconds }) => {
    seconds.observe({ program }, elapsed);
    if (peakMemoryBytes !== null) memory.observe({ program }, peakMemoryBytes);
    if (cpuSeconds !== null) cpu.inc({ program }, cpuSeconds);
  };
}
