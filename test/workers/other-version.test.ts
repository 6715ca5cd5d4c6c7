import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { type NewerSide, startVersionProxy } from '../helpers/servers/version-proxy.js';
import { createWorkerKey, killWorkers, startWorker } from '../helpers/worker-process.js';

const test = daemonSuite<{ daemon: TestDaemon; token: string }>(
  'workers that are one version apart',
  { jobs: 0, allowPrivateNetwork: true },
  async (context) => {
    context.token = await createWorkerKey(context.daemon.dataFolder);
  },
);
test.after.each(killWorkers);

for (const side of ['worker', 'daemon'] as const satisfies readonly NewerSide[]) {
  test(`a ${side} of the next version, with members that the other side does not know, finishes a job`, async ({
    daemon,
    token,
  }) => {
    const proxy = await startVersionProxy(daemon.url, side);
    const worker = startWorker(proxy.url, token, ['--name', side]);
    const film = await readFile(await media('clip.mp4'));
    const uploaded = await daemon.request('/v2/uploads/in.mp4', { method: 'PUT', body: film });
    const { url } = (await uploaded.json()) as { url: string };
    const outputs = [
      { label: 'small', width: 64, thumbnails: { number: 1 } },
      { type: 'segmented', width: 64 },
    ];
    const job = await daemon.waitForJob(await daemon.create({ input: url, outputs }));
    const log = await (await daemon.request(`/v2/jobs/${job.id}/log.txt`)).text();
    assert.equal([job.state, job.worker], ['finished', side], log);
    assert.match(log, /The encoder|ffmpeg/, 'the log of the worker is at the daemon');
    assert.ok(proxy.changedCount >= 8, `${proxy.changedCount} messages`);
    assert.is((await worker.end('SIGTERM')).code, 0);
    await proxy.close();
  });
}

test.run();
