import { apply } from '../../../daemon/jobs/changes.js';
import { draftJob } from '../../../daemon/jobs/draft.js';
import type { Job } from '../../../daemon/jobs/job.js';
import { defaultOutput } from '../../../src/shared/settings/index.js';
import { writeJobs } from '../make-jobs.js';
import { sampleFile, sampleMedia } from '../sample-job.js';

/** What a test must find of a job that was written to a data folder. */
export interface StoredJob {
  readonly id: number;
  readonly accountId: string;
  readonly state: 'finished' | 'failed' | 'cancelled';
  /** The UTC day on which it ended, `YYYY-MM-DD`. */
  readonly day: string;
  readonly grouping: string | null;
  /** Its usage, in milliseconds. */
  readonly encodedMs: number;
}

/** What jobs to write. */
interface StoredJobsOptions {
  readonly count: number;
  /** The accounts of the jobs; most jobs belong to the first. */
  readonly accountIds: readonly [string, ...string[]];
  readonly random: () => number;
  /** The jobs ended on the days before this one. */
  readonly now: Date;
}

const dayMs = 86_400_000;
/** The days on which the jobs ended, back from yesterday: a report may span 60. */
const days = 40;
const groupings = [null, null, 'films', 'songs'] as const;
/** Ids of a job: its own, those of its input and its output. */
const idsPerJob = 3;
const inputUrl = 'http://media.example.com/films/a-film-with-a-name-of-usual-length.mp4';
const token = '0123456789abcdef0123456789abcdef';

/** Writes final jobs to a new data folder, with accounts, states and usage by chance. Returns what a test must find of them, oldest first. */
export function writeStoredJobs(dataFolder: string, options: StoredJobsOptions): readonly StoredJob[] {
  const { count, accountIds, random, now } = options;
  const jobs = Array.from({ length: count }, (_, index): StoredJob => {
    const share = random();
    const state = share < 0.1 ? 'failed' : share < 0.2 ? 'cancelled' : 'finished';
    const daysAgo = 1 + Math.floor((1 - index / count) * (days - 1));
    return {
      id: 1 + index * idsPerJob,
      accountId: accountIds[random() < 0.9 ? 0 : Math.floor(random() * accountIds.length)] ?? accountIds[0],
      state,
      day: new Date(now.getTime() - daysAgo * dayMs).toISOString().slice(0, 10),
      grouping: groupings[Math.floor(random() * groupings.length)] ?? null,
      encodedMs: state === 'finished' ? 1000 + Math.floor(random() * 7_200_000) : 0,
    };
  });
  function* finalJobs(): Generator<Job> {
    for (const job of jobs) yield jobOf(job);
  }
  writeJobs(dataFolder, finalJobs(), () => 1 + count * idsPerJob);
  return jobs;
}

function jobOf({ id, accountId, state, day, grouping, encodedMs }: StoredJob): Job {
  const now = new Date(`${day}T12:00:00Z`);
  const waiting = draftJob({
    accountId,
    request: { input: inputUrl, outputs: [], ...(grouping === null ? {} : { grouping }) },
    test: false,
    outputs: [
      {
        settings: defaultOutput,
        outputDestination: {
          destination: `hosted://${token}/${id}.mp4`,
          url: `http://127.0.0.1:8686/hosted/${token}/${id}.mp4`,
        },
      },
    ],
    now,
  }).number(id);
  if (state === 'cancelled') return apply(waiting, { type: 'cancelled' }, now);
  const claimed = apply(waiting, { type: 'claimed', token: 'load' }, now);
  const failure = { errorClass: 'FileNotFoundError', message: 'There is no file at that URL.' } as const;
  if (state === 'failed') return apply(claimed, { type: 'input-failed', failure }, now);
  const media = { ...sampleMedia, durationSeconds: encodedMs / 1000 };
  const output = { id: id + 2, media, file: sampleFile };
  const inspected = apply(claimed, { type: 'inspected', media, file: sampleFile }, now);
  const started = apply(inspected, { type: 'output-started', id: output.id }, now);
  return apply(started, { type: 'output-finished', ...output }, now);
}
