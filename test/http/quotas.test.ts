import * as assert from 'uvu/assert';
import { createAccount, setMode, setQuotas } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { pollUntil } from '../helpers/wait-until.js';

const test = daemonSuite('limits of accounts', { jobs: 0 });

const input = 'http://127.0.0.1:9/nothing.mp4';

interface Answer {
  readonly status: number;
  readonly errors: readonly string[];
  readonly retryAfter: string | null;
}

async function create(
  daemon: TestDaemon,
  key: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${daemon.url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': key, ...headers },
    body: JSON.stringify({ input }),
  });
  const { errors = [] } = (await response.json()) as Partial<ErrorsRecord>;
  return { status: response.status, errors, retryAfter: response.headers.get('retry-after') };
}

/** A live account with limits, which the daemon knows. */
async function accountWith(
  daemon: TestDaemon,
  name: string,
  quotas: Parameters<typeof setQuotas>[2],
): Promise<string> {
  const setup = openFolderSetup(daemon.dataFolder);
  const { key } = await createAccount(setup, name);
  await setMode(setup, name, { isIntegration: false });
  await setQuotas(setup, name, quotas);
  const statusOf = async (one: string) =>
    (await fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': one } })).status;
  // An unknown key makes the daemon read all changes: it may know the key of the account and not yet its limits.
  await pollUntil(
    () => statusOf('unknown').then(() => statusOf(key)),
    (status) => status === 200,
  );
  return key;
}

test('parallel creates store no more waiting jobs than the account may have', async ({ daemon }) => {
  const key = await accountWith(daemon, 'anna', { waitingJobs: 5 });
  const answers = await Promise.all(Array.from({ length: 40 }, () => create(daemon, key)));
  assert.is(answers.filter(({ status }) => status === 201).length, 5);
  const rejected = answers.filter(({ status }) => status === 429);
  assert.is(rejected.length, 35);
  for (const { errors, retryAfter } of rejected)
    assert.equal(
      [errors, retryAfter],
      [
        ['The account anna has reached its limit waiting_jobs: 5 jobs are waiting, and the limit is 5.'],
        null,
      ],
    );
  const owner = await Promise.all(Array.from({ length: 8 }, () => create(daemon, daemon.key)));
  assert.ok(
    owner.every(({ status }) => status === 201),
    'the owner has no limits',
  );
});

test('a repeated create and a mock are answered at the limit', async ({ daemon }) => {
  const key = await accountWith(daemon, 'bert', { waitingJobs: 1 });
  const once = { 'Idempotency-Key': 'one' };
  assert.is((await create(daemon, key, once)).status, 201);
  assert.is((await create(daemon, key)).status, 429);
  assert.is((await create(daemon, key, once)).status, 201, 'it is the first job');
});

test('a job that is cancelled makes room', async ({ daemon }) => {
  const key = await accountWith(daemon, 'carl', { waitingJobs: 1 });
  assert.is((await create(daemon, key)).status, 201);
  const list = await fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': key } });
  const [first] = (await list.json()) as readonly { job: { id: number } }[];
  const init = { method: 'PUT', headers: { 'Service-Api-Key': key } };
  await fetch(`${daemon.url}/v2/jobs/${first?.job.id}/cancel`, init);
  assert.is((await create(daemon, key)).status, 201);
});

test('the command line says which limit is reached, and does not try again', async ({ daemon }) => {
  const key = await accountWith(daemon, 'dora', { waitingJobs: 1 });
  const submit = (...words: readonly string[]) =>
    runCli(['submit', ...words], { env: { VENC_URL: daemon.url, VENC_API_KEY: key } });
  const beganAt = performance.now();
  const { code, stdout, stderr } = await submit(input, 'http://127.0.0.1:9/other.mp4');
  assert.is(code, 6);
  assert.match(stdout, /^\d+\n$/);
  assert.match(stderr, /has reached its limit waiting_jobs: 1 job is waiting, and the limit is 1/);
  assert.match(stderr, /venc accounts quota/);
  assert.not.match(stderr, /asks to wait/);
  assert.ok(performance.now() - beganAt < 25_000);
});

test.run();
