import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { dayNames, parseHours } from '../../src/shared/hours.js';
import type { JobProgressRecord, QueueRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { readSamples, samplesOf } from '../helpers/prometheus.js';
import { readXmlAnswer } from '../helpers/read-xml.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';

interface Context {
  served: ServedContext;
  strangerKey: string;
  venc: (words: string, key?: string) => ReturnType<typeof runInProcess>;
}

const test = suite<Context>('pauses of the queue');

test.before.each(async (context) => {
  context.served = await serveContext();
  context.strangerKey = (await createAccount(openFolderSetup(context.served.dataFolder), 'studio')).key;
  const { url, key } = context.served;
  context.venc = (words, apiKey = key) =>
    runInProcess(words.split(' '), { env: { VENC_URL: url, VENC_API_KEY: apiKey } });
});
test.after.each(({ served }) => served.close());

const free: QueueRecord = { paused: false, frozen: false, reason: null, until: null };

async function change(
  { request, key }: ServedContext,
  what: 'pause' | 'resume' | '',
  { body, as = key }: { readonly body?: string; readonly as?: string } = {},
): Promise<QueueRecord> {
  const path = what === '' ? '/v2/queue' : `/v2/queue/${what}`;
  const response = await request(path, {
    method: what === '' ? 'GET' : 'PUT',
    headers: { 'Service-Api-Key': as },
    ...(body === undefined ? {} : { body }),
  });
  assert.is(response.status, 200);
  return (await response.json()) as QueueRecord;
}

test('the owner pauses the daemon, and the state is in lists, health and metrics', async ({ served }) => {
  assert.equal(await change(served, ''), free);
  assert.is((await served.request('/v2/jobs')).headers.get('venc-queue'), null);
  const paused = await change(served, 'pause', { body: '{"for": "2h"}' });
  assert.equal([paused.paused, paused.reason], [true, 'daemon']);
  const leftMs = Date.parse(paused.until ?? '') - Date.now();
  assert.ok(leftMs > 7_190_000 && leftMs <= 7_200_000, String(leftMs));
  assert.match((await served.request('/v2/jobs')).headers.get('venc-queue') ?? '', /^paused; until=20/);
  const { status, checks } = (await (await served.request('/health')).json()) as {
    status: string;
    checks: readonly { name: string; ok: boolean; reason: string | null }[];
  };
  assert.is(status, 'ok');
  const check = checks.find(({ name }) => name === 'queue');
  assert.ok(check?.ok);
  assert.match(check.reason ?? '', /is paused/);
  const gauge = async () =>
    samplesOf(readSamples(await (await served.request('/metrics')).text()), 'venc_queue_paused', {})[0]
      ?.value;
  assert.is(await gauge(), 1);
  assert.equal(readXmlAnswer(await (await served.request('/v2/queue.xml')).text()), await change(served, ''));
  assert.equal(await change(served, 'resume'), free);
  assert.equal(await change(served, 'resume'), free, 'resumed twice');
  assert.is(await gauge(), 0);
});

test('an account pauses its own jobs, and sees that the daemon is paused', async ({
  served,
  strangerKey,
}) => {
  const own = await change(served, 'pause', { as: strangerKey });
  assert.equal(own, { paused: true, frozen: false, reason: 'account', until: null });
  assert.equal(await change(served, ''), free, 'the owner is not paused');
  await change(served, 'pause', { body: '<api-request><for>1:30</for></api-request>' });
  assert.is((await change(served, '', { as: strangerKey })).reason, 'daemon');
  const still = await change(served, 'resume', { as: strangerKey });
  assert.equal([still.paused, still.reason], [true, 'daemon'], 'the account cannot resume the daemon');
  await change(served, 'resume');
  assert.equal(await change(served, '', { as: strangerKey }), free);
});

test('the progress of a job has the pause that holds for it, and its stream follows it', async ({
  served,
}) => {
  await change(served, 'pause');
  const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4' });
  const created = await served.request('/v2/jobs', { method: 'POST', body });
  const { id } = (await created.json()) as { id: string };
  const progress = (await (await served.request(`/v2/jobs/${id}/progress`)).json()) as JobProgressRecord;
  const pause = { frozen: false, reason: 'daemon', until: null };
  assert.equal([progress.state, progress.queue], ['waiting', pause]);
  const xml = await (await served.request(`/v2/jobs/${id}/progress.xml`)).text();
  assert.equal(readXmlAnswer(xml), progress);
  const response = await served.request(`/v2/jobs/${id}/events`);
  const reader = response.body?.getReader();
  const pauses = async (pattern: RegExp) => {
    let text = '';
    while (!pattern.test(text)) text += Buffer.from((await reader?.read())?.value ?? '').toString();
    return text;
  };
  assert.match(await pauses(/"state"/), '"queue":{"frozen":false');
  await change(served, 'pause', { body: '{"now": true}' });
  await pauses(/"queue":\{"frozen":true/);
  await change(served, 'resume');
  await pauses(/"state":(?!.*"queue")/);
  await reader?.cancel();
});

test('a pause holds over a restart', async (context) => {
  await change(context.served, 'pause');
  await context.served.close();
  context.served = await serveContext(context.served.dataFolder);
  assert.equal(await change(context.served, ''), {
    paused: true,
    frozen: false,
    reason: 'daemon',
    until: null,
  });
});

test('a pause with now stops the encodes as well, until the queue is resumed', async ({ served, venc }) => {
  const frozen = { paused: true, frozen: true, reason: 'daemon', until: null };
  assert.equal(await change(served, 'pause', { body: '{"now": true}' }), frozen);
  assert.equal(await change(served, 'pause'), frozen, 'a later pause does not end it');
  assert.is((await served.request('/v2/jobs')).headers.get('venc-queue'), 'paused; frozen');
  assert.match(
    (await venc('list')).stderr,
    'the queue is paused and its encodes are stopped; no further job',
  );
  assert.equal(await change(served, 'resume'), free);
  const body = '<api-request><now type="boolean">true</now></api-request>';
  assert.is((await change(served, 'pause', { body })).frozen, true);
  await change(served, 'resume');
  const { stderr } = await venc('pause --now --for 90s');
  assert.match(stderr, /^venc: the queue is paused and its encodes are stopped until .* UTC\n$/);
});

test('anything but a length is rejected by name', async ({ served }) => {
  for (const [body, message] of [
    ['{"for": "soon"}', 'for takes a time'],
    ['{"for": 0}', 'for must be longer than 0'],
    ['{"for": "99999999h"}', 'for must be longer than 0 and at most'],
    ['{"for": [1]}', 'for'],
    ['{"now": true, "until": "x"}', 'until is not a field'],
    ['{"now": "soon"}', 'now must be true or false'],
    ['[]', 'the body must be an object'],
  ] as const) {
    const response = await served.request('/v2/queue/pause', { method: 'PUT', body });
    assert.is(response.status, 422, body);
    assert.match(await response.text(), message);
  }
  assert.equal(await change(served, ''), free);
});

test('the commands pause, show and resume', async ({ served, venc, strangerKey }) => {
  const paused = await venc('pause --for 90s');
  assert.is(paused.code, 0, paused.stderr);
  assert.match(paused.stderr, /^venc: the queue is paused until .* UTC; running encodes finish\n$/);
  const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4' });
  await served.request('/v2/jobs', { method: 'POST', body });
  assert.match((await venc('list')).stderr, /the queue is paused until .*\(venc resume\)/);
  assert.is((await venc('list --json')).stderr, '');
  assert.match((await venc('wait 1 --timeout 2')).stderr, /the queue is paused until/);
  assert.match(
    (await venc('resume', strangerKey)).stderr,
    /the whole daemon is paused; its owner can resume it/,
  );
  assert.is((await venc('resume')).stderr, 'venc: the queue is not paused; waiting jobs start\n');
  assert.is((await venc('pause --for 0')).code, 2);
});

test('outside the hours, lists, health and commands say when they begin, and resume --for overrides them', async (context) => {
  const { dataFolder } = context.served;
  await context.served.close();
  const hours = parseHours(`${dayNames[(new Date().getDay() + 3) % 7]} 22:00-23:00`);
  context.served = await serveContext(dataFolder, undefined, { hours, freezesOutside: true });
  const { served, strangerKey } = context;
  const { url, key } = served;
  const venc = (words: string, apiKey = key) =>
    runInProcess(words.split(' '), { env: { VENC_URL: url, VENC_API_KEY: apiKey } });
  const state = await change(served, '');
  assert.equal([state.paused, state.frozen, state.reason], [true, true, 'hours']);
  const until = state.until ?? '';
  assert.match(
    (await served.request('/v2/jobs')).headers.get('venc-queue') ?? '',
    /^paused; hours; frozen; until=20/,
  );
  assert.match(await (await served.request('/health')).text(), 'outside the hours of this daemon');
  assert.match(await (await served.request('/metrics')).text(), /venc_slots_held_back\{reason="hours"\} 1/);
  assert.match((await venc('list')).stderr, /outside its hours and its encodes are stopped until .*--for 2h/);
  const begin = `${until.slice(0, 10)} ${until.slice(11, 19)} UTC`;
  assert.match((await venc('resume')).stderr, `hours (--hours), which begin at ${begin}`);
  assert.is((await change(served, 'pause')).reason, 'daemon', 'a pause is independent');
  assert.is((await change(served, 'resume')).reason, 'hours');
  const foreign = await venc('resume --for 2h', strangerKey);
  assert.match(foreign.stderr, /only keys of the account default/);
  assert.is((await venc('resume --for 2h')).stderr, 'venc: the queue is not paused; waiting jobs start\n');
  assert.equal(await change(served, ''), free);
  assert.is((await served.request('/v2/queue/resume', { method: 'PUT', body: '{"now": true}' })).status, 422);
  await served.close();
  context.served = await serveContext(dataFolder, undefined, { hours });
  assert.equal(await change(context.served, ''), free, 'also after a restart');
  await change(context.served, 'pause');
  assert.equal(await change(context.served, 'resume'), free, 'a pause does not end it');
});

test('a daemon without hours has none to override', async ({ venc }) => {
  const { code, stderr } = await venc('resume --for 2h');
  assert.is(code, 2);
  assert.match(stderr, /was started without --hours/);
});

test.run();
