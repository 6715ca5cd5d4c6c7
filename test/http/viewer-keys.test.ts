import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobRecord } from '../../src/shared/records.js';
import { type Route, type RouteName, routePath, routes } from '../../src/shared/routes.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';

interface Context {
  daemon: TestDaemon;
  job: JobRecord;
  viewerKey: string;
  /** A viewer key of another account. */
  otherKey: string;
}

/** The query of an upload in parts that is not complete. */
const upload = `upload=${'0'.repeat(32)}`;
const input = 'http://127.0.0.1:9/nothing.mp4';

const test = daemonSuite<Context>('viewer keys', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const setup = openFolderSetup(daemon.dataFolder);
  const { key: viewerKey } = await createKey(setup, 'default', 'viewer', { name: 'wall' });
  await createAccount(setup, 'other');
  const { key: otherKey } = await createKey(setup, 'other', 'viewer');
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${await daemon.create({ input })}`);
  const preset = { method: 'PUT', body: '{"output": {"width": 320}}' };
  assert.is((await daemon.request('/v2/presets/mine', preset)).status, 200);
  const part = { method: 'PUT', body: 'bytes' };
  assert.is((await daemon.request(`/v2/uploads/a.mp4?${upload}&offset=0&size=10`, part)).status, 200);
  Object.assign(context, { job, viewerKey, otherKey });
});

/** A client behind a proxy: on this machine, metrics need no key. */
const proxied = { 'X-Forwarded-For': '203.0.113.7' };
const withKey = (key: string, more: RequestInit = {}): RequestInit => ({
  ...more,
  headers: { ...proxied, 'Service-Api-Key': key },
});

function pathFor(name: RouteName, job: JobRecord): string {
  const ids: Readonly<Record<string, number>> = {
    input: job.input_media_file.id,
    output: job.output_media_files[0]?.id ?? 0,
  };
  const id = ids[/^(input|output)/.exec(name)?.[0] ?? ''] ?? job.id;
  return routePath(name, { id, name: name.includes('reset') ? 'mine' : 'a.mp4', token: '0'.repeat(32) });
}

/** Their bodies are streams, or change with each request. */
const changingBodies: readonly RouteName[] = [
  ...(['events', 'jobEvents', 'jobLogEvents', 'daemonLog', 'daemonLogEvents', 'metrics'] as const),
];

/** The status, the type and the text of an answer; without the text of a stream. */
async function answerTo(name: RouteName, url: string, init: RequestInit) {
  const stop = new AbortController();
  const response = await fetch(url, { ...init, signal: stop.signal });
  const text = changingBodies.includes(name) ? null : await response.text();
  stop.abort();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

const names = Object.keys(routes) as RouteName[];
const routeOf = (name: RouteName): Route => routes[name];
// The state of an upload in parts needs its token, and a link to the page changes nothing.
const keyed = names.filter(
  (name) =>
    !['none', 'worker'].includes(routes[name].key) &&
    routeOf(name).isForViewers !== true &&
    name !== 'uploadState',
);

for (const name of keyed) {
  const { method, path, acceptsAnyMethod, requestBody, representations } = routeOf(name);
  if (method === 'GET') {
    test(`${name} answers a viewer key as a full access key`, async ({ daemon, job, viewerKey }) => {
      const suffixes = { json: '.json', xml: '.xml', jsonp: '.js', text: '.txt' } as const;
      // A name may end like a suffix.
      const forms = path.endsWith(':name') ? [] : representations;
      for (const suffix of ['', ...forms.map((form) => suffixes[form])]) {
        const url = `${daemon.url}${pathFor(name, job)}${suffix}${name === 'uploadState' ? `?${upload}` : ''}`;
        const viewers = await answerTo(name, url, withKey(viewerKey));
        assert.equal(viewers, await answerTo(name, url, withKey(daemon.key)));
        assert.is(viewers.status, 200, suffix);
        const head = await fetch(url, withKey(viewerKey, { method: 'HEAD' }));
        assert.is(head.status, 200);
      }
    });
    continue;
  }
  const methods = acceptsAnyMethod ? ['PUT', 'GET', 'POST', 'PATCH', 'DELETE'] : [method];
  for (const each of methods)
    test(`${each} ${path} with a viewer key is 403`, async ({ daemon, job, viewerKey, otherKey }) => {
      const body = each === 'GET' || requestBody === undefined ? {} : { body: JSON.stringify({ input }) };
      const url = `${daemon.url}${pathFor(name, job)}`;
      for (const key of [viewerKey, otherKey]) {
        const [sentence = ''] = await fetchRejection(url, withKey(key, { method: each, ...body }), 403);
        assert.match(sentence, /viewer key, which can read everything and change nothing/);
        await fetchRejection(`${url}?api_key=${key}`, { method: each, ...body }, 403);
      }
    });
}

test('a key in the body is a viewer key as well', async ({ daemon, viewerKey }) => {
  const body = JSON.stringify({ input, api_key: viewerKey });
  await fetchRejection(`${daemon.url}/v2/jobs`, { method: 'POST', body }, 403);
});

test('a viewer key opens no route of workers', async ({ daemon, job, viewerKey }) => {
  for (const name of names.filter((each) => routes[each].key === 'worker')) {
    const init = { method: routes[name].method, headers: { Authorization: `Bearer ${viewerKey}` } };
    const response = await fetch(`${daemon.url}${pathFor(name, job)}`, init);
    assert.is(response.status, 403, name);
    assert.match(await response.text(), /worker key/);
  }
});

test('a viewer key of another account sees nothing of the owner', async ({ daemon, job, otherKey }) => {
  assert.is(await (await fetch(`${daemon.url}/v2/jobs`, withKey(otherKey))).text(), '[]');
  await fetchRejection(`${daemon.url}/v2/jobs/${job.id}`, withKey(otherKey), 404);
  for (const path of ['/v2/log', '/v2/log/events', '/v2/events?account=*', '/v2/workers', '/metrics'])
    await fetchRejection(`${daemon.url}${path}`, withKey(otherKey), 403);
});

test('an expired viewer key is 401', async ({ daemon }) => {
  const expiresAt = new Date(Date.now() - 1).toISOString();
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'viewer', { expiresAt });
  const [sentence = ''] = await fetchRejection(`${daemon.url}/v2/jobs`, withKey(key), 401);
  assert.match(sentence, /expired on/);
});

test('nothing has changed after all requests', async ({ daemon, job }) => {
  assert.equal((await daemon.read<readonly { job: JobRecord }[]>('/v2/jobs')).length, 1);
  assert.equal((await daemon.read<{ job: JobRecord }>(`/v2/jobs/${job.id}`)).job, job);
  assert.is((await daemon.read<{ paused: boolean }>('/v2/queue')).paused, false);
});

test.run();
