import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { readXmlAnswer } from '../helpers/read-xml.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';

interface Context {
  served: ServedContext;
  venc: (words: string) => ReturnType<typeof runInProcess>;
  id: number;
}

const test = suite<Context>('pauses of single jobs');

test.before.each(async (context) => {
  context.served = await serveContext();
  const { url, key } = context.served;
  context.venc = (words) => runInProcess(words.split(' '), { env: { VENC_URL: url, VENC_API_KEY: key } });
  await context.served.request('/v2/queue/pause', { method: 'PUT' });
  const body = JSON.stringify({ input: 'http://127.0.0.1:1/a.mp4' });
  const response = await context.served.request('/v2/jobs', { method: 'POST', body });
  context.id = Number(((await response.json()) as { readonly id: string }).id);
});
test.after.each(({ served }) => served.close());

const put = ({ request }: ServedContext, path: string, body?: string) =>
  request(path, { method: 'PUT', ...(body === undefined ? {} : { body }) });

async function pauseOf({ request }: ServedContext, id: number): Promise<JobRecord['paused']> {
  return ((await (await request(`/v2/jobs/${id}`)).json()) as { job: JobRecord }).job.paused;
}

test('a waiting job is paused and resumed, in JSON and XML', async ({ served, id }) => {
  assert.is(await pauseOf(served, id), undefined);
  const paused = await put(served, `/v2/jobs/${id}/pause`);
  assert.equal([paused.status, await paused.json()], [200, { paused: true, frozen: false }]);
  assert.is((await put(served, `/v2/jobs/${id}/pause.xml`)).status, 200, 'paused twice');
  assert.is(await pauseOf(served, id), true);
  const xml = await (await served.request(`/v2/jobs/${id}.xml`)).text();
  assert.is((readXmlAnswer(xml) as { job: JobRecord }).job.paused, true);
  const { job } = ((await (await served.request('/v2/jobs')).json()) as [{ job: JobRecord }])[0];
  assert.equal([job.state, job.paused], ['waiting', true]);
  const resumed = await put(served, `/v2/jobs/${id}/resume`);
  assert.equal(await resumed.json(), { paused: false, frozen: false });
  assert.is((await put(served, `/v2/jobs/${id}/resume`)).status, 200, 'nothing to resume');
  assert.is(await pauseOf(served, id), undefined);
});

test('a pause holds over a restart; a resubmit ends it', async (context) => {
  const { id } = context;
  await put(context.served, `/v2/jobs/${id}/pause`);
  await context.served.close();
  context.served = await serveContext(context.served.dataFolder);
  assert.is(await pauseOf(context.served, id), true);
  await put(context.served, `/v2/jobs/${id}/resubmit`);
  assert.is(await pauseOf(context.served, id), undefined);
});

test('a body with fields, and a job that has ended, are rejected', async ({ served, venc, id }) => {
  for (const body of ['{"for": "2h"}', '[1]']) {
    const rejected = await put(served, `/v2/jobs/${id}/pause`, body);
    assert.is(rejected.status, 422, body);
    assert.match(await rejected.text(), 'the body must be empty');
  }
  assert.is((await put(served, `/v2/jobs/${id}/pause`, '{"api_key": "x"}')).status, 200);
  await put(served, `/v2/jobs/${id}/cancel`);
  assert.is(await pauseOf(served, id), undefined);
  assert.is((await put(served, `/v2/jobs/${id}/pause`)).status, 409);
  const { code, stderr } = await venc(`resume ${id}`);
  assert.is(code, 6);
  assert.match(stderr, /only a job that has not ended can be (paused or )?resumed/);
});

test('the commands name what happens, and show and list show it', async ({ venc, id }) => {
  assert.is(
    (await venc(`pause ${id}`)).stderr,
    `venc: job ${id} is paused, and does not start until it is resumed\n`,
  );
  assert.match((await venc(`show ${id}`)).stdout, new RegExp(`paused +yes: venc resume ${id} ends that`));
  assert.match((await venc('list')).stdout, new RegExp(`${id} +paused`));
  assert.match((await venc(`progress ${id}`)).stdout, 'paused');
  assert.match((await venc(`resume ${id}`)).stderr, 'is not paused; it goes on in the next free slot');
  assert.is((await venc('pause 99')).code, 5);
  for (const flag of ['--now', '--for 2h']) {
    const { code, stderr } = await venc(`pause ${id} ${flag}`);
    assert.is(code, 2);
    assert.match(stderr, /is for the whole queue/);
  }
});

test.run();
