import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { apply } from '../../daemon/jobs/changes.js';
import { draftJob, type JobDraft } from '../../daemon/jobs/draft.js';
import { defaultAccountId, type FileFacts, type Job } from '../../daemon/jobs/job.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { destinationOfThumbnail } from '../../daemon/jobs/thumbnails.js';
import { dataLayout, foldersOfJobs, jobFile } from '../../daemon/store/data-folder/layout.js';
import type { JobDocument } from '../../daemon/store/jobs/job-document.js';
import { defaultOutput } from '../../src/shared/settings/index.js';

/** The media of a film of 90 minutes. */
export const filmMedia: MediaFacts = {
  format: 'mpeg4',
  durationSeconds: 5400.04,
  totalBitrateKbps: 5127,
  video: {
    streamIndex: 0,
    codec: 'h264',
    width: 1280,
    height: 720,
    sampleAspectRatio: { numerator: 1, denominator: 1 },
    rotationDegrees: 0,
    frameRate: { numerator: 25, denominator: 1 },
    isFrameRateVariable: false,
    fieldOrder: 'progressive',
    pixelFormat: 'yuv420p',
    bitrateKbps: 4999,
    durationSeconds: 5400,
    startSeconds: 0,
  },
  audio: {
    streamIndex: 1,
    codec: 'aac',
    channels: 2,
    sampleRate: 44_100,
    bitrateKbps: 128,
    durationSeconds: 5400.04,
    startSeconds: 0,
  },
};

/** Size and checksum of that film. */
export const filmFile: FileFacts = { sizeBytes: 3_461_234_567, md5: '0cc175b9c0f1b6a831c399e269772661' };

/**
 * Writes the files of jobs to a new data folder, as the job store would write them, but without their earlier states and without
 * fsync: about 10,000 jobs per second. There is no index: the first start of a daemon makes it. `nextId` is asked after the last job.
 */
export function writeJobs(folder: string, jobs: Iterable<Job>, nextId: () => number): void {
  const layout = dataLayout(folder);
  for (const path of foldersOfJobs(layout)) mkdirSync(path, { recursive: true });
  let folderOfLast = '';
  for (const job of jobs) {
    const path = jobFile(layout, job.id, job.state);
    if (dirname(path) !== folderOfLast) mkdirSync(dirname(path), { recursive: true });
    folderOfLast = dirname(path);
    const document: JobDocument = { revision: 6, job };
    writeFileSync(path, JSON.stringify(document), { mode: 0o600 });
  }
  writeFileSync(layout.sequence, JSON.stringify({ next: nextId() }), { mode: 0o600 });
}

/** What the jobs of {@link makeJobs} are like. */
interface MakeJobsOptions {
  readonly count: number;
  /** When the oldest and the newest job ended. The others are in between, in the order of their ids. */
  readonly firstEnd: Date;
  readonly lastEnd: Date;
}

/** The account of each job, in turn: half of them are the owner's. */
const accountIds = [defaultAccountId, '2', defaultAccountId, '3'] as const;
/** Most jobs finish. */
const endings = ['finished', 'finished', 'failed', 'finished', 'cancelled', 'finished', 'finished'] as const;
const outputCounts = [1, 3, 1, 2, 1] as const;
const secondsOfJob = 60;

/**
 * Writes final jobs to a new data folder ({@link writeJobs}). They belong to several accounts, end in every state, and have one to three
 * outputs, some of them with thumbnails. Returns the jobs' ids, oldest first.
 */
export function makeJobs(folder: string, { count, firstEnd, lastEnd }: MakeJobsOptions): readonly number[] {
  const ids: number[] = [];
  let nextId = 1;
  const msPerJob = (lastEnd.getTime() - firstEnd.getTime()) / Math.max(1, count - 1);
  function* jobs(): Generator<Job> {
    for (let index = 0; index < count; index += 1) {
      const draft = draftOf(index, new Date(firstEnd.getTime() + index * msPerJob));
      const job = finalJob(draft.number(nextId), index);
      ids.push(job.id);
      nextId += draft.idCount;
      yield job;
    }
  }
  writeJobs(folder, jobs(), () => nextId);
  return ids;
}

/** Writes waiting jobs to a new data folder, as {@link makeJobs} does final ones. */
export function makeWaitingJobs(folder: string, count: number): void {
  let nextId = 1;
  function* jobs(): Generator<Job> {
    for (let index = 0; index < count; index += 1) {
      const draft = draftOf(index, new Date());
      yield draft.number(nextId);
      nextId += draft.idCount;
    }
  }
  writeJobs(folder, jobs(), () => nextId);
}

function draftOf(index: number, end: Date): JobDraft {
  const accountId = accountIds[index % accountIds.length] ?? defaultAccountId;
  const token = index.toString(16).padStart(32, '0');
  const outputCount = outputCounts[index % outputCounts.length] ?? 1;
  return draftJob({
    accountId,
    request: {
      input: `http://media.example.com/films/a-film-with-a-name-of-usual-length-${index}.mp4`,
      outputs: [],
      ...(index % 3 === 0 ? { grouping: `customer-${index % 40}` } : {}),
    },
    test: index % 20 === 0,
    outputs: Array.from({ length: outputCount }, (_, outputIndex) => ({
      settings: {
        ...defaultOutput,
        label: `rendition ${outputIndex}`,
        ...(index % 4 === 0 ? { thumbnails: [{ number: 2 }] } : {}),
      },
      outputDestination: {
        destination: `hosted://${token}/film-${outputIndex}.mp4`,
        url: `http://127.0.0.1:8080/hosted/${token}/film-${outputIndex}.mp4`,
      },
    })),
    now: new Date(end.getTime() - secondsOfJob * 1000),
  });
}

function finalJob(waiting: Job, index: number): Job {
  const end = new Date(Date.parse(waiting.createdAt) + secondsOfJob * 1000);
  const ending = endings[index % endings.length];
  if (ending === 'cancelled') return apply(waiting, { type: 'cancelled' }, end);
  const claimed = apply(waiting, { type: 'claimed', token: 'bench' }, end);
  if (ending === 'failed') {
    const message = 'The input could not be downloaded: the server responded with 404.';
    return apply(
      claimed,
      { type: 'input-failed', failure: { errorClass: 'FileNotFoundError', message } },
      end,
    );
  }
  return finishOutputs(apply(claimed, { type: 'inspected', media: filmMedia, file: filmFile }, end), end);
}

function finishOutputs(inspected: Job, end: Date): Job {
  return inspected.outputs.reduce((job, output) => {
    const images = (output.settings.thumbnails ?? []).flatMap(() => [0, 1]);
    const thumbnails = images.map((index) => {
      const image = { setIndex: 0, index, width: 1280, height: 720 };
      return { ...image, ...destinationOfThumbnail(output, image), sizeBytes: 81_234 };
    });
    const started = apply(job, { type: 'output-started', id: output.id }, end);
    const finished = { id: output.id, media: filmMedia, file: filmFile, thumbnails } as const;
    return apply(started, { type: 'output-finished', ...finished }, end);
  }, inspected);
}
