import { copyFile, mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { draftJob } from '../../daemon/jobs/draft.js';
import { noSavedCredentials } from '../../daemon/jobs/saved-credentials.js';
import { createConcurrencyLimits } from '../../daemon/pipeline/concurrency-limits.js';
import { ScratchSpace } from '../../daemon/pipeline/disk-reservations.js';
import { createJobRunner } from '../../daemon/pipeline/run-job.js';
import { createScratchFolders } from '../../daemon/pipeline/scratch-folders.js';
import { registerTransports } from '../../daemon/transports/registry.js';
import { VencError } from '../../src/shared/errors.js';
import { createLocalQueueHarness } from '../helpers/local-queue-harness.js';
import { media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { StepBarriers } from './barriers.js';

test('a failed upload does not remove a file that another job has written to the same destination since', async () => {
  const clip = await media('clip.mp4');
  const scratchFolder = join(tempFolder(), 'scratch');
  await mkdir(scratchFolder);
  const scratchFolders = await createLocalQueueHarness();
  const barriers = new StepBarriers();
  const uploaded: string[] = [];
  const removed: string[] = [];
  const transports = registerTransports([
    {
      schemes: ['http'],
      async download(_, toPath) {
        await copyFile(clip, toPath);
        return { sizeBytes: (await stat(clip)).size, md5: '' };
      },
      async upload(fromPath, to, { signal }) {
        const isFirst = to.endsWith('.mp4') && !uploaded.includes(basename(to));
        uploaded.push(basename(to));
        if (isFirst) {
          await barriers.pass('first', signal);
          throw new VencError('UploadFailureError', 'The server is away.');
        }
        return { sizeBytes: (await stat(fromPath)).size, md5: '' };
      },
      async remove(url) {
        removed.push(basename(url));
      },
    },
  ]);
  const queue = scratchFolders.openQueue();
  const runner = createJobRunner({
    ffmpeg: await testFfmpeg(),
    transports,
    savedCredentials: noSavedCredentials,
    scratch: createScratchFolders(scratchFolder, () => {}),
    space: new ScratchSpace({ freeBytes: async () => Number.POSITIVE_INFINITY, minFreeBytes: 0 }),
    limits: createConcurrencyLimits(2),
    deliveries: new Map(),
    log: () => {},
  });
  queue.work(runner, { slots: 2 });
  const create = async (): Promise<number> => {
    const url = 'http://server/film.mp4';
    const settings = { width: 64, clip_length: 0.2, thumbnails: [{ number: 1 }] };
    const outputs = [{ settings, outputDestination: { destination: url, url } }];
    const request = { input: 'http://server/in', outputs: [] };
    const job = await scratchFolders.store.create(
      draftJob({ accountId: '1', request, test: false, outputs, now: new Date(0) }),
    );
    await queue.enqueue(job);
    return job.id;
  };
  const isIn = (id: number, state: string) =>
    waitUntil(`job ${id} is ${state}`, async () => (await scratchFolders.store.get(id))?.state === state);

  const first = await create();
  await waitUntil('the first encodes its video', async () => uploaded.includes('film.mp4'));
  await isIn(await create(), 'finished');
  barriers.open('first');
  await isIn(first, 'failed');
  assert.equal(uploaded, ['film_0000.png', 'film.mp4', 'film_0000.png', 'film.mp4']);
  assert.equal(removed, []);
  await queue.close(0);
});

test.run();
