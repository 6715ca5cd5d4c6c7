import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { ask, byScript, cookieOf } from '../helpers/page-client.js';

interface Context {
  daemon: TestDaemon;
  studioKey: string;
  strangerKey: string;
  viewerKey: string;
  /** The id of a job of the account studio. */
  jobId: number;
}

const test = daemonSuite<Context>('what the owner reads of other accounts', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const setup = openFolderSetup(daemon.dataFolder);
  for (const name of ['studio', 'stranger']) await createAccount(setup, name);
  context.studioKey = (await createKey(setup, 'studio', 'full')).key;
  context.strangerKey = (await createKey(setup, 'stranger', 'full')).key;
  context.viewerKey = (await createKey(setup, 'default', 'viewer')).key;
  const { status, text } = await ask(daemon, '/v2/jobs', {
    method: 'POST',
    headers: { 'Service-Api-Key': context.studioKey },
    body: JSON.stringify({
      input: 'https://me:hidden-word@media.example/film.mp4?token=hidden-token',
      pass_through: 'https://x.example/?api_key=hidden-pass',
      notifications: ['https://hooks.example/hidden-path'],
      outputs: [{ label: 'web' }],
    }),
  });
  assert.is(status, 201, text);
  context.jobId = Number((JSON.parse(text) as { id: string }).id);
});

const parts = ['', '/progress', '/log'];
const accounts = ['studio', '*'];

test('a key of the owner reads the job of a named account, and of any', async ({ daemon, jobId }) => {
  for (const part of parts)
    for (const account of accounts) {
      const path = `/v2/jobs/${jobId}${part}?account=${account}`;
      const answer = await ask(daemon, path, { headers: { 'Service-Api-Key': daemon.key } });
      assert.is(answer.status, 200, path);
      assert.not.match(answer.text, /hidden-(?:word|token|path)/);
      if (part === '') assert.match(answer.text, '"account":"studio"');
    }
  for (const query of ['', '?account=', '?account=default', '?account=stranger', '?account=nobody'])
    for (const part of parts) {
      const headers = { 'Service-Api-Key': daemon.key };
      assert.is((await ask(daemon, `/v2/jobs/${jobId}${part}${query}`, { headers })).status, 404, query);
    }
});

test('all others are answered as for an unknown job', async ({ daemon, jobId, studioKey, strangerKey }) => {
  for (const key of [studioKey, strangerKey])
    for (const part of parts)
      for (const account of [...accounts, 'default', 'nobody']) {
        const headers = { 'Service-Api-Key': key };
        const known = await ask(daemon, `/v2/jobs/${jobId}${part}?account=${account}`, { headers });
        const unknown = await ask(daemon, `/v2/jobs/999999${part}?account=${account}`, { headers });
        assert.equal([known.status, unknown.status], [404, 404]);
        assert.is(known.text.replaceAll(String(jobId), 'ID'), unknown.text.replaceAll('999999', 'ID'));
      }
});

test('a job of another account is changed by no parameter', async ({ daemon, jobId }) => {
  const headers = { 'Service-Api-Key': daemon.key };
  for (const action of ['cancel', 'pause', 'resubmit', 'notify', 'priority']) {
    const path = `/v2/jobs/${jobId}/${action}?account=*`;
    assert.is((await ask(daemon, path, { method: 'PUT', headers })).status, 404, action);
  }
  const removal = await ask(daemon, `/v2/jobs/${jobId}?account=*`, { method: 'DELETE', headers });
  assert.is(removal.status, 404);
});

test('the page of the owner leads to it, without buttons and without a comparison', async (context) => {
  const { daemon, jobId, viewerKey } = context;
  for (const key of [daemon.key, viewerKey]) {
    const cookie = await cookieOf(daemon, key);
    const list = await ask(daemon, '/ui/?account=*', { cookie });
    assert.match(list.text, `href="./jobs/${jobId}?account=*"`);
    const job = await ask(daemon, `/ui/jobs/${jobId}?account=*`, { cookie });
    assert.is(job.status, 200);
    assert.match(job.text, /A job of the account <bdi>studio<\/bdi>/);
    assert.match(job.text, `api/jobs/${jobId}/log.txt?account=*`);
    assert.not.match(job.text, /hidden-(?:word|token|path)/);
    assert.is((await ask(daemon, `/ui/api/jobs/${jobId}/log.txt?account=*`, { cookie })).status, 200);
    for (const path of [`/ui/jobs/${jobId}`, `/ui/jobs/${jobId}/compare?account=*`])
      assert.is((await ask(daemon, path, { cookie })).status, 404, path);
    const cancel = { method: 'PUT', cookie, headers: byScript };
    const { status } = await ask(daemon, `/ui/api/jobs/${jobId}/cancel?account=*`, cancel);
    assert.is(status, key === viewerKey ? 403 : 404);
  }
});

test('the page of any other account does not', async ({ daemon, jobId, studioKey, strangerKey }) => {
  const stranger = await cookieOf(daemon, strangerKey);
  for (const query of ['', '?account=*', '?account=studio', '?account=stranger'])
    assert.is((await ask(daemon, `/ui/jobs/${jobId}${query}`, { cookie: stranger })).status, 404, query);
  const own = await ask(daemon, `/ui/jobs/${jobId}`, { cookie: await cookieOf(daemon, studioKey) });
  assert.is(own.status, 200);
  assert.not.match(own.text, 'A job of the account');
});

test.run();
