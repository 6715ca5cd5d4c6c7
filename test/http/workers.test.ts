import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { JobRecord, WorkerRecord } from '../../src/shared/records.js';
import { readSamples, samplesOf } from '../helpers/prometheus.js';
import { readXmlAnswer } from '../helpers/read-xml.js';
import { joinRequest, type ServedContext, serveContext } from '../helpers/served-context.js';

interface Context {
  served: ServedContext;
  strangerKey: string;
}

const test = suite<Context>('the routes of workers');

test.before.each(async (context) => {
  context.served = await serveContext();
  context.strangerKey = (await createAccount(openFolderSetup(context.served.dataFolder), 'studio')).key;
});
test.after.each(({ served }) => served.close());

async function listed({ request }: ServedContext): Promise<readonly WorkerRecord[]> {
  const response = await request('/v2/workers');
  assert.is(response.status, 200);
  return ((await response.json()) as { workers: readonly WorkerRecord[] }).workers;
}

/** Creates a job and gives it to a worker. */
async function runOnWorker({ request, appContext }: ServedContext, workerId: string) {
  const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4', outputs: [{ label: 'web' }] });
  const created = await request('/v2/jobs', { method: 'POST', body });
  assert.is(created.status, 201);
  const claim = await appContext.remoteClaims.claim(workerId, AbortSignal.timeout(10_000));
  assert.ok(claim !== null);
  return { id: claim.job.id, token: claim.token };
}

test('lists the workers by name, with the jobs that they run, in JSON and XML', async ({ served }) => {
  assert.equal(await listed(served), []);
  const { workers } = served.appContext;
  const { workerId } = await workers.join(joinRequest({ labels: ['gpu', 'big'] }));
  await workers.join(joinRequest({ name: 'attic', jobs: 1, ffmpeg: '6.1' }));
  const { id } = await runOnWorker(served, workerId);
  const [attic, box] = await listed(served);
  assert.equal([attic?.name, attic?.jobs, attic?.ffmpeg, attic?.job_ids], ['attic', 1, '6.1', []]);
  assert.equal(
    [box?.name, box?.labels, box?.job_ids, box?.draining, box?.speed],
    ['box', ['gpu', 'big'], [id], false, null],
  );
  assert.ok(Date.parse(box?.last_seen_at ?? '') >= Date.parse(box?.joined_at ?? ''));
  const xml = await served.request('/v2/workers.xml');
  assert.equal(readXmlAnswer(await xml.text()), { workers: [attic, box] });
});

test('details of a job have the name of its worker, also after its end, until the job waits again', async ({
  served,
}) => {
  const { request, appContext } = served;
  const { workerId } = await appContext.workers.join(joinRequest());
  const { id, token } = await runOnWorker(served, workerId);
  const jobNow = async () => ((await (await request(`/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
  assert.is((await jobNow()).worker, 'box');
  const [first] = (await (await request('/v2/jobs')).json()) as readonly { job: JobRecord }[];
  assert.is(first?.job.worker, 'box');
  assert.match(await (await request(`/v2/jobs/${id}.xml`)).text(), '<worker>box</worker>');
  const failure = { errorClass: 'NoMediaError', message: 'The input has no media.' } as const;
  await appContext.remoteClaims.change(id, token, 1, { type: 'input-failed', failure });
  assert.equal([(await jobNow()).state, (await jobNow()).worker], ['failed', 'box']);
  assert.is((await request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
  assert.equal([(await jobNow()).state, (await jobNow()).worker], ['waiting', undefined]);
});

test('a worker keeps its claim if it reports before a restarted daemon has recovered its jobs', async ({
  served,
}) => {
  const { workerId } = await served.appContext.workers.join(joinRequest());
  const { id, token } = await runOnWorker(served, workerId);
  await served.close();
  const report = { workerId, progress: [], log: [] };
  const answers: unknown[] = [];
  const restarted = await serveContext(served.dataFolder, async ({ remoteClaims }) => {
    answers.push(await remoteClaims.heartbeat(id, token, report));
  });
  try {
    answers.push(await restarted.appContext.remoteClaims.heartbeat(id, token, report));
    assert.equal(answers, [
      { stop: null, drain: false },
      { stop: null, drain: false },
    ]);
    const job = await restarted.appContext.store.get(id);
    assert.equal([job?.state, job?.claim, job?.crashes], ['processing', token, 0]);
  } finally {
    await restarted.close();
  }
});

test('drains and resumes a worker, and a similar name is suggested', async ({ served }) => {
  await served.appContext.workers.join(joinRequest({ name: 'box.example.com' }));
  const put = (path: string) => served.request(path, { method: 'PUT' });
  assert.is((await put('/v2/workers/box.example.com/drain')).status, 204);
  assert.is((await listed(served))[0]?.draining, true);
  assert.is((await put('/v2/workers/box.example.com/resume')).status, 204);
  assert.is((await listed(served))[0]?.draining, false);
  for (const [path, message] of [
    [
      '/v2/workers/box.exmaple.com/drain',
      'There is no worker with the name box.exmaple.com; did you mean box.example.com?',
    ],
    ['/v2/workers/none/resume', 'There is no worker with the name none.'],
  ] as const) {
    const response = await put(path);
    assert.is(response.status, 404);
    assert.equal(await response.json(), { errors: [message] });
  }
});

test('a name that is not valid, and a path with a suffix, are answered as the OpenAPI document says', async ({
  served,
}) => {
  for (const name of ['%00', 'a%0Ab', '%2e%2e', '%C3%A4', 'x'.repeat(300)])
    for (const suffix of ['', '.json', '.xml', '?format=xml']) {
      const response = await served.request(`/v2/workers/${name}/drain${suffix}`, { method: 'PUT' });
      assert.is(response.status, 404, `${name}${suffix}`);
      assert.is(response.headers.get('content-type')?.includes('xml'), suffix.includes('xml'));
    }
});

test('only keys of the account default may list and drain workers', async ({ served, strangerKey }) => {
  await served.appContext.workers.join(joinRequest());
  for (const [method, path] of [
    ['GET', '/v2/workers'],
    ['PUT', '/v2/workers/box/drain'],
    ['PUT', '/v2/workers/box/resume'],
    ['PUT', '/v2/workers/none/drain'],
  ] as const) {
    const response = await served.request(path, { method, headers: { 'Service-Api-Key': strangerKey } });
    assert.is(response.status, 403, path);
    assert.match(await response.text(), 'only keys of the account default');
  }
  assert.is((await listed(served))[0]?.draining, false);
});

test('metrics count the workers, their slots and the jobs that they run', async ({ served }) => {
  const { workers } = served.appContext;
  const { workerId } = await workers.join(joinRequest());
  await workers.join(joinRequest({ name: 'attic', jobs: 3 }));
  await workers.setDraining('attic', true);
  await runOnWorker(served, workerId);
  const samples = readSamples(await (await served.request('/metrics')).text());
  const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samplesOf(samples, name, labels)[0]?.value;
  assert.is(value('venc_workers', { state: 'active' }), 1);
  assert.is(value('venc_workers', { state: 'draining' }), 1);
  assert.is(value('venc_worker_slots'), 2);
  assert.is(value('venc_worker_jobs'), 1);
  assert.is(value('venc_runs'), 1);
  assert.is(value('venc_health_check_ok', { check: 'queue' }), 1);
});

test('with --jobs 0, jobs that wait are reported until a worker is connected', async ({ served }) => {
  const reasonOf = async () => {
    const { checks } = (await (await served.request('/health')).json()) as {
      checks: readonly { name: string; reason: string | null }[];
    };
    return checks.find(({ name }) => name === 'queue')?.reason;
  };
  await served.request('/v2/jobs', { method: 'POST', body: '{"input": "http://127.0.0.1:9/a.mp4"}' });
  assert.match((await reasonOf()) ?? '', /no worker is connected/);
  await served.appContext.workers.join(joinRequest());
  assert.is(await reasonOf(), null);
});

test('a worker that was drained drains after a restart of the daemon', async ({ served }) => {
  await served.appContext.workers.join(joinRequest());
  assert.is((await served.request('/v2/workers/box/drain', { method: 'PUT' })).status, 204);
  await served.close();
  const restarted = await serveContext(served.dataFolder);
  try {
    await restarted.appContext.workers.join(joinRequest());
    assert.equal(
      (await listed(restarted)).map(({ name, draining }) => [name, draining]),
      [['box', true]],
    );
    assert.is((await restarted.request('/v2/workers/box/resume', { method: 'PUT' })).status, 204);
    assert.is((await listed(restarted))[0]?.draining, false);
  } finally {
    await restarted.close();
  }
});

test.run();
