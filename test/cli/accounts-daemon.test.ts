import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { daemonSuite, startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { pollUntil } from '../helpers/wait-until.js';
import { runInProcess } from './run-here.js';

interface Context {
  daemon: TestDaemon;
  /** Runs a command on the folder of the daemon; returns its output without the line break. */
  venc: (words: string) => Promise<string>;
  /** The status of a list with this key. */
  statusOf: (key: string) => Promise<number>;
}

const test = daemonSuite<Context>('accounts and keys of a running daemon', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  context.daemon = daemon;
  context.venc = async (words) => {
    const result = await runInProcess([...words.split(' '), '--data', daemon.dataFolder]);
    assert.is(result.code, 0, result.stderr);
    return result.stdout.trimEnd();
  };
  context.statusOf = async (key) => {
    const response = await fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': key } });
    await response.arrayBuffer();
    return response.status;
  };
});

/** A change is applied within a second; the rest of the time is for a machine under load. */
const limitMs = 20_000;

test('a new key is valid at once, and a revoked one soon is not', async ({ venc, statusOf }) => {
  const key = await venc('keys create');
  assert.is(await statusOf(key), 200);
  const keys: { id: string }[] = JSON.parse(await venc('keys list --json'));
  await venc(`keys revoke ${keys.at(-1)?.id}`);
  await pollUntil(
    () => statusOf(key),
    (status) => status === 401,
    limitMs,
  );
});

test('a read-only key may not list', async ({ venc, statusOf }) => {
  const key = await venc('keys create --read-only');
  assert.is(await statusOf(key), 403);
});

test('a job in integration mode is answered with the account, the time and the command', async ({
  daemon,
  venc,
}) => {
  const key = await venc('accounts create film-club');
  const warningsOf = async () => {
    const response = await fetch(`${daemon.url}/v2/jobs`, {
      method: 'POST',
      headers: { 'Service-Api-Key': key },
      body: JSON.stringify({ input: 'http://127.0.0.1:9/film.mov', strict: true }),
    });
    assert.is(response.status, 201);
    const { warnings = [] } = (await response.json()) as { warnings?: { field: string; message: string }[] };
    return warnings.map(({ field, message }) => `${field} ${message}`);
  };
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;
  const [first = '', ...others] = await warningsOf();
  const command = 'venc accounts live film-club';
  assert.match(
    first,
    new RegExp(`^test is true: .* film-club .* since ${time}, as every new account.*: ${command}$`),
  );
  assert.equal(others, []);
  await venc('accounts live film-club');
  assert.equal(await pollUntil(warningsOf, (found) => found.length === 0, limitMs), []);
  await venc('accounts integration film-club');
  const [again = ''] = await pollUntil(warningsOf, (found) => found.length > 0, limitMs);
  assert.match(again, new RegExp(` since ${time}. The operator .*: ${command}$`));
});

test('jobs of an account are test jobs until it is live', async ({ daemon, venc }) => {
  const key = await venc('accounts create studio');
  const isTest = async () => {
    const response = await fetch(`${daemon.url}/v2/jobs`, {
      method: 'POST',
      headers: { 'Service-Api-Key': key },
      body: JSON.stringify({ input: 'http://127.0.0.1:9/film.mov' }),
    });
    const answer = (await response.json()) as { test?: boolean };
    return response.status === 201 ? answer.test === true : null;
  };
  const becomes = (wanted: boolean) => pollUntil(isTest, (is) => is === wanted, limitMs);
  await becomes(true);
  await venc('accounts live studio');
  await becomes(false);
  await venc('accounts integration studio');
  await becomes(true);
});

test('a daemon that stops writes the last use of each key', async ({ daemon, venc, statusOf }) => {
  assert.is(await statusOf(daemon.key), 200);
  await daemon.stop();
  const keys: { last_used_at: string | null }[] = JSON.parse(await venc('keys list --json'));
  assert.type(keys[0]?.last_used_at, 'string', 'the owner used theirs');
});

test('a revoked owner key is replaced at the next start', async ({ daemon, venc }) => {
  const file = join(daemon.dataFolder, 'owner-key');
  const [owner] = JSON.parse(await venc('keys list --json'));
  await venc(`keys revoke ${owner.id}`);
  assert.not.ok(existsSync(file));
  const next = await startTestDaemon({ jobs: 0, dataFolder: daemon.dataFolder, apiKey: null });
  const key = readFileSync(file, 'utf8').trim();
  const statuses = await Promise.all(
    [key, daemon.key].map(
      async (given) => (await fetch(`${next.url}/v2/jobs`, { headers: { 'Service-Api-Key': given } })).status,
    ),
  );
  await next.stop();
  assert.equal(statuses, [200, 401]);
});

test.run();
