import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { s3rverKeys, startS3rver } from '../helpers/servers/s3rver.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import {
  createWorkerKey,
  killWorkers,
  runVenc,
  startWorker,
  type WorkerProcess,
} from '../helpers/worker-process.js';

const test = suite('keys in the environment of workers');
test.after.each(killWorkers);

test('a job without credentials goes to the machine whose environment has the keys, and is rejected if none has', async () => {
  const root = tempFolder();
  const s3 = await startS3rver(['films']);
  const daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true, filesRoots: [root] });
  const token = await createWorkerKey(daemon.dataFolder);
  await copyFile(await media('clip.mp4'), join(root, 'in.mp4'));
  const start = async (name: string, env: NodeJS.ProcessEnv): Promise<WorkerProcess> => {
    const worker = startWorker(daemon.url, token, ['--name', name], undefined, {
      AWS_ENDPOINT_URL: s3.endpoint,
      ...env,
    });
    await waitUntil('it has joined', () => worker.written().includes('has joined'));
    return worker;
  };
  const keys = { AWS_ACCESS_KEY_ID: s3rverKeys.id, AWS_SECRET_ACCESS_KEY: s3rverKeys.secret };
  const body = (name: string, credentials = {}) => ({
    input: pathToFileURL(join(root, 'in.mp4')).href,
    outputs: [{ url: `s3://films/${name}.mp4`, width: 64, ...credentials }],
  });
  const workerOf = async (id: number) => {
    const job: JobRecord = await daemon.waitForJob(id);
    assert.is(job.state, 'finished', await (await daemon.request(`/v2/jobs/${id}/log.txt`)).text());
    return job.worker;
  };

  await start('plain', {});
  const rejected = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body('none')) });
  assert.is(rejected.status, 422);
  assert.match(await rejected.text(), /must have keys/);

  const keyed = await start('keyed', keys);
  assert.is(await workerOf(await daemon.create(body('one'))), 'keyed');
  assert.is(await workerOf(await daemon.create(body('two'))), 'keyed');

  const add = ['credentials', 'add', 'films', '--scheme', 's3', '--data', daemon.dataFolder];
  assert.is((await runVenc(add, {}, `${s3rverKeys.id}\n${s3rverKeys.secret}\n`)).code, 0);
  await keyed.end('SIGTERM');
  const saved = await daemon.create(body('three', { credentials: 'films' }));
  assert.is(await workerOf(saved), 'plain', 'saved credentials need no machine with keys');
  await daemon.stop();
  await s3.close();
});

test.run();
