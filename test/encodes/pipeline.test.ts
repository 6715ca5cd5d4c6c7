import { readdir } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { outputProgress } from '../../daemon/jobs/progress.js';
import { settleEventLoop, waitUntil } from '../helpers/wait-until.js';
import { createPipelineHarness, type PipelineHarness } from '../pipeline/pipeline-harness.js';

const test = suite<PipelineHarness>('the pipeline');

test.before.each(async (context) => {
  Object.assign(context, await createPipelineHarness());
});
test.after.each(({ scratchFolders: harness }) => harness.close());

const all = (kind: string, numbers: readonly number[]) => numbers.map((number) => `${kind} ${number}`);

test('while one job is encoded, later ones are downloaded and the previous one is uploaded', async (context) => {
  const { barriers, create, job, scratchFolders: harness } = context;
  for (let count = 0; count < 4; count += 1) await create();
  await barriers.come('download 1', 'download 2');
  barriers.open('download 1');
  await barriers.come('encode 1', 'download 3');
  assert.equal(
    (await job(1)).outputs.map(({ state }) => state),
    ['processing'],
  );
  barriers.open('download 2');
  await barriers.come('download 4');
  await waitUntil('job 2 is ready', async () => (await job(2)).outputs[0]?.state === 'queued');
  assert.not(barriers.reached.includes('encode 2'));
  barriers.open('encode 1');
  await barriers.come('upload 1', 'encode 2');
  const uploading = await job(1);
  const [output] = uploading.outputs;
  if (output === undefined) throw new Error('the job has no output');
  const shown = outputProgress(uploading, output, harness.progressTracker.read(uploading.id));
  assert.equal([shown.state, shown.current_event, shown.progress], ['processing', 'uploading', 90]);
  barriers.open('download 3', 'encode 2');
  await barriers.come('upload 2', 'encode 3');
  assert.equal((await job(4)).input.state, 'processing');
  barriers.open('download 4', ...all('encode', [3, 4]), ...all('upload', [1, 2, 3, 4]));
  await context.finished(1, 2, 3, 4);
  await waitUntil(
    'the scratch folder is empty',
    async () => (await readdir(context.scratchFolder)).length === 0,
  );
});

test('a slow download does not delay other jobs, and ready jobs are encoded in the order of the queue', async (context) => {
  const { barriers, create } = context;
  for (let count = 0; count < 5; count += 1) await create();
  barriers.open('download 1');
  await barriers.come('encode 1');
  barriers.open('download 3');
  await waitUntil('job 3 is ready', async () => (await context.job(3)).outputs[0]?.state === 'queued');
  barriers.open('encode 1');
  await barriers.come('encode 3');
  barriers.open('download 4');
  await waitUntil('job 4 is ready', async () => (await context.job(4)).outputs[0]?.state === 'queued');
  barriers.open('download 2');
  await waitUntil('job 2 is ready', async () => (await context.job(2)).outputs[0]?.state === 'queued');
  barriers.open('encode 3');
  await barriers.come('encode 2');
  assert.not(barriers.reached.includes('encode 4'));
  barriers.open('download 5', ...all('encode', [2, 4, 5]), ...all('upload', [1, 2, 3, 4, 5]));
  await context.finished(1, 2, 3, 4, 5);
});

test('the number of jobs that are downloaded ahead is limited', async (context) => {
  const { barriers, create, scratchFolders: harness } = context;
  for (let count = 0; count < 9; count += 1) await create();
  barriers.open('download 1');
  await barriers.come('encode 1');
  barriers.open(...all('download', [2, 3, 4, 5, 6, 7, 8, 9]));
  await waitUntil('all downloaded jobs are ready', async () => {
    const jobs = await Promise.all([2, 3, 4, 5].map(context.job));
    return jobs.every(({ outputs }) => outputs[0]?.state === 'queued');
  });
  await settleEventLoop(() => context.job(1));
  assert.equal((await harness.store.list({ state: 'waiting', offset: 0, limit: 50 })).total, 4);
  assert.not(barriers.reached.includes('download 6'));
});

/** The stage of a cancelled job, the barriers that are opened before, and the steps that are then reached. Two of three jobs are before it. */
const stages: readonly (readonly [
  where: string,
  opened: readonly string[],
  come: readonly string[],
  cancelled: number,
])[] = [
  ['waits to be downloaded', [], ['download 1', 'download 2'], 3],
  ['is downloaded', [], ['download 1', 'download 2'], 2],
  ['waits to be encoded', ['download 1', 'download 2'], ['encode 1', 'download 3'], 2],
  ['is encoded', ['download 1', 'download 2'], ['encode 1', 'download 3'], 1],
  [
    'waits to be uploaded',
    [...all('download', [1, 2, 3]), ...all('encode', [1, 2, 3])],
    ['upload 1', 'upload 2'],
    3,
  ],
  ['is uploaded', [...all('download', [1, 2, 3]), ...all('encode', [1, 2, 3])], ['upload 1', 'upload 2'], 1],
];

for (const [where, opened, come, cancelled] of stages) {
  test(`a job that ${where} can be cancelled, and the others continue`, async (context) => {
    const { barriers, create, queue, scratchFolders: harness } = context;
    for (let count = 0; count < 3; count += 1) await create();
    const [first = 'none', ...others] = opened;
    barriers.open(first);
    if (opened.length > 0) await barriers.come('encode 1');
    barriers.open(...others.filter((step) => step.startsWith('download')));
    if (opened.includes('encode 1')) {
      await waitUntil('jobs 2 and 3 are ready', async () => {
        const jobs = await Promise.all([2, 3].map(context.job));
        return jobs.every(({ outputs }) => outputs[0]?.state === 'queued');
      });
    }
    barriers.open(...others);
    await barriers.come(...come);
    if (where === 'waits to be uploaded') {
      await waitUntil('job 3 has been encoded', async () => {
        const { outputs, id } = await context.job(3);
        return harness.progressTracker.read(id).get(outputs[0]?.id ?? 0)?.event === 'uploading';
      });
    }
    if (where === 'waits to be encoded')
      await waitUntil('job 2 is ready', async () => (await context.job(2)).outputs[0]?.state === 'queued');
    const id = context.ids[cancelled - 1] ?? 0;
    await waitUntil('the job has started', () => queue.isRunning(id));
    await harness.store.update(id, (job) => apply(job, { type: 'cancelled' }, new Date(0)));
    await queue.stop(id, 'cancelled');
    assert.not((await readdir(context.scratchFolder)).includes(String(id)));
    const rest = [1, 2, 3].filter((number) => number !== cancelled);
    barriers.open(...all('download', rest), ...all('encode', rest), ...all('upload', rest));
    await context.finished(...rest);
    assert.is((await context.job(cancelled)).state, 'cancelled');
  });
}

test('the second output of a job is encoded while the first is uploaded', async (context) => {
  const { barriers, create } = context;
  await create([{}, { start_clip: 1 }]);
  barriers.open('download 1', 'encode 1');
  await barriers.come('upload 1', 'encode 1.2');
  assert.equal(
    (await context.job(1)).outputs.map(({ state }) => state),
    ['processing', 'processing'],
  );
  barriers.open('upload 1');
  await waitUntil(
    'the first is finished',
    async () => (await context.job(1)).outputs[0]?.state === 'finished',
  );
  barriers.open('encode 1.2', 'upload 1.2');
  await context.finished(1);
});

test('if the disk is full, the first output is uploaded before the second is encoded', async (context) => {
  const { barriers, create, disk } = context;
  await create([{}, { start_clip: 1 }]);
  await create();
  disk.freeBytes = 0;
  barriers.open('download 1', 'encode 1');
  await barriers.come('upload 1');
  await settleEventLoop(() => context.job(1));
  assert.equal(
    barriers.reached.filter((name) => name === 'encode 1.2' || name === 'download 2'),
    [],
  );
  barriers.open('upload 1', 'encode 1.2', 'upload 1.2', 'download 2', 'encode 2', 'upload 2');
  await context.finished(1, 2);
});

test('a failed upload fails only its output while others are encoded', async (context) => {
  const { barriers, create, refused: rejected } = context;
  await create([{}, { start_clip: 1 }]);
  await create();
  rejected.add('upload 1');
  barriers.open('download 1');
  await barriers.come('encode 1');
  barriers.open('download 2', 'encode 1', 'upload 1');
  await waitUntil('the first has failed', async () => (await context.job(1)).outputs[0]?.state === 'failed');
  barriers.open('encode 1.2', 'upload 1.2', 'encode 2', 'upload 2');
  await context.finished(2);
  await waitUntil('job 1 has ended', async () => (await context.job(1)).state === 'failed');
  const { outputs } = await context.job(1);
  assert.equal(
    outputs.map(({ state, failure }) => [state, failure?.errorClass]),
    [
      ['failed', 'UploadFailureError'],
      ['finished', undefined],
    ],
  );
});

test('a closing queue requeues waiting jobs at once and running jobs after the grace period', async (context) => {
  const { barriers, create, queue } = context;
  for (let count = 0; count < 4; count += 1) await create();
  barriers.open('download 1');
  await barriers.come('encode 1');
  barriers.open('download 2');
  await barriers.come('download 3', 'download 4');
  await waitUntil('job 2 is ready', async () => (await context.job(2)).outputs[0]?.state === 'queued');
  const closed = queue.close(2 ** 40);
  await waitUntil('job 2 is requeued', async () => (await context.job(2)).state === 'waiting');
  barriers.open('download 3', 'download 4');
  for (const number of [3, 4])
    await waitUntil('the job is requeued', async () => (await context.job(number)).state === 'waiting');
  barriers.open('encode 1', 'upload 1');
  await closed;
  assert.is((await context.job(1)).state, 'finished');
  assert.equal(await readdir(context.scratchFolder), []);
  const { crashes, claim } = await context.job(2);
  assert.equal([crashes, claim], [0, null]);
});

test.run();
