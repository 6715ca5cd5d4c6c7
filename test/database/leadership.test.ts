import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientConfig } from '../../daemon/store/postgres/connection.js';
import { type Leadership, lead } from '../../daemon/store/postgres/locks.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { startRelay } from '../helpers/relay.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'the leader of several processes';
const { isLong } = suiteOptions();
const program = fileURLToPath(new URL('../helpers/leader-child.js', import.meta.url));

/** A process that takes part, in this process or in one of its own. */
interface Participant {
  readonly name: string;
  isLeader(): boolean;
}

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const children: ChildProcess[] = [];
  const open: Leadership[] = [];
  const times: string[] = [];
  let dsn = '';
  let database = '';

  test.before.each(async () => {
    database = await server.createDatabase();
    dsn = server.dsn(database);
  });
  test.after.each(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  test.after(() => server.end());

  /** Joins within this process. `during` is the work of the leader. */
  const join = (joined: string, { address = dsn, during = async () => {} } = {}) => {
    const events: string[] = [];
    const leadership = lead(clientConfig(address), {
      log: () => undefined,
      async onGained(signal) {
        events.push('gained');
        if (!signal.aborted) await once(signal, 'abort');
        await during();
        events.push('lost');
      },
    });
    open.push(leadership);
    return { name: joined, events, close: () => leadership.close(), isLeader: () => leadership.isLeader() };
  };
  const joinProcess = (joined: string) => {
    const child = spawn(process.execPath, [program, dsn], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const events: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => events.push(line));
    return { name: joined, events, child, isLeader: () => events.at(-1) === 'gained' };
  };
  const leader = async (participants: readonly Participant[]): Promise<Participant> => {
    await waitUntil('one leads', () => participants.some((one) => one.isLeader()));
    const leading = participants.filter((one) => one.isLeader());
    assert.is(leading.length, 1, leading.map((one) => one.name).join());
    return leading[0] as Participant;
  };
  const terminate = () =>
    server.query(
      database,
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    );
  const measured = async (what: string, wait: Promise<unknown>) => {
    const start = performance.now();
    await wait;
    times.push(`${what} ${Math.round(performance.now() - start)} ms`);
  };

  test('one of several leads, and at its close another, after its work has ended', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = join('first', { during: () => finished });
    await leader([first]);
    const others = [join('second'), join('third')];
    await waitUntil('both wait', async () => {
      const rows = await server.query(
        database,
        "select from pg_locks where locktype = 'advisory' and not granted",
      );
      return rows.length === 2;
    });
    const closed = first.close();
    assert.not.ok(first.isLeader());
    const [held] = await server.query(
      database,
      "select count(*)::integer as count from pg_locks where locktype = 'advisory' and granted",
    );
    assert.is(held?.count, 1);
    assert.equal(
      others.map(({ events }) => events),
      [[], []],
    );
    finish();
    await measured('close', Promise.all([closed, leader(others)]));
    assert.equal(first.events, ['gained', 'lost']);
  });

  test('another leads after the leader was killed, and one that was killed while it waited has left', async () => {
    const first = joinProcess('first');
    await leader([first]);
    const waiting = joinProcess('waiting');
    const waitingCount = async () =>
      (await server.query(database, "select from pg_locks where locktype = 'advisory' and not granted"))
        .length;
    await waitUntil('it waits', async () => (await waitingCount()) === 1);
    waiting.child.kill('SIGKILL');
    await waitUntil('the server has noticed', async () => (await waitingCount()) === 0);
    const second = join('second');
    await waitUntil('the second waits', async () => (await waitingCount()) === 1);
    first.child.kill('SIGKILL');
    await measured('kill -9', leader([second]));
  });

  test('one that loses its connection no longer leads, and leads again once the lock is free', async () => {
    const only = join('only');
    await leader([only]);
    await terminate();
    await waitUntil('it leads again', () => only.events.length === 3);
    assert.equal(only.events, ['gained', 'lost', 'gained']);
  });

  test('one leads after a restart of the server', async () => {
    const all = [join('first'), join('second'), join('third')];
    await leader(all);
    await server.kill();
    await waitUntil('none leads', () => all.every((one) => !one.isLeader()));
    await server.restart();
    await measured('restart', leader(all));
    const gained = all.flatMap(({ events }) => events.filter((event) => event === 'gained'));
    assert.is(gained.length, 2);
  });

  test('a process that does not reach the server leads once it does', async () => {
    await server.kill();
    const only = join('only');
    const closed = join('closed');
    await closed.close();
    await server.restart();
    await leader([only]);
    assert.equal(closed.events, []);
  });

  if (isLong) {
    test('a frozen leader is replaced, and knows it when it continues', async () => {
      const frozen = joinProcess('frozen');
      await leader([frozen]);
      const second = join('second');
      frozen.child.kill('SIGSTOP');
      await measured(
        'SIGSTOP',
        waitUntil('the second leads', () => second.isLeader()),
      );
      frozen.child.kill('SIGCONT');
      await waitUntil('the first knows it', () => frozen.events.at(-1) === 'lost');
      await leader([frozen, second]);
    });

    test('a leader that is cut off stops before another leads', async () => {
      const relay = await startRelay(server.port);
      const cut = join('cut', { address: dsn.replace(`:${server.port}/`, `:${relay.port}/`) });
      await leader([cut]);
      const second = join('second');
      relay.cut();
      await measured(
        'cut, first stops',
        waitUntil('the first stops', () => cut.events.at(-1) === 'lost'),
      );
      assert.not.ok(second.isLeader());
      await measured('cut, second leads', leader([second]));
      await cut.close();
      await relay.close();
    });
  }

  test('times are printed', () => {
    assert.ok(times.length >= 3);
    printClosingLine(name, times);
  });

  test.run();
}
