import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QueuePauses } from '../../daemon/queue/pauses.js';
import type { Pause } from '../../daemon/store/account-store.js';
import { settleEventLoop, waitUntil } from '../helpers/wait-until.js';

/** Stored pauses of accounts, which other processes may change, and clocks. */
class Fixture {
  stored = new Map<string, Pause>();
  nowMs = Date.parse('2026-03-01T10:00:00Z');
  elapsedMs = 1000;
  readonly #listeners = new Set<() => void>();

  open(): QueuePauses {
    const now = () => new Date(this.nowMs);
    return new QueuePauses({ accounts: this, now, log: () => {}, elapsedMs: () => this.elapsedMs });
  }

  pauses(): ReadonlyMap<string, Pause> {
    return this.stored;
  }

  async changePause(id: string, change: (pause: Pause | undefined) => Pause | undefined): Promise<void> {
    const pause = change(this.stored.get(id));
    this.stored = new Map([...this.stored].filter(([key]) => key !== id));
    if (pause !== undefined) this.stored.set(id, pause);
    for (const listener of this.#listeners) listener();
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  advance(milliseconds: number): void {
    this.nowMs += milliseconds;
    this.elapsedMs += milliseconds;
  }
}

const test = suite('pauses of the queue');

test('the pause of the account default holds for all, that of another account for its jobs', async () => {
  const pauses = new Fixture().open();
  await pauses.pause('studio', null);
  assert.equal(
    [pauses.holds('studio'), pauses.holds('other'), pauses.holds('default')],
    [true, false, false],
  );
  assert.equal(pauses.of('studio'), { reason: 'account', until: null, isFrozen: false });
  assert.is(pauses.of('default'), null);
  await pauses.pause('default', null);
  for (const id of ['studio', 'other', 'default']) assert.ok(pauses.holds(id), id);
  assert.equal(pauses.of('studio'), { reason: 'daemon', until: null, isFrozen: false });
  assert.is(await pauses.resume('default'), true);
  assert.is(await pauses.resume('default'), false, 'resumed twice');
  assert.equal([pauses.holds('studio'), pauses.holds('other')], [true, false]);
  pauses.close();
});

test('a pause with a length ends after it, also if the clock is set back', async () => {
  const fixture = new Fixture();
  const pauses = fixture.open();
  await pauses.pause('default', 0.02);
  assert.is(pauses.of('default')?.until?.getTime(), fixture.nowMs + 20);
  let count = 0;
  pauses.onChange(() => {
    count += 1;
  });
  fixture.nowMs -= 3_600_000;
  fixture.elapsedMs += 20;
  await waitUntil('the pause ends', () => count === 1);
  assert.not.ok(pauses.holds('default'));
  assert.equal([...fixture.stored], [], 'nothing is left of it');
  pauses.close();
});

test('the end of a pause is the same in each answer, and follows a clock that was set', async () => {
  const fixture = new Fixture();
  const pauses = fixture.open();
  await pauses.pause('default', 60);
  const end = fixture.nowMs + 60_000;
  fixture.advance(10_000);
  fixture.nowMs += 3;
  assert.is(pauses.of('default')?.until?.getTime(), end);
  fixture.nowMs -= 3_600_000;
  assert.is(pauses.of('default')?.until?.getTime(), end + 3 - 3_600_000);
  pauses.close();
});

test('a new pause replaces an earlier one', async () => {
  const fixture = new Fixture();
  const pauses = fixture.open();
  await pauses.pause('default', 60);
  fixture.advance(10_000);
  await pauses.pause('default', null);
  assert.equal(pauses.of('default'), { reason: 'daemon', until: null, isFrozen: false });
  pauses.close();
});

test('a pause that freezes is reported to listeners, and only the end of it lets programs go on', async () => {
  const fixture = new Fixture();
  const pauses = fixture.open();
  const reported: string[] = [];
  pauses.onChange(() => {
    reported.push(`${pauses.freezes('studio')} ${pauses.freezes('other')}`);
  });
  await pauses.pause('studio', null);
  await pauses.pause('studio', null, true);
  assert.equal(pauses.of('studio'), { reason: 'account', until: null, isFrozen: true });
  fixture.advance(1000);
  await pauses.pause('studio', 60);
  assert.ok(pauses.freezes('studio'), 'a later pause does not end it');
  await pauses.pause('default', null, true);
  await pauses.resume('studio');
  assert.equal(pauses.of('studio'), { reason: 'daemon', until: null, isFrozen: true });
  await pauses.resume('default');
  assert.equal(reported, [
    'false false',
    'true false',
    'true false',
    'true true',
    'true true',
    'false false',
  ]);
  pauses.close();
});

test('a pause holds over a restart for the time that is left, and no longer than its length', async () => {
  const fixture = new Fixture();
  const before = fixture.open();
  await before.pause('default', 60);
  const end = fixture.nowMs + 60_000;
  before.close();
  fixture.advance(20_000);
  const later = fixture.open();
  assert.is(later.of('default')?.until?.getTime(), end);
  later.close();
  fixture.nowMs -= 86_400_000;
  const setBack = fixture.open();
  assert.is(setBack.of('default')?.until?.getTime(), fixture.nowMs + 60_000);
  setBack.close();
  fixture.nowMs += 2 * 86_400_000;
  const over = fixture.open();
  assert.not.ok(over.holds('default'));
  assert.equal([...fixture.stored], []);
  over.close();
});

test('a change by another process counts', async () => {
  const fixture = new Fixture();
  const [one, other] = [fixture.open(), fixture.open()];
  await one.pause('default', null);
  assert.ok(other.holds('default'));
  await one.resume('default');
  assert.not.ok(other.holds('default'));
  one.close();
  other.close();
});

test('a task waits until its account is resumed, or its signal is aborted', async () => {
  const pauses = new Fixture().open();
  const { signal } = new AbortController();
  await pauses.whenResumed('studio', signal);
  await pauses.pause('studio', null);
  await pauses.pause('default', null);
  let hasGoneOn = false;
  const going = pauses.whenResumed('studio', signal).then(() => {
    hasGoneOn = true;
  });
  const cancelled = new AbortController();
  const waiting = pauses.whenResumed('studio', cancelled.signal).catch((error: unknown) => error);
  cancelled.abort(new Error('cancelled'));
  assert.is(((await waiting) as Error).message, 'cancelled');
  await pauses.resume('default');
  await settleEventLoop(async () => {});
  assert.not.ok(hasGoneOn, 'the account is still paused');
  await pauses.resume('studio');
  await going;
  pauses.close();
});

test.run();
