import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { runInProcess } from '../cli/run-here.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';

interface Context {
  served: ServedContext;
  venc: (words: string) => ReturnType<typeof runInProcess>;
}

const test = suite<Context>('the place of a job in the queue');

test.before.each(async (context) => {
  context.served = await serveContext();
  const { url, key } = context.served;
  context.venc = (words) => runInProcess(words.split(' '), { env: { VENC_URL: url, VENC_API_KEY: key } });
  await context.served.request('/v2/queue/pause', { method: 'PUT' });
});
test.after.each(({ served }) => served.close());

async function submitted({ request }: ServedContext, priority = 0, key?: string): Promise<number> {
  const response = await request('/v2/jobs', {
    method: 'POST',
    ...(key === undefined ? {} : { headers: { 'Service-Api-Key': key } }),
    body: JSON.stringify({ input: 'http://127.0.0.1:1/a.mp4', priority }),
  });
  assert.is(response.status, 201);
  return ((await response.json()) as { readonly id: number }).id;
}

async function priorityOf({ request }: ServedContext, id: number): Promise<number> {
  const { job } = (await (await request(`/v2/jobs/${id}`)).json()) as { job: { priority?: number } };
  return job.priority ?? 0;
}

const place = ({ request }: ServedContext, id: number, body: string) =>
  request(`/v2/jobs/${id}/priority`, { method: 'PUT', body });

test('a priority can be changed in JSON, XML and by command', async ({ served, venc }) => {
  const id = await submitted(served);
  assert.is((await place(served, id, '{"priority": 7}')).status, 204);
  assert.is(await priorityOf(served, id), 7);
  assert.is((await place(served, id, '<api-request><priority>-3</priority></api-request>')).status, 204);
  assert.is(await priorityOf(served, id), -3);
  const { code, stderr } = await venc(`priority ${id} -10`);
  assert.equal([code, stderr], [0, `venc: job ${id} has priority -10\n`]);
  assert.is(await priorityOf(served, id), -10);
  assert.is((await venc(`priority ${id} 0`)).code, 0);
  assert.is(await priorityOf(served, id), 0);
});

test('the next job has a greater priority than all others of its account', async ({ served, venc }) => {
  const stranger = await createAccount(openFolderSetup(served.dataFolder), 'studio');
  const [first, second, third] = [
    await submitted(served, 10),
    await submitted(served),
    await submitted(served),
  ];
  await submitted(served, 10, stranger.key);
  assert.is((await venc(`next ${second}`)).stderr, `venc: job ${second} is next\n`);
  assert.is(await priorityOf(served, second), 11);
  await venc(`next ${third} ${first}`);
  assert.equal([await priorityOf(served, third), await priorityOf(served, first)], [13, 12]);
  // It is the first already.
  await venc(`next ${third}`);
  assert.is(await priorityOf(served, third), 13);
});

test('the place is kept over a restart', async (context) => {
  const id = await submitted(context.served);
  await place(context.served, id, '{"next": true}');
  await context.served.close();
  context.served = await serveContext(context.served.dataFolder);
  assert.is(await priorityOf(context.served, id), 11);
});

test('any other body is rejected by name', async ({ served }) => {
  const id = await submitted(served);
  for (const [body, message] of [
    ['{"priority": 11}', 'priority must be a whole number from -10 to 10'],
    ['{"priority": 1.5}', 'priority must be a whole number'],
    ['{"priority": ""}', 'priority must be a whole number'],
    ['{"priority": 1, "next": true}', 'either priority or next'],
    ['{"next": false}', 'either priority or next'],
    ['{"next": "soon"}', 'next must be true or false'],
    ['{"rank": 1, "priority": 1}', 'rank is not a field of a place'],
    ['{}', 'either priority or next'],
  ] as const) {
    const response = await place(served, id, body);
    assert.is(response.status, 422, body);
    assert.match(await response.text(), message);
  }
  assert.is(await priorityOf(served, id), 0);
});

test('a job that does not wait has no place', async ({ served, venc }) => {
  const id = await submitted(served);
  await venc(`cancel ${id}`);
  const answer = await place(served, id, '{"next": true}');
  assert.is(answer.status, 409);
  const { code, stderr } = await venc(`next ${id}`);
  assert.is(code, exitCodes.conflict);
  assert.match(stderr, /cancelled: only a waiting job has a place in the queue/);
  assert.is((await venc('priority 99 1')).code, exitCodes.notFound);
  assert.is((await venc(`priority ${id} 11`)).code, 2);
});

test.run();
