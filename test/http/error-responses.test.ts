import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { CreatedRecord, JobRecord } from '../../src/shared/records.js';
import { type Route, type RouteName, routePath, routes } from '../../src/shared/routes.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  job: JobRecord;
  readOnlyKey: string;
  strangerKey: string;
}

const test = suite<Context>('error responses');

test.before(async (context) => {
  const dataFolder = join(tempFolder(), 'data');
  const { key: strangerKey } = await createAccount(openFolderSetup(dataFolder), 'acme');
  const { key: readOnlyKey } = await createKey(openFolderSetup(dataFolder), 'default', 'read-only');
  const daemon = await startTestDaemon({ dataFolder, jobs: 0 });
  const id = await daemon.create({ input });
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`);
  Object.assign(context, { daemon, job, readOnlyKey, strangerKey });
});
test.after(({ daemon }) => daemon.stop());

const input = 'http://127.0.0.1:9/nothing.mp4';
const names = Object.keys(routes) as RouteName[];
// Metrics need no key here: this is the machine of the daemon (test/http/metrics.test.ts). test/http/worker-keys.test.ts tries the
// routes of workers.
const keyed = names.filter((name) => !['none', 'owner', 'worker'].includes(routes[name].key));
const routeOf = (name: RouteName): Route => routes[name];

/** The path of a route for the files of a job. */
function pathFor(name: RouteName, job: JobRecord): string {
  const ids: Readonly<Record<string, number>> = {
    input: job.input_media_file.id,
    output: job.output_media_files[0]?.id ?? 0,
  };
  const id = ids[/^(input|output)/.exec(name)?.[0] ?? ''] ?? job.id;
  return routePath(name, { id, name: 'a.mp4', token: '0'.repeat(32) });
}

const withKey = (key: string, more: RequestInit = {}): RequestInit => ({
  ...more,
  headers: { 'Service-Api-Key': key },
});
const valid = JSON.stringify({ input });

for (const name of keyed) {
  const { method, path, key, requestBody: takes, representations } = routeOf(name);
  const isOfAnId = path.includes(':id');
  const init: RequestInit = { method, ...(takes === undefined ? {} : { body: valid }) };
  const forms = representations.includes('xml') ? (['json', 'xml'] as const) : (['json'] as const);
  const route = `${method} ${path}`;

  test(`${route} without a valid key is ${isOfAnId ? 404 : 401}`, async ({ daemon, job }) => {
    for (const form of forms) {
      const url = `${daemon.url}${pathFor(name, job)}`;
      const status = isOfAnId ? 404 : 401;
      const query = form === 'xml' ? '?format=xml' : '';
      await fetchRejection(`${url}${query}`, init, status, form);
      await fetchRejection(`${url}${query}`, withKey('wrong', init), status, form);
      await fetchRejection(`${url}?api_key=&format=${form}`, init, status, form);
    }
  });

  if (key === 'full') {
    test(`${route} with a read-only key is 403`, async ({ daemon, job, readOnlyKey }) => {
      const [sentence = ''] = await fetchRejection(
        `${daemon.url}${pathFor(name, job)}`,
        withKey(readOnlyKey, init),
        403,
      );
      assert.match(sentence, 'full access key');
    });
  } else {
    test(`${route} accepts a read-only key in every format`, async ({ daemon, job, readOnlyKey }) => {
      for (const suffix of representations.map(
        (form) => ({ json: '.json', xml: '.xml', jsonp: '.js', text: '.txt' })[form],
      )) {
        const response = await fetch(`${daemon.url}${pathFor(name, job)}${suffix}?api_key=${readOnlyKey}`);
        assert.is(response.status, 200, suffix);
      }
    });
  }

  if (isOfAnId) {
    test(`${route} of an id of another account, or an unknown one, is 404`, async ({
      daemon,
      job,
      strangerKey,
    }) => {
      const own = `${daemon.url}${pathFor(name, job)}`;
      await fetchRejection(own, withKey(strangerKey, init), 404);
      for (const id of [0, 999_999, 2 ** 31 - 1]) {
        await fetchRejection(`${daemon.url}${routePath(name, { id })}`, withKey(daemon.key, init), 404);
      }
      await fetchRejection(
        `${daemon.url}${path.replace(':id', '9'.repeat(400))}`,
        withKey(daemon.key, init),
        404,
      );
      await fetchRejection(`${daemon.url}${path.replace(':id', '-1')}`, withKey(daemon.key, init), 404);
      assert.is((await daemon.read<{ job: JobRecord }>(`/v2/jobs/${job.id}`)).job.state, 'waiting');
    });
  }
}

for (const name of names.filter((each) => routeOf(each).acceptsAnyMethod === undefined)) {
  const { path } = routeOf(name);
  const taken = names.filter((each) => routeOf(each).path === path).map((each) => routeOf(each).method);
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (method) => !taken.some((each) => each === method),
  );

  test(`${path} rejects the methods ${others.join(', ')}`, async ({ daemon, job }) => {
    for (const method of others) {
      const url = `${daemon.url}${pathFor(name, job)}`;
      for (const init of [{ method }, withKey(daemon.key, { method })]) {
        const [sentence = ''] = await fetchRejection(url, init, 405);
        for (const one of taken) assert.match(sentence, one);
      }
      const response = await fetch(url, { method, headers: { Accept: 'application/xml' } });
      assert.is(response.headers.get('content-type'), 'application/xml; charset=utf-8');
      const allowed = response.headers.get('allow')?.split(', ') ?? [];
      const heads = taken.includes('GET') ? ['HEAD'] : [];
      assert.equal(new Set(allowed), new Set([...taken, ...heads, 'OPTIONS']));
    }
  });

  test(`${path} answers OPTIONS with 204 and the CORS headers`, async ({ daemon, job }) => {
    const response = await fetch(`${daemon.url}${pathFor(name, job)}`, { method: 'OPTIONS' });
    assert.is(response.status, 204);
    assert.is(await response.text(), '');
    assert.is(response.headers.get('access-control-allow-origin'), '*');
    assert.match(response.headers.get('access-control-allow-methods') ?? '', /GET.*PUT/);
    assert.match(
      response.headers.get('access-control-allow-headers') ?? '',
      /Service-Api-Key.*Idempotency-Key/,
    );
  });
}

test('an unknown address is 404 in the requested format', async ({ daemon }) => {
  for (const path of [
    '/v3',
    '/v2/nothing.json',
    '/v2/jobs/1/2',
    '/api',
    '/api/api/v2/jobs',
    '/%2e%2e/etc/passwd',
  ].filter((each) => each !== '/api')) {
    await fetchRejection(`${daemon.url}${path}`, {}, 404);
  }
  await fetchRejection(`${daemon.url}/v2/nothing.xml`, {}, 404, 'xml');
  await fetchRejection(`${daemon.url}/v2/nothing.js?callback=f`, {}, 404);
});

test('an account in integration mode makes only test jobs, and sees only its own', async ({
  daemon,
  strangerKey,
}) => {
  const response = await fetch(
    `${daemon.url}/v2/jobs`,
    withKey(strangerKey, { method: 'POST', body: valid }),
  );
  const record = (await response.json()) as CreatedRecord;
  assert.is(record.test, true);
  const list = await fetch(`${daemon.url}/v2/jobs?api_key=${strangerKey}`);
  const jobs = (await list.json()) as readonly { job: JobRecord }[];
  assert.equal(
    jobs.map(({ job }) => [String(job.id), job.test]),
    [[record.id, true]],
  );
});

test('cancelling or resubmitting a job in a final state is 409, then 403', async ({ daemon }) => {
  const id = await daemon.create({ input });
  const put = (verb: string) => `${daemon.url}/v2/jobs/${id}/${verb}`;
  const init = withKey(daemon.key, { method: 'PUT' });
  assert.is((await fetch(put('cancel'), init)).status, 204);
  await fetchRejection(put('cancel.xml'), init, 409, 'xml');
  for (let count = 0; count < 5; count += 1) assert.is((await fetch(put('resubmit'), init)).status, 204);
  await fetchRejection(put('resubmit'), init, 403);
});

test('a job whose file is damaged is 410 on every route', async () => {
  const dataFolder = join(tempFolder(), 'data');
  const first = await startTestDaemon({ dataFolder, jobs: 0 });
  const id = await first.create({ input });
  await first.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  await first.stop();
  const done = join(dataFolder, 'jobs', 'done');
  for (const folder of await readdir(done)) await writeFile(join(done, folder, `${id}.json`), 'not whole');
  const second = await startTestDaemon({ dataFolder, jobs: 0 });
  for (const name of keyed.filter((each) => /ob/.test(each) && routeOf(each).path.includes(':id'))) {
    const init = withKey(second.key, { method: routeOf(name).method });
    await fetchRejection(`${second.url}${routePath(name, { id })}`, init, 410);
  }
  assert.equal(await second.read('/v2/jobs'), []);
  await second.stop();
});

test('without disk space, requests that need some are 503 and all others work', async () => {
  const daemon = await startTestDaemon({ jobs: 0, minFreeBytes: 1e18 });
  const post = withKey(daemon.key, { method: 'POST', body: valid });
  const put = withKey(daemon.key, { method: 'PUT', body: 'x' });
  for (const path of ['/v2/jobs', '/jobs']) {
    const [sentence = ''] = await fetchRejection(`${daemon.url}${path}`, post, 503);
    assert.match(sentence, 'free');
  }
  await fetchRejection(`${daemon.url}/v2/uploads/a.mp4`, put, 503);
  const health = await fetch(`${daemon.url}/health`);
  assert.is(health.status, 503);
  assert.is(((await health.json()) as { status: string }).status, 'unavailable');
  assert.equal(await daemon.read('/v2/jobs'), []);
  await daemon.stop();
});

test.run();
