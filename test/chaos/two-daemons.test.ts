import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openChaosSuite } from '../helpers/chaos/chaos-suite.js';
import {
  canUnshare,
  killNamespacedDaemons,
  type NamespacedDaemon,
  pathWithoutFlock,
  startContender,
} from '../helpers/namespaces.js';
import { tempFolder } from '../helpers/temp.js';

/* Several daemons on one data folder, in one PID namespace and in several, with and without kernel locks. */
const test = suite('several daemons on one data folder');
const chaos = openChaosSuite('two-daemons');
const { choices, isLong } = chaos;
const rounds = isLong ? 60 : 3;
const mayUnshare = canUnshare();
const withoutFlock = { PATH: pathWithoutFlock() };
const counts = { started: 0, rejected: 0 };

test.after.each(killNamespacedDaemons);
test.after(() => chaos.close({ rounds: rounds * 3, ...counts }));

interface Contender {
  readonly daemon: NamespacedDaemon;
  /** Its URL; null if it was rejected. */
  readonly url: string | null;
  /** Why it has no URL, with its exit code and log; empty if it has one. */
  readonly reason: string;
}

async function start(folder: string, isNamespaced: boolean, env: NodeJS.ProcessEnv): Promise<Contender> {
  const daemon = startContender(folder, { isNamespaced, env });
  const [url, reason] = await daemon.url.then(
    (found) => [found, ''] as const,
    (error: unknown) => [null, String(error)] as const,
  );
  counts[url === null ? 'rejected' : 'started'] += 1;
  return { daemon, url, reason };
}

/** Chooses the namespaces and locks of a round. In the short form, no round waits for a heartbeat. */
function chooseForm(count: number) {
  const isNamespaced = Array.from({ length: count }, () => mayUnshare && choices.happens(0.5));
  const mayOmitFlock = isLong || !isNamespaced.includes(true);
  return { isNamespaced, env: mayOmitFlock && choices.happens(0.5) ? withoutFlock : {} };
}

async function assertRejected({ daemon, url }: Contender, folder: string): Promise<void> {
  assert.is(url, null, 'two daemons work on one data folder');
  assert.is(await daemon.ended, 6, daemon.logged());
  assert.match(daemon.logged(), `The data folder ${folder} is in use by the daemon`);
  assert.match(daemon.logged(), /[Ss]top that daemon, or choose another folder with --data/);
}

async function createJob({ daemon, url, reason }: Contender): Promise<string> {
  assert.is.not(url, null, reason);
  const headers = { 'Service-Api-Key': daemon.key };
  const body = JSON.stringify({ input: 'http://127.0.0.1:9/film.mp4' });
  const response = await fetch(`${url}/v2/jobs`, { method: 'POST', headers, body });
  assert.is(response.status, 201, await response.clone().text());
  return ((await response.json()) as { id: string }).id;
}

/** Checks that exactly one of several daemons works, and resolves to it. */
async function onlyOne(contenders: readonly Contender[], folder: string): Promise<Contender> {
  const [winner, ...others] = contenders.toSorted(
    (one, other) => Number(one.url === null) - Number(other.url === null),
  );
  if (winner === undefined || winner.url === null)
    throw new Error(`no daemon works: ${contenders.map(({ reason }) => reason).join('\n')}`);
  for (const other of others) await assertRejected(other, folder);
  return winner;
}

test('of daemons that start in the same instant exactly one works', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const folder = join(tempFolder(), 'data');
    const { isNamespaced, env } = chooseForm(3);
    const contenders = await Promise.all(isNamespaced.map((isOwn) => start(folder, isOwn, env)));
    await createJob(await onlyOne(contenders, folder));
    killNamespacedDaemons();
    await Promise.all(contenders.map(({ daemon }) => daemon.ended));
  }
});

test('after kill -9, one of the next daemons takes over the stale lock and finds the jobs', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const folder = tempFolder();
    const { isNamespaced, env } = chooseForm(3);
    const first = await start(folder, isNamespaced[0] ?? false, env);
    const id = await createJob(first);
    first.daemon.signal('SIGKILL');
    await first.daemon.ended;
    const contenders = await Promise.all(isNamespaced.slice(1).map((isOwn) => start(folder, isOwn, env)));
    const next = await onlyOne(contenders, folder);
    const headers = { 'Service-Api-Key': next.daemon.key };
    assert.is((await fetch(`${next.url}/v2/jobs/${id}`, { headers })).status, 200);
    next.daemon.signal('SIGTERM');
    assert.is(await next.daemon.ended, 0, next.daemon.logged());
  }
});

test('a stopped daemon keeps its data folder, and works on when it continues', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const folder = tempFolder();
    // Without kernel locks, a stopped daemon in another namespace loses the folder: test/servers/lock-heartbeat.test.ts.
    const form = chooseForm(2);
    const env = form.isNamespaced.includes(true) ? {} : form.env;
    const first = await start(folder, form.isNamespaced[0] ?? false, env);
    first.daemon.signal('SIGSTOP');
    await assertRejected(await start(folder, form.isNamespaced[1] ?? false, env), folder);
    first.daemon.signal('SIGCONT');
    await createJob(first);
    first.daemon.signal('SIGTERM');
    assert.is(await first.daemon.ended, 0, first.daemon.logged());
  }
});

test.run();
