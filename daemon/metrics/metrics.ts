import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { finalJobStates, isFinal } from '../../src/shared/states.js';
import { productVersion } from '../../src/shared/version.js';
import type { Job, JobFailure, JobOutput } from '../jobs/job.js';
import {
  type NotificationAttempt,
  type ProgramUsage,
  type RunObserver,
  stageNames,
} from '../jobs/run-observer.js';
import { createStateMetrics, type StateSnapshot } from './state-metrics.js';

/**
 * The metrics of a daemon in the Prometheus text format. Counters and histograms are updated by the functions below, at
 * a cost that does not depend on history. Labels have few values: none is the name of an account, an id, a label or a
 * URL.
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

/**
 * Metrics of the default set of prom-client that are removed. Lists of handles and requests grow with the number of
 * connections, and the rest says little about a daemon.
 */
const removed = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
  'process_heap_bytes',
  'process_virtual_memory_bytes',
] as const;

/**
 * Interval of the timer that measures the delay of the event loop, in milliseconds. It wakes the process: at 20 ms that
 * was a quarter of the processor time of an idle daemon.
 */
const eventLoopResolutionMs = 100;

/**
 * Adds metrics of the process: CPU time, memory, open files, and Node's event loop, heap and garbage collector. They
 * have the names that all programs with a Prometheus client use, without the prefix `venc_`.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopResolutionMs });
  for (const name of removed) registry.removeSingleMetric(name);
}

/** Registers the metrics of the stages of runs. */
function createRunMetrics(registry: Registry): RunObserver {
  const registers = [registry];
  const stages = new Histogram({
    name: 'venc_stage_duration_seconds',
    help: 'Wall seconds of each stage of a run, without the time that it waited to begin.',
    labelNames: ['stage'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600, 14_400],
    registers,
  });
  for (const stage of stageNames) stages.zero({ stage });
  const encodeSeconds = new Counter({
    name: 'venc_encode_seconds_total',
    help: 'Wall seconds that encoders ran, all passes and attempts included.',
    registers,
  });
  const mediaSeconds = new Counter({
    name: 'venc_encoded_media_seconds_total',
    help: 'Duration of the outputs that were encoded and delivered.',
    registers,
  });
  const speed = new Histogram({
    name: 'venc_encode_speed_ratio',
    help: 'Duration of an encoded output divided by the wall seconds of its encoders.',
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  return {
    startRun() {
      /** Wall seconds of the encoders of each output. Outputs that are encoded together share all of them. */
      const secondsByOutput = new Map<number, number>();
      return {
        startStage({ name: stage, outputIds = [] }) {
          const startedAt = performance.now();
          return () => {
            const seconds = (performance.now() - startedAt) / 1000;
            stages.observe({ stage }, seconds);
            if (stage !== 'encode') return;
            encodeSeconds.inc(seconds);
            for (const id of outputIds) secondsByOutput.set(id, (secondsByOutput.get(id) ?? 0) + seconds);
          };
        },
        changed(change) {
          if (change.type !== 'output-finished') return;
          const seconds = secondsByOutput.get(change.id);
          const duration = change.media?.durationSeconds ?? null;
          if (seconds === undefined || duration === null) return;
          mediaSeconds.inc(duration);
          if (seconds > 0) speed.observe(duration / seconds);
        },
        end() {},
      };
    },
  };
}

/**
 * Registers the metrics of the life of jobs. The returned function is a listener of the job store, so that changes by
 * the API, by runs and by the recovery at the start all count.
 */
function createJobMetrics(registry: Registry): (job: Job, before: Job | null) => void {
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
  const quality = new Histogram({
    name: 'venc_output_quality_score',
    help: 'Mean scores of the outputs whose quality was measured, by codec, metric and target in tens.',
    labelNames: ['codec', 'metric', 'target'],
    buckets: [40, 60, 70, 75, 80, 84, 88, 90, 92, 94, 96, 98, 100],
    registers,
  });
  const observeQuality = (output: JobOutput) => {
    const { metric, mean, target } = output.quality ?? {};
    if (metric === undefined || mean === undefined) return;
    const codec = output.media?.video?.codec ?? 'unknown';
    // Targets have decimals: each would be a series of its own.
    quality.observe(
      { codec, metric, target: target === undefined ? 'none' : Math.floor(target / 10) * 10 },
      mean,
    );
  };
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
      if (output === earlier) continue;
      countFailure('output', output.failure, earlier?.failure ?? null);
      if (output.state === 'finished' && earlier?.state !== 'finished') observeQuality(output);
    }
  };
}

/** An HTTP request that was answered. */
export interface AnsweredRequest {
  /** The name of its route; `none` if no route has its path and method. */
  readonly route: string;
  readonly method: string;
  /** Its path and query, which may contain secrets. */
  readonly address: string;
  readonly status: number;
  /** Seconds until the response was written, or, if it is a stream, until it began. */
  readonly seconds: number;
}

/** Counts a request. */
export type ObserveRequest = (request: AnsweredRequest) => void;

/** The methods of routes. All others are one value of the label, because clients choose them. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Registers the metrics of HTTP requests. */
/** What counts the requests with one route, method and status. */
interface RequestSeries {
  readonly count: Counter.Internal;
  readonly time: Histogram.Internal<'route' | 'method'>;
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}

function createHttpMetrics(registry: Registry): ObserveRequest {
  const registers = [registry];
  const requests = new Counter({
    name: 'venc_http_requests_total',
    help: 'HTTP requests, by name of the route; the route none counts those that no route accepts.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'venc_http_request_duration_seconds',
    help: 'Seconds until a response was written, or until it began if it is a stream.',
    labelNames: ['route', 'method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  // Prom-client needs longer to find a series by its labels than to count.
  const series = new Map<string, Map<string, Map<number, RequestSeries>>>();
  return ({ route, method: sent, status, seconds }) => {
    const method = methods.has(sent) ? sent : 'other';
    const byMethod = getOrAdd(series, route, () => new Map<string, Map<number, RequestSeries>>());
    const byStatus = getOrAdd(byMethod, method, () => new Map<number, RequestSeries>());
    const { count, time } = getOrAdd(byStatus, status, () => ({
      count: requests.labels({ route, method, status }),
      time: duration.labels({ route, method }),
    }));
    count.inc();
    time.observe(seconds);
  };
}
