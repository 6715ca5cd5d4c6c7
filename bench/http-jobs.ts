import { apply } from '../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../daemon/jobs/draft.js';
import { defaultAccountId, type Job } from '../daemon/jobs/job.js';
import { openJobStore } from '../daemon/store/jobs/json-job-store.js';
import { defaultOutput } from '../src/shared/settings/index.js';
import { filmFile as file, filmMedia as media } from '../test/helpers/make-jobs.js';

/** The number of newest jobs that are still waiting: those that a daemon would be working on. */
const waitingCount = 10;
const atOnce = 100;

/**
 * Fills a data folder with `count` jobs, like a daemon that has run for a while. Resolves to the jobs, oldest first.
 */
export async function fillDataFolder(folder: string, count: number): Promise<readonly Job[]> {
  const store = await openJobStore(folder, { log: () => {} });
  const jobs: Job[] = [];
  try {
    while (jobs.length < count) {
      const fresh = await Promise.all(
        Array.from({ length: Math.min(atOnce, count - jobs.length) }, () => store.create(draft())),
      );
      const isLast = jobs.length + fresh.length === count;
      const ended = isLast ? fresh.slice(0, -waitingCount) : fresh;
      jobs.push(...(await Promise.all(ended.map(({ id }) => store.update(id, finished)))));
      if (isLast) jobs.push(...fresh.slice(-waitingCount));
    }
  } finally {
    await store.close();
  }
  return jobs;
}

const film = 'http://media.example.com/films/a-film-with-a-name-of-usual-length.mp4';

function draft(): JobDraft {
  return draftJob({
    accountId: defaultAccountId,
    request: { input: film, outputs: [] },
    test: false,
    outputs: [
      {
        settings: defaultOutput,
        outputDestination: {
          destination: 'hosted://0123456789abcdef0123456789abcdef/film.mp4',
          url: 'http://127.0.0.1:8080/hosted/0123456789abcdef0123456789abcdef/film.mp4',
        },
      },
    ],
    now: new Date(),
  });
}

function finished(waiting: Job): Job {
  const now = new Date();
  const claimed = apply(waiting, { type: 'claimed', token: 'bench' }, now);
  const inspected = apply(claimed, { type: 'inspected', media, file }, now);
  return waiting.outputs.reduce(
    (job, { id }) =>
      apply(
        apply(job, { type: 'output-started', id }, now),
        { type: 'output-finished', id, media, file },
        now,
      ),
    inspected,
  );
}
