import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { InPlaceChallenge, JobRecord } from '../../src/shared/records.js';
import { type Route, type RouteName, routes } from '../../src/shared/routes.js';
import { runInProcess } from '../cli/run-here.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { offerFile, proofFor } from '../helpers/in-place.js';
import { film, makeMedia } from '../helpers/media.js';
import { textsByLink } from '../helpers/page-client.js';
import { type HttpSource, startHttpSource } from '../helpers/servers/http-source.js';
import { printClosingLine } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Every route of the table is tried with the keys of another account. Routes with an id get the ids of a finished and of a running job
 * and of their files, in every representation; every other route needs a row in `otherRoutes`.
 */

interface Context {
  daemon: TestDaemon;
  source: HttpSource;
  /** The keys of the other account. */
  keys: readonly string[];
  /** The finished job of the owner, and one whose input never arrives. */
  finished: JobRecord;
  running: JobRecord;
  /** The URL of an upload of the owner. */
  upload: string;
  /** A file of the owner, and an offer of it that is not proved yet. */
  film: string;
  offer: InPlaceChallenge;
  /** The token of an upload in parts of the owner. */
  parts: string;
}

const test = suite<Context>('other accounts');
let requestCount = 0;

/** A word in everything that the owner sent: no answer to another account may have it. */
const canary = 'canary-of-the-owner';
const unknownId = 2_000_000_000;

const partsPath = (token: string, more = '') => `/v2/uploads/${canary}.mp4?upload=${token}${more}`;

test.before(async (context) => {
  const folder = tempFolder();
  await makeMedia(`${folder}/${canary}.mp4`, film('64x48', 1));
  const daemon = await startTestDaemon({ jobs: 2, filesRoots: [folder], rateLimit: 1_000_000 });
  const source = await startHttpSource(() => undefined);
  const venc = async (...words: string[]) => {
    const { stdout, code, stderr } = await runInProcess([...words, '--data', daemon.dataFolder], {
      stdin: 'me\nsecret\n',
    });
    assert.is(code, 0, stderr);
    return stdout.trim();
  };
  const keys = [
    await venc('accounts', 'create', 'studio'),
    await venc('keys', 'create', '--account', 'studio', '--read-only'),
    await venc('keys', 'create', '--account', 'studio', '--viewer'),
  ];
  await venc('credentials', 'add', canary, '--scheme', 'http');
  const fields = { pass_through: canary, input_name: canary, grouping: canary };
  const output = { label: canary, width: 32, filename: `${canary}.mp4`, thumbnails: { number: 1 } };
  const input = `file://${folder}/${canary}.mp4`;
  const first = await daemon.create({ input, ...fields, outputs: [output] });
  const finished = await daemon.waitForJob(first);
  assert.is(finished.state, 'finished', JSON.stringify(finished));
  const second = await daemon.create({ input: source.url(`/${canary}.mp4`), ...fields, outputs: [output] });
  const running = (await daemon.read<{ job: JobRecord }>(`/v2/jobs/${second}`)).job;
  const uploaded = await daemon.request(`/v2/uploads/${canary}.mp4`, { method: 'PUT', body: 'bytes' });
  const { url: upload } = (await uploaded.json()) as { url: string };
  const parts = 'p'.repeat(32);
  await daemon.request(partsPath(parts, '&offset=0&size=9'), { method: 'PUT', body: 'bytes' });
  const path = `${folder}/${canary}.mp4`;
  const offer = await offerFile(daemon, path);
  Object.assign(context, { daemon, source, keys, finished, running, upload, film: path, offer, parts });
});
test.after(async ({ daemon, source }) => {
  await daemon?.stop();
  await source?.close();
  printClosingLine('hostile/other-accounts', [
    `${Object.keys(routes).length} routes`,
    `${requestCount} requests`,
  ]);
});

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function send(daemon: TestDaemon, path: string, init: RequestInit): Promise<Reply> {
  requestCount += 1;
  const response = await fetch(`${daemon.url}${path}`, { ...init, signal: AbortSignal.timeout(20_000) });
  return { status: response.status, text: await response.text() };
}

type Form = (path: string) => string;

/** The spellings of a path, in every representation. */
function forms({ representations }: Route): readonly Form[] {
  const plain: Form[] = [(path) => path, (path) => `/api${path}`, (path) => `//${path.slice(1)}/`];
  const ofRecords: Form[] = [
    (path) => `${path}.json`,
    (path) => `${path}.xml`,
    (path) => `${path}?format=xml`,
  ];
  return [
    ...plain,
    ...(representations.length === 0 ? [] : ofRecords),
    ...(representations.includes('jsonp') ? [(path: string) => `${path}.js?callback=show`] : []),
  ];
}

/** Where a client may put its key. */
const placements: readonly ((key: string, path: string, init: RequestInit) => [string, RequestInit])[] = [
  (key, path, init) => [path, { ...init, headers: { 'Service-Api-Key': key } }],
  (key, path, init) => [path, { ...init, headers: { 'Zencoder-Api-Key': key } }],
  (key, path, init) => [`${path}${path.includes('?') ? '&' : '?'}api_key=${key}`, init],
];

// test/http/worker-keys.test.ts tries the routes of workers, which no key of an account opens.
const names = (Object.keys(routes) as RouteName[]).filter((name) => routes[name].key !== 'worker');
const withId = names.filter((name) => routes[name].path.includes(':id'));

for (const name of withId) {
  const route: Route = routes[name];
  test(`${name}: the ids of another account look like ids that do not exist`, async (context) => {
    const { daemon, keys, finished, running } = context;
    const ids = [finished, running].flatMap(({ id, input_media_file, output_media_files }) => [
      id,
      input_media_file.id,
      ...output_media_files.map((output) => output.id),
    ]);
    const methods = route.acceptsAnyMethod ? [route.method, 'GET', 'POST', 'DELETE'] : [route.method];
    for (const [index, form] of forms(route).entries())
      for (const method of methods) {
        if (method !== route.method && form('/a').includes('.')) continue;
        // A read-only key is answered before an id is looked up; an unknown key, and none, as for an unknown id.
        for (const key of [...keys, 'an-unknown-key', '']) {
          const place = placements[index % placements.length] ?? placements[0];
          // The answer may repeat the id of the request.
          const request = async (id: number) => {
            const path = form(route.path.replace(':id', String(id)));
            const { status, text } = await send(daemon, ...(place?.(key, path, { method }) ?? [path, {}]));
            return { status, text: text.replaceAll(new RegExp(`\\bid ${id}\\b`, 'g'), 'id ID') };
          };
          const unknown = await request(unknownId);
          assert.ok([403, 404].includes(unknown.status), `${method} ${unknown.status} ${unknown.text}`);
          for (const id of ids)
            assert.equal(await request(id), unknown, `${method} ${form(route.path)} ${id}`);
        }
      }
  });
}

/** A pause of the other account does not reach the owner, and it cannot end that of the owner. */
async function pausesOnlyItself({ daemon }: Context, key: string): Promise<void> {
  const change = async (path: string, as: string) => {
    const method = path === '/v2/queue' ? 'GET' : 'PUT';
    const { text } = await send(daemon, path, { method, headers: { 'Service-Api-Key': as } });
    return JSON.parse(text) as { paused: boolean; reason: string | null };
  };
  assert.is((await change('/v2/queue/pause', key)).reason, 'account');
  assert.is((await change('/v2/queue', daemon.key)).paused, false);
  await change('/v2/queue/resume', key);
  await change('/v2/queue/pause', daemon.key);
  assert.is((await change('/v2/queue/resume', key)).reason, 'daemon');
  assert.is((await change('/v2/queue/resume', daemon.key)).paused, false);
}

/** A preset of the owner is unknown to the other account, which cannot change it by saving one of its name. */
async function hasOwnPresets({ daemon }: Context, key: string): Promise<void> {
  const call = (method: string, as: string, body?: string) =>
    send(daemon, `/v2/presets/${canary}`, {
      method,
      headers: { 'Service-Api-Key': as },
      ...(body === undefined ? {} : { body }),
    });
  assert.is((await call('PUT', daemon.key, `{"output": {"label": "${canary}"}}`)).status, 200);
  assert.is((await call('GET', key)).status, 404);
  assert.is((await call('DELETE', key)).status, 404);
  const list = await send(daemon, '/v2/presets', { headers: { 'Service-Api-Key': key } });
  assert.not.match(list.text, canary);
  const create = { method: 'POST', body: `{"input": "http://127.0.0.1:9/a.mp4", "preset": "${canary}"}` };
  assert.is((await send(daemon, '/v2/jobs', { ...create, headers: { 'Service-Api-Key': key } })).status, 422);
  assert.is((await call('PUT', key, '{"test": 1}')).status, 200);
  assert.match((await call('GET', daemon.key)).text, `"label":"${canary}"`);
  for (const one of [key, daemon.key]) assert.is((await call('DELETE', one)).status, 204);
}

/** What another account gets from a route without an id. */
const otherRoutes: Readonly<Record<string, (context: Context, key: string) => Promise<void>>> = {
  createJob: (context, key) => rejectsReferences(context, key, '/v2/jobs'),
  createJobEarly: (context, key) => rejectsReferences(context, key, '/jobs'),
  listJobs: async ({ daemon }, key) => {
    const pages = '/v2/jobs?state=finished&per_page=50&page=1';
    for (const path of ['/v2/jobs', '/v2/jobs.xml', pages, '/api/v2/jobs']) {
      const response = await fetch(`${daemon.url}${path}`, { headers: { 'Service-Api-Key': key } });
      requestCount += 1;
      assert.is(response.headers.get('x-total-count'), '0');
      assert.not.match(await response.text(), canary);
    }
  },
  reportAll: (context, key) => hasNoUsage(context, key, '/v2/reports/all'),
  reportLive: (context, key) => hasNoUsage(context, key, '/v2/reports/live'),
  reportVod: (context, key) => hasNoUsage(context, key, '/v2/reports/vod'),
  reportMinutes: (context, key) => hasNoUsage(context, key, '/v2/reports/minutes'),
  upload: async ({ daemon, upload }, key) => {
    const init = { method: 'PUT', body: 'other', headers: { 'Service-Api-Key': key } };
    const { status, text } = await send(daemon, `/v2/uploads/${canary}.mp4`, init);
    assert.is(status, 201);
    assert.not.match(text, upload);
  },
  uploadState: async ({ daemon, parts }, key) => {
    const ask = (token: string) => send(daemon, partsPath(token), { headers: { 'Service-Api-Key': key } });
    assert.equal(await ask(parts), await ask('q'.repeat(32)));
  },
  cancelUpload: async ({ daemon, parts }, key) => {
    const headers = { 'Service-Api-Key': key };
    const cancel = (token: string) => send(daemon, partsPath(token), { method: 'DELETE', headers });
    assert.equal(await cancel(parts), await cancel('q'.repeat(32)));
    const next = { method: 'PUT', body: 'more', headers };
    const { status } = await send(daemon, partsPath(parts, '&offset=5&size=9'), next);
    assert.is(status, 409);
    assert.equal(await daemon.read(partsPath(parts)), { received: 5, size: 9 });
  },
  offerInPlace: async ({ daemon, offer }, key) => {
    const init = {
      method: 'POST',
      body: JSON.stringify({ path: `/${canary}`, size: 5000 }),
      headers: { 'Service-Api-Key': key },
    };
    const { status, text } = await send(daemon, '/v2/offers', init);
    assert.is(status, 201);
    assert.not.match(text, offer.token);
    assert.not.match(text, canary);
  },
  proveInPlace: async ({ daemon, offer, film: path }, key) => {
    const body = JSON.stringify({ proof: await proofFor(offer, path) });
    const prove = (token: string, as: string) =>
      send(daemon, `/v2/offers/${token}`, { method: 'PUT', body, headers: { 'Service-Api-Key': as } });
    // The proof is right, and the offer is that of the owner.
    assert.equal(await prove(offer.token, key), await prove('unknown', key));
    const { status, text } = await prove(offer.token, daemon.key);
    assert.is(status, 200);
    const { url } = JSON.parse(text) as { url: string };
    const create = {
      method: 'POST',
      body: JSON.stringify({ input: url }),
      headers: { 'Service-Api-Key': key },
    };
    assert.match((await send(daemon, '/v2/jobs', create)).text, /does not name a file that this account/);
  },
  hostedFile: async ({ daemon, finished }, key) => {
    // A hosted file needs no key but its token, of 128 random bits or more.
    const { pathname } = new URL(finished.output_media_files[0]?.url ?? '');
    const [, , token = '', name = ''] = pathname.split('/');
    assert.match(token, /^[\w-]{22,}$/);
    const guesses = [
      token.slice(0, -1),
      token.toUpperCase(),
      '0'.repeat(token.length),
      '..',
      '%2e%2e',
      '*',
      '',
    ];
    for (const guess of guesses.filter((one) => one !== token)) {
      const init = { headers: { 'Service-Api-Key': key } };
      const reply = await send(daemon, `/hosted/${guess}/${name}`, init);
      assert.is(reply.status, 404, guess);
    }
  },
  // test/http/account-events.test.ts has what a stream of another account shows.
  events: (context, key) => isForOwner(context, key, '/v2/events?account=*'),
  queue: (context, key) => pausesOnlyItself(context, key),
  pauseQueue: (context, key) => pausesOnlyItself(context, key),
  resumeQueue: (context, key) => pausesOnlyItself(context, key),
  presets: (context, key) => hasOwnPresets(context, key),
  preset: (context, key) => hasOwnPresets(context, key),
  savePreset: (context, key) => hasOwnPresets(context, key),
  removePreset: (context, key) => hasOwnPresets(context, key),
  createPageLink: async ({ daemon }, key) =>
    assert.not.match((await textsByLink(daemon, key)).join(), canary),
  metrics: (context, key) => isForOwner(context, key, '/metrics'),
  daemonLog: async (context, key) => {
    await isForOwner(context, key, '/v2/log');
    await isForOwner(context, key, '/v2/log.xml?level=warn');
    await isForOwner(context, key, '/v2/log.txt?tail=1');
  },
  daemonLogEvents: (context, key) => isForOwner(context, key, '/v2/log/events'),
  workers: (context, key) => isForOwner(context, key, '/v2/workers'),
  drainWorker: (context, key) => isForOwner(context, key, '/v2/workers/box/drain', 404),
  pauseWorker: (context, key) => isForOwner(context, key, '/v2/workers/box/pause', 404),
  resumeWorker: (context, key) => isForOwner(context, key, '/v2/workers/box/resume', 404),
  settings: (context, key) => isPublic(context, key, '/v2/settings'),
  health: (context, key) => isPublic(context, key, '/health'),
  version: (context, key) => isPublic(context, key, '/version'),
  requestSchema: (context, key) => isPublic(context, key, '/v2/schema.json'),
  openApi: (context, key) => isPublic(context, key, '/openapi.json'),
  home: (context, key) => isPublic(context, key, '/'),
};

async function rejectsReferences({ daemon, upload, finished }: Context, key: string, path: string) {
  const own = `file://${tempFolder()}/a.mp4`;
  const hosted = finished.output_media_files[0]?.url ?? '';
  const bodies = [
    { input: upload },
    { input: `${upload}?a` },
    { input: hosted.replace(/^http:\/\/[^/]+\/hosted/, 'hosted:/') },
    { input: 'http://127.0.0.1:9/a.mp4', credentials: canary },
    { input: 'http://127.0.0.1:9/a.mp4', outputs: [{ watermark: { url: upload } }] },
    { input: 'http://127.0.0.1:9/a.mp4', outputs: [{ caption_url: upload }] },
    { input: own },
  ];
  for (const body of bodies) {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'Service-Api-Key': key } };
    const { status, text } = await send(daemon, path, init);
    assert.is(status, 422, `${JSON.stringify(body)}: ${text}`);
  }
  // The idempotency key of the owner's job gives another account a job of its own.
  const create = (apiKey: string) =>
    send(daemon, path, {
      method: 'POST',
      body: JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4' }),
      headers: { 'Service-Api-Key': apiKey, 'Idempotency-Key': `${canary} ${path}` },
    });
  const [owners, others] = [await create(daemon.key), await create(key)];
  assert.is(others.status, 201);
  assert.is.not(JSON.parse(owners.text).id, JSON.parse(others.text).id);
  const { id } = JSON.parse(others.text) as { id: string };
  const init = { headers: { 'Service-Api-Key': key } };
  await send(daemon, `/v2/jobs/${id}/cancel`, { ...init, method: 'PUT' });
  while ((await send(daemon, `/v2/jobs/${id}`, { ...init, method: 'DELETE' })).status === 409);
}

async function hasNoUsage({ daemon, finished }: Context, key: string, path: string): Promise<void> {
  const day = finished.finished_at?.slice(0, 10);
  const totalFor = async (apiKey: string, query: string) => {
    const { status, text } = await send(daemon, `${path}${query}`, {
      headers: { 'Service-Api-Key': apiKey },
    });
    assert.is(status, 200, text);
    assert.not.match(text, daemon.key);
    const totals = [...text.matchAll(/"[a-z_]*(?:minutes|hours|count|billable)[a-z_]*"\s*:\s*([\d.]+)/g)];
    return totals.reduce((sum, [, total]) => sum + Number(total), 0);
  };
  for (const query of [`?from=${day}&to=${day}`, `?from=${day}&to=${day}&grouping=${canary}`]) {
    assert.is(await totalFor(key, query), 0);
    // The same request with the owner's key shows the usage of the finished job.
    if (!path.endsWith('/live')) assert.ok((await totalFor(daemon.key, query)) > 0, path);
  }
}

/** A route that answers the owner (a PUT with 404: nothing has that name), and no other account. A client on this machine needs no key for `/metrics`, unlike one behind a proxy. */
async function isForOwner({ daemon }: Context, key: string, path: string, expected = 200): Promise<void> {
  const method = expected === 404 ? 'PUT' : 'GET';
  const headers = { 'Service-Api-Key': key, 'X-Forwarded-For': '203.0.113.7' };
  const { status, text } = await send(daemon, path, { headers, method });
  assert.is(status, 403, text);
  assert.not.match(text, canary);
  const stop = new AbortController();
  const owners = await daemon.request(path, { method, signal: stop.signal });
  assert.is(owners.status, expected);
  // The body may be a stream without an end.
  stop.abort();
}

async function isPublic({ daemon }: Context, key: string, path: string): Promise<void> {
  for (const headers of [{ 'Service-Api-Key': key }, {}]) {
    const { status, text } = await send(daemon, path, { headers });
    assert.is(status, 200);
    assert.not.match(text, canary);
    assert.not.match(text, daemon.key);
    assert.not.match(text, daemon.dataFolder);
  }
}

for (const name of names.filter((one) => !withId.includes(one))) {
  test(`${name}: another account gets nothing of the owner`, async (context) => {
    const check = otherRoutes[name];
    assert.ok(check, `the route ${name} has no case in otherRoutes of this file`);
    await check?.(context, context.keys[0] ?? '');
  });
}

test('the jobs of the owner are unchanged after all requests', async ({ daemon, finished, running }) => {
  const read = async (id: number) => (await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job;
  assert.equal(await read(finished.id), finished);
  const { state, submitted_at } = await read(running.id);
  // On a busy machine the requests take longer than a download waits for its server.
  assert.ok(['waiting', 'processing', 'failed'].includes(state), state);
  assert.is(submitted_at, running.submitted_at);
});

test.run();
