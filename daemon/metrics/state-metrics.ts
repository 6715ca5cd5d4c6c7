import { Gauge, type Registry } from 'prom-client';
import { type JobState, jobStates } from '../../src/shared/states.js';

/** The remote workers that have joined. */
interface WorkerCounts {
  readonly byState: Readonly<Record<WorkerCondition, number>>;
  /** How many jobs the active ones encode at once. */
  readonly slots: number;
  /** How many jobs workers run. */
  readonly jobs: number;
}

/** `silent`: it has not reported for longer than a claim lasts. */
export type WorkerCondition = (typeof workerConditions)[number];

const workerConditions = ['active', 'draining', 'paused', 'silent'] as const;

/** The values of gauges at one moment. */
export interface StateSnapshot {
  readonly jobs: Readonly<Record<JobState, number>>;
  readonly runs: number;
  /** Whether the whole daemon is paused. */
  readonly isPaused: boolean;
  /** What holds back the jobs of this machine; null if nothing does. */
  readonly closedBy: 'hours' | 'load' | null;
  /** The number of concurrent encodes (`--jobs`). */
  readonly maxEncodes: number;
  readonly workers: WorkerCounts;
  readonly eventStreams: number;
  readonly waitingNotifications: number;
  /** null if the disk does not answer. */
  readonly diskFreeBytes: number | null;
  readonly diskMinFreeBytes: number;
  readonly healthChecks: readonly { readonly name: string; readonly ok: boolean }[];
}

/** Registers the gauges of a snapshot. `set` updates them before a scrape. */
export function createStateMetrics(registry: Registry): { set(snapshot: StateSnapshot): void } {
  const registers = [registry];
  const gauge = <Name extends string = string>(
    name: string,
    help: string,
    labelNames: readonly Name[] = [],
  ): Gauge<Name> => new Gauge({ name, help, labelNames, registers });
  const jobs = gauge('venc_jobs', 'Jobs in the store, by state; those that wait are the queue.', ['state']);
  const runs = gauge('venc_runs', 'Jobs that are running: they transfer, encode or wait for another job.');
  const maxEncodes = gauge('venc_encodes_max', 'Number of jobs that may encode at the same time (--jobs).');
  const paused = gauge('venc_queue_paused', 'Whether the queue of the daemon is paused: 1 or 0.');
  const heldBack = gauge(
    'venc_slots_held_back',
    'Whether this machine starts no job because of its hours (--hours) or the load of others (--when-idle): 1 or 0.',
    ['reason'],
  );
  const workers = gauge(
    'venc_workers',
    'Remote workers that have joined: active, draining, paused, or silent if one has not reported for 30 seconds.',
    ['state'],
  );
  const workerSlots = gauge('venc_worker_slots', 'Number of jobs that the active workers encode at once.');
  const workerJobs = gauge('venc_worker_jobs', 'Jobs that remote workers run.');
  const streams = gauge('venc_event_streams', 'Event streams that are open.');
  const notifications = gauge('venc_notifications_waiting', 'Notifications that are not delivered yet.');
  const free = gauge('venc_disk_free_bytes', 'Free space on the volume of the data folder.');
  const minFree = gauge(
    'venc_disk_min_free_bytes',
    'Free space below which no job is accepted (--min-free).',
  );
  const checks = gauge('venc_health_check_ok', 'Whether a check of /health is passed: 1 or 0.', ['check']);
  return {
    set(snapshot) {
      for (const state of jobStates) jobs.set({ state }, snapshot.jobs[state]);
      runs.set(snapshot.runs);
      maxEncodes.set(snapshot.maxEncodes);
      paused.set(snapshot.isPaused ? 1 : 0);
      for (const reason of ['hours', 'load']) heldBack.set({ reason }, snapshot.closedBy === reason ? 1 : 0);
      for (const state of workerConditions) workers.set({ state }, snapshot.workers.byState[state]);
      workerSlots.set(snapshot.workers.slots);
      workerJobs.set(snapshot.workers.jobs);
      streams.set(snapshot.eventStreams);
      notifications.set(snapshot.waitingNotifications);
      free.set(snapshot.diskFreeBytes ?? Number.NaN);
      minFree.set(snapshot.diskMinFreeBytes);
      for (const { name, ok } of snapshot.healthChecks) checks.set({ check: name }, ok ? 1 : 0);
    },
  };
}
