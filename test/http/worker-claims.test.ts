import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { revokeKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobRecord, LogRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { sampleFile, sampleMedia } from '../helpers/sample-job.js';
import { errorsOf, joinTestWorker, sampleJoin, type TestWorker } from '../helpers/test-worker.js';
import { pollUntil } from '../helpers/wait-until.js';

const input = 'http://127.0.0.1:9/film.mp4';
/** An output that needs nothing of an ffmpeg. */
const transfer = { type: 'transfer-only' };
const finish = { media: sampleMedia, file: sampleFile };

const test = daemonSuite<{ daemon: TestDaemon; worker: TestWorker }>(
  'claims of workers over HTTP',
  { jobs: 0 },
  async (context) => {
    context.worker = await joinTestWorker(context.daemon);
  },
);

/** Lets a worker finish the job of a claim. */
async function finishJob(claim: Awaited<ReturnType<TestWorker['claim']>>): Promise<void> {
  const id = claim.job.outputs[0]?.id;
  await claim.change({ type: 'inspected', ...finish });
  await claim.change({ type: 'output-started', id });
  await claim.change({ type: 'output-finished', id, ...finish });
}

const { name: _, ...withoutName } = sampleJoin;
const invalidJoins: readonly (readonly [string, object, RegExp])[] = [
  ['an empty message', {}, /protocol is missing[\s\S]*name is missing[\s\S]*capabilities is missing/],
  ['no name', withoutName, /^name is missing$/],
  ['a name with a slash', { ...sampleJoin, name: 'a/b' }, /^name must be/],
  ['a name of 65 characters', { ...sampleJoin, name: 'a'.repeat(65) }, /^name must be/],
  ['a label with a space', { ...sampleJoin, labels: ['gpu', 'a b'] }, /^labels\[1\] must be/],
  ['no jobs', { ...sampleJoin, jobs: 0 }, /^jobs must be a whole number from 1/],
  ['text for a list', { ...sampleJoin, services: 's3' }, /^services must be a list$/],
  [
    'capabilities without encoders',
    { ...sampleJoin, capabilities: { ...sampleJoin.capabilities, encoders: [1] } },
    /^capabilities\.encoders\[0\] must be a text$/,
  ],
];

for (const [what, body, expected] of invalidJoins) {
  test(`a join with ${what} is rejected with the name of the member`, async ({ worker }) => {
    const response = await worker.send('POST', '/workers', { body });
    assert.is(response.status, 422);
    assert.match(await errorsOf(response), expected);
  });
}

test('a worker of a version too far apart is rejected with what to upgrade', async ({ worker }) => {
  for (const [protocol, side] of [
    [0, 'worker'],
    [4, 'daemon'],
  ] as const) {
    const response = await worker.send('POST', '/workers', { body: { ...sampleJoin, protocol } });
    assert.is(response.status, 409);
    assert.match(await errorsOf(response), new RegExp(`upgrade venc on the ${side}`));
  }
  assert.is((await worker.send('POST', '/workers', { body: { ...sampleJoin, protocol: 3 } })).status, 200);
});

test('a worker that has left must join again', async ({ daemon }) => {
  const worker = await joinTestWorker(daemon);
  assert.is((await worker.send('DELETE', `/workers/${worker.workerId}`)).status, 204);
  const response = await worker.send('POST', '/claims', { body: { workerId: worker.workerId } });
  assert.is(response.status, 404);
  assert.match(await errorsOf(response), /join again/);
});

test('a worker waits for a job, runs it, and the job is finished', async ({ daemon, worker }) => {
  const claiming = worker.claim();
  const notifications = ['http://127.0.0.1:9/hook?secret=abc'];
  const id = await daemon.create({ input, outputs: [{ ...transfer, notifications }], notifications });
  const claim = await claiming;
  assert.is(claim.job.id, id);
  assert.is(claim.job.state, 'processing');
  assert.equal([claim.job.notifications, claim.job.pendingNotifications], [[], []]);
  const output = claim.job.outputs[0]?.id ?? 0;
  const progress = [{ id: output, event: 'transcoding', percent: 40, overallPercent: 30, speed: 2 }];
  const log = [{ level: 'info', message: 'A line of the worker.', outputId: output, stderr: ['x'] }];
  await claim.change({ type: 'inspected', ...finish });
  await claim.change({ type: 'output-started', id: output });
  assert.equal(await claim.heartbeat({ progress, log }), { stop: null, drain: false });
  const shown = await daemon.waitForProgress(id, ({ outputs }) => outputs[0]?.progress === 30);
  assert.is(shown.outputs[0]?.current_event, 'transcoding');
  const { log: lines } = await daemon.read<{ log: LogRecord[] }>(`/v2/jobs/${id}/log`);
  assert.ok(lines.some(({ message }) => message === 'A line of the worker.'));
  const job = await claim.change({ type: 'output-finished', id: output, ...finish });
  assert.is(job.state, 'finished');
  assert.is((await claim.change({ type: 'output-finished', id: output, ...finish }, 3)).state, 'finished');
  assert.is((await claim.send('POST', '/end')).status, 204);
  // The last lines of the log may follow.
  const late = { workerId: '', progress: [], log: [{ level: 'info', message: 'The last line.' }] };
  assert.is((await claim.send('POST', '/heartbeat', { body: late })).status, 200);
  assert.match(await (await daemon.request(`/v2/jobs/${id}/log.txt`)).text(), /The last line\./);
  assert.is((await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job.state, 'finished');
});

test('a claim that the worker ends goes to the next worker, without a crash', async ({ daemon, worker }) => {
  const id = await daemon.create({ input, outputs: [transfer] });
  const first = await worker.claim();
  assert.is((await first.send('POST', '/end')).status, 204);
  const second = await worker.claim();
  assert.equal([second.job.id, second.job.crashes], [id, 0]);
  assert.is(
    (await first.send('POST', '/changes', { body: { number: 1, change: { type: 'inspected', ...finish } } }))
      .status,
    409,
  );
  await finishJob(second);
});

test('a worker that disconnects while it waits takes no job', async ({ daemon, worker }) => {
  const gone = new AbortController();
  const waiting = worker.send('POST', '/claims', {
    body: { workerId: worker.workerId },
    signal: gone.signal,
  });
  const rejected = waiting.catch((error: Error) => error.name);
  const claiming = worker.claim();
  gone.abort();
  assert.is(await rejected, 'AbortError');
  const id = await daemon.create({ input, outputs: [transfer] });
  const claim = await claiming;
  assert.equal([claim.job.id, claim.job.crashes], [id, 0]);
  await finishJob(claim);
});

test('a cancel reaches the worker, and ends when the worker has stopped', async ({ daemon, worker }) => {
  const id = await daemon.create({ input, outputs: [transfer] });
  const claim = await worker.claim();
  const cancelling = daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  await pollUntil(
    () => claim.heartbeat(),
    ({ stop }) => stop === 'cancelled',
  );
  assert.is((await claim.send('POST', '/end')).status, 204);
  assert.is((await cancelling).status, 204);
  assert.is((await daemon.waitForJob(id)).state, 'cancelled');
});

test('a claim with another token is not held, whatever is requested', async ({ daemon, worker }) => {
  await daemon.create({ input, outputs: [transfer] });
  const claim = await worker.claim();
  const requests: readonly (readonly [string, string, object?])[] = [
    ['POST', '/heartbeat', { workerId: worker.workerId, progress: [], log: [] }],
    ['POST', '/changes', { number: 1, change: { type: 'inspected', ...finish } }],
    ['POST', '/credentials', { scheme: 'http', name: null }],
    ['GET', '/file?url=file:///a'],
    ['PUT', '/file?url=file:///a&offset=0&size=0'],
    ['DELETE', '/file?url=file:///a'],
    ['GET', '/received?url=file:///a'],
  ];
  for (const token of ['', 'another', claim.token.slice(1)]) {
    for (const [method, path, body] of requests) {
      const response = await claim.send(method, path, { body, claim: token });
      assert.is(response.status, 409, `${method} ${path}`);
      assert.match(await response.text(), /"errorClass":"ClaimLostError"/);
    }
    // An end that is repeated, or late, changes nothing.
    assert.is((await claim.send('POST', '/end', { claim: token })).status, 204);
  }
  await finishJob(claim);
});

test('credentials are given only for the URLs of the job', async ({ daemon, worker }) => {
  const add = ['credentials', 'add', 'studio', '--scheme', 'http', '--data', daemon.dataFolder];
  const added = await runInProcess(add, { stdin: 'me\nhunter2-secret\n' });
  assert.is(added.code, 0, added.stderr);
  await daemon.create({ input, credentials: 'studio', outputs: [transfer] });
  const claim = await worker.claim();
  const ask = (scheme: string, name: string | null) =>
    claim.send('POST', '/credentials', { body: { scheme, name } });
  assert.equal(await (await ask('http', 'studio')).json(), { user: 'me', secret: 'hunter2-secret' });
  for (const [scheme, name] of [
    ['http', null],
    ['http', 'other'],
    ['s3', 'studio'],
  ] as const)
    assert.is((await ask(scheme, name)).status, 403, `${scheme} ${name}`);
  await finishJob(claim);
  await daemon.create({ input, outputs: [transfer] });
  const other = await worker.claim();
  assert.is((await other.send('POST', '/credentials', { body: { scheme: 'http', name: null } })).status, 204);
  await finishJob(other);
});

test('a worker whose key is revoked loses everything at once', async ({ daemon }) => {
  const worker = await joinTestWorker(daemon);
  await daemon.create({ input, outputs: [transfer] });
  const claim = await worker.claim();
  await claim.heartbeat();
  await revokeKey(openFolderSetup(daemon.dataFolder), worker.keyId);
  const statusOf = async () => {
    const body = { workerId: worker.workerId, progress: [], log: [] };
    return (await claim.send('POST', '/heartbeat', { body })).status;
  };
  assert.is(await pollUntil(statusOf, (status) => status !== 200), 401);
  assert.is((await claim.send('GET', '/received?url=file:///a')).status, 401);
});

test.run();
