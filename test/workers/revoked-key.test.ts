import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { listKeys, revokeKey } from '../../daemon/store/accounts/api-keys.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import {
  createWorkerKey,
  encodersOf,
  isRunning,
  killWorkers,
  startWorker,
} from '../helpers/worker-process.js';

const test = suite('workers whose key is revoked');
test.after.each(killWorkers);

test('a worker whose key is revoked stops its ffmpeg and ends with a sentence, and another finishes its job', async () => {
  const root = tempFolder();
  const daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true, filesRoots: [root] });
  const token = await createWorkerKey(daemon.dataFolder);
  const revoked = startWorker(daemon.url, token, ['--name', 'revoked']);
  await copyFile(await media('long.mp4'), join(root, 'long.mp4'));
  const output = { speed: 1, quality: 5, width: 1920, upscale: true, clip_length: 4 };
  const id = await daemon.create({ input: pathToFileURL(join(root, 'long.mp4')).href, outputs: [output] });
  let encoders: readonly number[] = [];
  await waitUntil('the worker encodes', async () => {
    encoders = await encodersOf(revoked);
    return encoders.length > 0;
  });
  const [key] = (await listKeys(openFolderSetup(daemon.dataFolder))).filter(({ kind }) => kind === 'worker');
  await revokeKey(openFolderSetup(daemon.dataFolder), key?.id ?? '');
  const { code, stderr } = await revoked.ended;
  assert.is.not(code, 0);
  assert.match(stderr, /does not accept the token of this worker: it is wrong or was revoked/);
  assert.match(stderr, /venc keys create --worker/);
  assert.not.match(stderr, new RegExp(token));
  for (const pid of encoders) assert.is(await isRunning(pid), false);
  // The answer about the key may come before the daemon has stored the state of the job.
  await waitUntil('the job waits again', async () => {
    const { job } = await daemon.read<{ job: { state: string } }>(`/v2/jobs/${id}`);
    return job.state === 'waiting';
  });
  const log = await (await daemon.request(`/v2/jobs/${id}/log.txt`)).text();
  assert.match(log, /is taken from the worker revoked: its key was revoked/);
  assert.not.match(log, /has not reported/);
  startWorker(daemon.url, await createWorkerKey(daemon.dataFolder), ['--name', 'next']);
  assert.is((await daemon.waitForJob(id)).state, 'finished');
  await daemon.stop();
});

test.run();
