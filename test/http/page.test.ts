import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey, revokeKey } from '../../daemon/store/accounts/api-keys.js';
import { runCli } from '../cli/run-cli.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { ask, byScript, cookieOf, formType, sameOrigin, signIn } from '../helpers/page-client.js';
import { pollUntil } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  viewerKey: string;
  readOnlyKey: string;
  otherKey: string;
  jobId: number;
}

const hostile = `<script>alert(1)<b>"'&`;

const test = daemonSuite<Context>('the page', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const setup = openFolderSetup(daemon.dataFolder);
  context.viewerKey = (await createKey(setup, 'default', 'viewer')).key;
  context.readOnlyKey = (await createKey(setup, 'default', 'read-only')).key;
  await createAccount(setup, 'other');
  context.otherKey = (await createKey(setup, 'other', 'full')).key;
  context.jobId = await daemon.create({
    input: 'http://127.0.0.1:9/film.mp4',
    input_name: `${hostile}.mp4`,
    pass_through: hostile,
    outputs: [{ label: hostile }],
  });
});

test('nobody sees anything before the sign-in', async ({ daemon, jobId }) => {
  for (const path of ['/ui/', `/ui/jobs/${jobId}`, '/ui/machine', '/ui/submit']) {
    const { status, text } = await ask(daemon, path);
    assert.is(status, 401, path);
    assert.match(text, 'type="password"');
    assert.not.match(text, 'film.mp4');
  }
  const { status, text } = await ask(daemon, '/ui/api/jobs');
  assert.is(status, 401);
  assert.match(text, 'sign in');
});

test('a key signs in; the list, a job and its log need no script', async ({ daemon, jobId }) => {
  const { status, headers, cookie } = await signIn(daemon, daemon.key);
  assert.is(status, 303);
  assert.is(headers.location, './');
  assert.match(
    String(headers['set-cookie']),
    /^venc_session=\w{32,}; Max-Age=2592000; Path=\/ui; HttpOnly; SameSite=Strict$/,
  );
  const list = await ask(daemon, '/ui/', { cookie });
  assert.is(list.status, 200);
  assert.match(list.text, `href="./jobs/${jobId}"`);
  const job = await ask(daemon, `/ui/jobs/${jobId}`, { cookie });
  assert.match(job.text, 'waiting');
  assert.match(job.text, 'id="log"');
  assert.match((await ask(daemon, '/ui/machine', { cookie })).text, 'Health');
  for (const { text } of [list, job]) {
    assert.match(text, '&lt;script&gt;');
    assert.not.match(text, '<script>alert');
    assert.not.match(text, /<script(?! type="(?:module|application\/json)")/);
    assert.not.match(text, / style=| onclick=/i);
  }
});

test('every document has the headers that protect it', async ({ daemon, jobId }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  const paths = [
    '/ui/',
    `/ui/jobs/${jobId}`,
    '/ui/jobs/999',
    '/ui/nothing',
    '/ui/api/jobs',
    '/ui/api/machine',
  ];
  for (const path of paths) {
    const { headers } = await ask(daemon, path, { cookie });
    assert.is(headers['access-control-allow-origin'], undefined, path);
    assert.is(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.is(headers['cache-control'], 'no-store', path);
    assert.is(headers['x-content-type-options'], 'nosniff', path);
    if (!path.startsWith('/ui/api/jobs'))
      assert.match(String(headers['content-security-policy']), "default-src 'none'; script-src 'self'", path);
  }
  const options = await ask(daemon, '/ui/api/jobs', { method: 'OPTIONS', cookie, headers: byScript });
  assert.is(options.headers['access-control-allow-methods'], undefined);
});

test('a cookie counts only below /ui', async ({ daemon, jobId }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  assert.is((await ask(daemon, '/v2/jobs', { cookie })).status, 401);
  assert.is(
    (await ask(daemon, `/v2/jobs/${jobId}/cancel`, { method: 'PUT', cookie, headers: byScript })).status,
    404,
  );
  assert.is((await ask(daemon, '/api/ui/', { cookie })).status, 404);
  for (const path of ['//ui//', '/%75i/', `/ui/%6aobs/${jobId}`])
    assert.is((await ask(daemon, path, { cookie })).status, 200, path);
});

test('a key counts only at /v2', async ({ daemon }) => {
  const headers = { 'Service-Api-Key': daemon.key };
  assert.is((await ask(daemon, '/ui/api/jobs', { headers })).status, 401);
  assert.is((await ask(daemon, `/ui/api/jobs?api_key=${daemon.key}`)).status, 401);
});

test('writes come from the page itself', async ({ daemon, jobId }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  const write = (headers: Readonly<Record<string, string>>) =>
    ask(daemon, `/ui/api/jobs/${jobId}/pause`, { method: 'PUT', cookie, headers });
  const { host } = new URL(daemon.url);
  const rejected = [
    {},
    { 'X-Venc': '1' },
    { 'X-Venc': '1', 'Sec-Fetch-Site': 'same-site' },
    { 'X-Venc': '1', 'Sec-Fetch-Site': 'cross-site' },
    { 'X-Venc': '1', 'Sec-Fetch-Site': 'none' },
    { 'X-Venc': '1', 'Sec-Fetch-Site': 'cross-site', Origin: `http://${host}` },
    { 'X-Venc': '1', Origin: 'http://other.example' },
    { 'X-Venc': '1', Origin: 'null' },
    { 'X-Venc': '1', Origin: `http://${host.replace(/\d+$/, '1')}` },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'text/plain' },
  ];
  for (const headers of rejected) {
    const { status, text } = await write(headers as Readonly<Record<string, string>>);
    assert.is(status, 403, JSON.stringify(headers));
    assert.match(text, 'errors');
  }
  assert.is((await daemon.read<{ job: { paused?: boolean } }>(`/v2/jobs/${jobId}`)).job.paused, undefined);
  assert.is((await write(byScript)).status, 200);
  assert.is((await write({ 'X-Venc': '1', Origin: `http://${host}` })).status, 200);
});

test('a GET changes nothing, also where version 2 accepts any method', async ({ daemon }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  const id = await daemon.create({ input: 'http://127.0.0.1:9/other.mp4' });
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
    const { status } = await ask(daemon, `/ui/api/jobs/${id}/cancel`, { method, cookie, headers: byScript });
    assert.is(status, 405, method);
  }
  const { status } = await ask(daemon, `/ui/api/jobs/${id}/cancel`, {
    method: 'PUT',
    cookie,
    headers: byScript,
  });
  assert.is(status, 204);
});

test('another site reads nothing', async ({ daemon }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  for (const site of ['cross-site', 'same-site']) {
    const { status } = await ask(daemon, '/ui/api/jobs', { cookie, headers: { 'Sec-Fetch-Site': site } });
    assert.is(status, 403, site);
  }
});

test('the page answers only under its own names', async ({ daemon }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  for (const Host of ['other.example', 'localhost.other.example', 'other.example:8686']) {
    const { status, text } = await ask(daemon, '/ui/', { cookie, headers: { Host } });
    assert.is(status, 403, Host);
    assert.match(text, '--ui-host');
    assert.is((await ask(daemon, '/version', { headers: { Host } })).status, 200, Host);
  }
  for (const Host of [
    'localhost',
    'LOCALHOST:8686',
    '127.0.0.1',
    '192.168.1.5:8686',
    '[::1]:8686',
    'venc.localhost',
  ])
    assert.is((await ask(daemon, '/ui/', { cookie, headers: { Host } })).status, 200, Host);
});

test('a viewer sees the page and changes nothing; a read-only key cannot sign in', async (context) => {
  const { daemon, viewerKey, readOnlyKey, jobId } = context;
  const cookie = await cookieOf(daemon, viewerKey);
  assert.match((await ask(daemon, '/ui/', { cookie })).text, 'data-can-change="false"');
  const { status } = await ask(daemon, `/ui/api/jobs/${jobId}`, {
    method: 'DELETE',
    cookie,
    headers: byScript,
  });
  assert.is(status, 403);
  for (const path of ['/ui/api/jobs', '/ui/api/queue', '/ui/api/presets'])
    assert.is((await ask(daemon, path, { cookie, headers: byScript })).status, 200, path);
  const rejected = await signIn(daemon, readOnlyKey);
  assert.is(rejected.status, 403);
  assert.is(rejected.cookie, null);
  assert.match(rejected.text, '--viewer');
});

test('an account sees its own jobs', async ({ daemon, otherKey, jobId }) => {
  const cookie = await cookieOf(daemon, otherKey);
  assert.is((await ask(daemon, `/ui/jobs/${jobId}`, { cookie })).status, 404);
  assert.is((await ask(daemon, `/ui/api/jobs/${jobId}`, { cookie })).status, 404);
  const list = await ask(daemon, '/ui/', { cookie });
  assert.match(list.text, 'No job.');
  assert.is((await ask(daemon, '/ui/?account=*', { cookie })).status, 403);
});

test('a revoked key ends its sessions, and signing out only one', async ({ daemon }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  const { key, id } = await createKey(setup, 'default', 'full');
  const [first, second] = [await cookieOf(daemon, key), await cookieOf(daemon, key)];
  const out = await ask(daemon, '/ui/sign-out', { method: 'POST', cookie: first, headers: sameOrigin });
  assert.is(out.status, 303);
  assert.match(String(out.headers['set-cookie']), 'Max-Age=0');
  assert.is((await ask(daemon, '/ui/', { cookie: first })).status, 401);
  assert.is((await ask(daemon, '/ui/', { cookie: second })).status, 200);
  await revokeKey(setup, id);
  await pollUntil(
    () => ask(daemon, '/ui/', { cookie: second }),
    ({ status }) => status === 401,
  );
});

test('only hashes of sessions are stored', async ({ daemon }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  const { accounts } = await openFolderSetup(daemon.dataFolder).accounts();
  const [token = ''] = /\w{32,}/.exec(cookie) ?? [];
  assert.not.match(JSON.stringify(accounts), token);
  assert.ok((accounts[0]?.sessions ?? []).length > 0);
});

test('venc open prints a link that signs in once', async ({ daemon }) => {
  const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
  const { code, stdout } = await runCli(['open'], { env });
  assert.is(code, 0);
  const { pathname, search } = new URL(stdout.trim());
  const path = pathname + search;
  for (const method of ['GET', 'HEAD', 'GET']) assert.is((await ask(daemon, path, { method })).status, 200);
  const redeem = (headers: Readonly<Record<string, string>>) =>
    ask(daemon, '/ui/open', { method: 'POST', headers: { ...formType, ...headers }, body: search.slice(1) });
  assert.is((await redeem({ Origin: 'http://other.example' })).status, 403);
  const { status, cookie } = await redeem(sameOrigin);
  assert.is(status, 303);
  assert.is((await ask(daemon, '/ui/', { cookie })).status, 200);
  const again = await redeem(sameOrigin);
  assert.is(again.status, 401);
  assert.match(again.text, 'venc open');
  assert.is(
    (await ask(daemon, '/ui/', { cookie: `venc_session=${search.slice('?code='.length)}` })).status,
    401,
  );
});

test('a new sign-in ends the session that the browser had', async ({ daemon }) => {
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'full');
  const first = await cookieOf(daemon, key);
  const body = new URLSearchParams({ key }).toString();
  const init = { method: 'POST', headers: { ...formType, ...sameOrigin }, body, cookie: first };
  const { cookie } = await ask(daemon, '/ui/sign-in', init);
  assert.is((await ask(daemon, '/ui/', { cookie: first })).status, 401);
  assert.is((await ask(daemon, '/ui/', { cookie })).status, 200);
});

test('the sessions of one key end no session of another', async ({ daemon, viewerKey }) => {
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'full');
  const cookie = await cookieOf(daemon, key);
  const viewers = await cookieOf(daemon, viewerKey);
  const link = { method: 'POST', headers: { 'Service-Api-Key': viewerKey } };
  for (let made = 0; made < 101; made += 1) assert.is((await ask(daemon, '/v2/ui/links', link)).status, 201);
  assert.is((await ask(daemon, '/ui/', { cookie: viewers })).status, 401);
  assert.is((await ask(daemon, '/ui/', { cookie })).status, 200);
});

test('a form that cannot be read is an error of the client', async ({ daemon }) => {
  const post = (path: string, headers: Readonly<Record<string, string>>, body?: string) =>
    ask(daemon, path, { method: 'POST', headers: { ...sameOrigin, ...headers }, ...(body ? { body } : {}) });
  assert.is((await post('/ui/open', {})).status, 401);
  assert.is((await post('/ui/open', { 'Content-Type': 'multipart/form-data' }, 'x=1')).status, 400);
  assert.is((await post('/ui/open', formType, `code=${'x'.repeat(20_000)}`)).status, 413);
  const chunked = { ...formType, 'Transfer-Encoding': 'chunked' };
  assert.ok([400, 413].includes((await post('/ui/open', chunked, `code=${'x'.repeat(20_000)}`)).status));
  assert.not.match(daemon.logLines.join('\n'), /Error:/);
});

test('a link of another site leads on, and a sign-in to the address that was asked for', async (context) => {
  const { daemon, jobId } = context;
  const cookie = await cookieOf(daemon, daemon.key);
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  const { text } = await ask(daemon, `/ui/jobs/${jobId}?x=1`, { headers });
  assert.match(text, `href="./${jobId}?x=1"`);
  assert.is((await ask(daemon, `/ui/jobs/${jobId}`, { cookie, headers })).status, 200);
  const form = await ask(daemon, `/ui/jobs/${jobId}?x=1`);
  assert.match(form.text, `name="to" value="jobs/${jobId}?x=1"`);
  const { key } = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'full');
  const to = async (address: string) => {
    const body = new URLSearchParams({ key, to: address }).toString();
    const init = { method: 'POST', headers: { ...formType, ...sameOrigin }, body };
    return (await ask(daemon, '/ui/sign-in', init)).headers.location;
  };
  assert.is(await to('jobs/5?x=1'), './jobs/5?x=1');
  for (const bad of ['//other.example', 'https://other.example', '/x', '..', 'a//b', '\\x'])
    assert.is(await to(bad), './', bad);
});

test('names keep their characters, and no path leads out of version 2', async ({ daemon }) => {
  const cookie = await cookieOf(daemon, daemon.key);
  for (const name of ['what?.mp4', 'take #2.mp4', '100 %.mp4', 'a+b.mp4']) {
    const init = { method: 'PUT', cookie, headers: byScript, body: 'x' };
    const { status, text } = await ask(daemon, `/ui/api/uploads/${encodeURIComponent(name)}`, init);
    assert.is(status, 201, text);
    assert.ok(decodeURIComponent(text).includes(name), text);
  }
  for (const path of ['..%2fmetrics', '..%2fhealth', '%2e%2e%2fversion', 'ui/links'])
    assert.is((await ask(daemon, `/ui/api/${path}`, { cookie })).status, 404, path);
  // As a browser resolves it, an encoded slash is no slash.
  assert.match((await ask(daemon, '/ui/a%2fb%2fc')).text, 'action="./sign-in"');
});

test('documents and answers to scripts are compressed, but no stream and no answer of version 2', async (context) => {
  const { daemon, jobId } = context;
  const headers = { 'Accept-Encoding': 'gzip', 'Service-Api-Key': daemon.key };
  assert.is((await ask(daemon, '/ui/', { headers })).headers['content-encoding'], 'gzip');
  const cookie = await cookieOf(daemon, daemon.key);
  for (const path of [`/ui/api/jobs/${jobId}`, '/ui/api/jobs', '/ui/api/presets']) {
    const plain = await ask(daemon, path, { cookie });
    const small = await ask(daemon, path, { cookie, headers });
    assert.is(small.headers['content-encoding'], 'gzip', path);
    assert.is(small.headers['content-length'], String(small.bytes.length));
    assert.is(gunzipSync(small.bytes).toString(), plain.text);
    assert.is(small.headers['cache-control'], 'no-store');
    assert.is(plain.headers['content-encoding'], undefined);
  }
  const unchanged = ['/v2/jobs', `/v2/jobs/${jobId}`];
  for (const path of unchanged)
    assert.is((await ask(daemon, path, { headers })).headers['content-encoding'], undefined, path);
  const head = await ask(daemon, '/ui/api/jobs', { method: 'HEAD', cookie, headers });
  assert.equal([head.status, head.headers['content-encoding']], [200, undefined]);
});

// Last: nobody signs in after it.
test('five failures of the sign-in a minute, counted after the check of the origin', async ({ daemon }) => {
  for (let attempt = 0; attempt < 8; attempt += 1)
    assert.is((await signIn(daemon, 'wrong', { Origin: 'http://other.example' })).status, 403);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) statuses.push((await signIn(daemon, 'wrong')).status);
  // A key that cannot sign in is a failure as well, and earlier tests had some.
  assert.is(statuses.at(-1), 429, statuses.join());
  assert.is(statuses[0], 401);
  const { status, headers } = await signIn(daemon, daemon.key);
  assert.is(status, 429);
  assert.ok(Number(headers['retry-after']) > 0);
});

test.run();
