import * as assert from 'uvu/assert';
import { daemonSuite } from '../helpers/daemon.js';
import { errorsOf, joinTestWorker } from '../helpers/test-worker.js';
import { pollUntil } from '../helpers/wait-until.js';

const input = 'http://127.0.0.1:9/film.mp4';
const transfer = { type: 'transfer-only' };

const test = daemonSuite('services of workers over HTTP', { jobs: 0 });

test('a job that needs keys of the environment is passed over by a worker without them', async ({
  daemon,
}) => {
  const plain = await joinTestWorker(daemon, { name: 'plain' });
  const keyed = await joinTestWorker(daemon, { name: 'keyed', services: ['s3', 'sftp'] });
  const claiming = plain.claim();
  const stored = await daemon.create({ input, outputs: [{ ...transfer, url: 's3://films/a.mp4' }] });
  const readable = await daemon.create({ input: 's3://films/a.mp4', outputs: [transfer] });
  const byKey = await daemon.create({ input: 'sftp://me@127.0.0.1/a.mp4', outputs: [transfer] });
  const own = await daemon.create({ input, outputs: [{ ...transfer, url: 's3://key:secret@films/a.mp4' }] });
  assert.is((await claiming).job.id, own, 'URLs with credentials need no keys of the environment');
  const password = await daemon.create({ input: 'sftp://me:pw@127.0.0.1/a.mp4', outputs: [transfer] });
  assert.is((await plain.claim()).job.id, password);
  for (const id of [stored, readable, byKey]) assert.is((await keyed.claim()).job.id, id);
});

test('a job whose only machine with keys has left waits, and the log says for which keys', async ({
  daemon,
}) => {
  const keyed = await joinTestWorker(daemon, { name: 'gone', services: ['gcs'] });
  const id = await daemon.create({ input, outputs: [{ ...transfer, url: 'gcs://films/a.mp4' }] });
  assert.is((await keyed.send('DELETE', `/workers/${keyed.workerId}`)).status, 204);
  const log = async () => {
    await fetch(`${daemon.url}/health`);
    return (await daemon.request(`/v2/jobs/${id}/log.txt`)).text();
  };
  await pollUntil(log, (text) => /nothing that is connected has keys for gcs in its environment/.test(text));
  const again = await joinTestWorker(daemon, { name: 'back', services: ['gcs'] });
  assert.is((await again.claim()).job.id, id);
});

test('a destination for which neither the daemon nor a worker has keys is rejected, and a wrong URL always', async ({
  daemon,
}) => {
  const create = (url: string) =>
    daemon.request('/v2/jobs', {
      method: 'POST',
      body: JSON.stringify({ input, outputs: [{ ...transfer, url }] }),
    });
  await joinTestWorker(daemon, { name: 'keyed', services: ['s3'] });
  assert.match(await errorsOf(await create('cf://films/a.mp4')), /must have|needs/);
  assert.match(await errorsOf(await create('s3://a/b/../')), /outputs\[0\]\.url/);
});

test.run();
