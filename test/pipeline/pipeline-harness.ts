import { copyFile, mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { draftJob } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import { noSavedCredentials } from '../../daemon/jobs/saved-credentials.js';
import { createConcurrencyLimits, runCountFor } from '../../daemon/pipeline/concurrency-limits.js';
import { ScratchSpace } from '../../daemon/pipeline/disk-reservations.js';
import { createJobRunner } from '../../daemon/pipeline/run-job.js';
import { createScratchFolders } from '../../daemon/pipeline/scratch-folders.js';
import type { JobQueue } from '../../daemon/queue/job-queue.js';
import { registerTransports } from '../../daemon/transports/registry.js';
import type { Transport } from '../../daemon/transports/transport.js';
import { VencError } from '../../src/shared/errors.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { createLocalQueueHarness, type LocalQueueHarness } from '../helpers/local-queue-harness.js';
import { media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { StepBarriers } from './barriers.js';

/**
 * A queue and its pipeline, with an encoder and a server that wait until the test releases them: `download N`, `encode N` and
 * `upload N` for the Nth created job, `encode N.2` and `upload N.2` for its second output.
 */
export interface PipelineHarness {
  readonly scratchFolders: LocalQueueHarness;
  readonly queue: JobQueue;
  readonly barriers: StepBarriers;
  readonly scratchFolder: string;
  /** Ids of the created jobs, in order. */
  readonly ids: number[];
  readonly disk: { freeBytes: number };
  /** Names of the uploads that fail. */
  readonly refused: Set<string>;
  readonly create: (settings?: readonly OutputSettings[]) => Promise<number>;
  readonly job: (number: number) => Promise<Job>;
  readonly finished: (...numbers: readonly number[]) => Promise<void>;
}

/** Opens a harness whose queue runs. */
export async function createPipelineHarness(): Promise<PipelineHarness> {
  const folder = tempFolder();
  const scratchFolder = join(folder, 'scratch');
  await mkdir(scratchFolder);
  const clip = await media('clip.mp4');
  const scratchFolders = await createLocalQueueHarness();
  const barriers = new StepBarriers();
  const ids: number[] = [];
  const disk = { freeBytes: Number.POSITIVE_INFINITY };
  const refused = new Set<string>();
  const server: Transport = {
    schemes: ['http'],
    async download(from, toPath, { signal, onProgress }) {
      const { size } = await stat(clip);
      onProgress(0, size);
      await barriers.pass(`download ${basename(from)}`, signal);
      await copyFile(clip, toPath);
      return { sizeBytes: size, md5: '' };
    },
    sizeOf: async () => (await stat(clip)).size,
    async upload(fromPath, to, { signal }) {
      const name = `upload ${basename(to, '.mp4')}`;
      await barriers.pass(name, signal);
      if (refused.has(name)) throw new VencError('UploadFailureError', 'The server is away.');
      return { sizeBytes: (await stat(fromPath)).size, md5: '' };
    },
  };
  const real = await testFfmpeg();
  const runs = new Map<string, number>();
  const ffmpeg: typeof real = {
    ...real,
    async run(args, options) {
      const number = String(ids.indexOf(Number(basename(options.scratch))) + 1);
      const count = (runs.get(number) ?? 0) + 1;
      runs.set(number, count);
      await barriers.pass(`encode ${number}${count === 1 ? '' : `.${count}`}`, options.signal);
      await real.run(args, options);
    },
  };
  const queue = scratchFolders.openQueue();
  const runner = createJobRunner({
    ffmpeg,
    transports: registerTransports([server]),
    savedCredentials: noSavedCredentials,
    scratch: createScratchFolders(scratchFolder, () => {}),
    space: new ScratchSpace({ freeBytes: async () => disk.freeBytes, minFreeBytes: 0 }),
    limits: createConcurrencyLimits(1),
    deliveries: new Map(),
    log: () => {},
  });
  queue.work(runner, { slots: runCountFor(1) });
  const job = async (number: number) => {
    const found = await scratchFolders.store.get(ids[number - 1] ?? 0);
    if (found === null) throw new Error(`there is no job ${number}`);
    return found;
  };
  const create: PipelineHarness['create'] = async (settings = [{}]) => {
    const number = ids.length + 1;
    const outputs = settings.map((one, index) => {
      const url = `http://server/${number}${index === 0 ? '' : `.${index + 1}`}.mp4`;
      return {
        settings: { width: 64, clip_length: 0.2, ...one },
        outputDestination: { destination: url, url },
      };
    });
    const request = { input: `http://server/${number}`, outputs: [] };
    const draft = draftJob({ accountId: '1', request, test: false, outputs, now: new Date(0) });
    const job = await scratchFolders.store.create(draft);
    ids.push(job.id);
    await queue.enqueue(job);
    return job.id;
  };
  const finished: PipelineHarness['finished'] = async (...numbers) => {
    for (const number of numbers)
      await waitUntil(`job ${number} is finished`, async () => (await job(number)).state === 'finished');
  };
  return { scratchFolders, queue, barriers, scratchFolder, ids, disk, refused, create, job, finished };
}
