import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLoadMeter, type ProcessorTimes } from '../../daemon/queue/load-meter.js';
import { OpenHours } from '../../daemon/queue/open-hours.js';
import { encodePausesOf, SlotSchedule, type SlotTimes } from '../../daemon/queue/slot-schedule.js';
import type { OpenHoursSpan } from '../../daemon/store/account-store.js';
import { parseHours } from '../../src/shared/hours.js';
import { settleEventLoop, waitUntil } from '../helpers/wait-until.js';

/** Clocks and a load that a test sets. */
class Fixture {
  readonly logLines: string[] = [];
  now = new Date(2026, 2, 2, 12);
  elapsedMs = 0;
  load: number | null = null;
  span: OpenHoursSpan | undefined;
  #schedule: SlotSchedule | null = null;
  readonly #opened: OpenHours[] = [];
  readonly #listeners = new Set<() => void>();

  open(times: SlotTimes, openHours?: OpenHours): SlotSchedule {
    this.#schedule?.close();
    this.#schedule = new SlotSchedule({
      ...times,
      ...(openHours && { openHours }),
      now: () => this.now,
      readLoad: () => this.load,
      log: (_, message) => this.logLines.push(message),
    });
    return this.#schedule;
  }

  /** Opens a schedule of hours that do not count for a stored time, as after a start of a daemon. */
  openWithSpan(times: SlotTimes): { readonly schedule: SlotSchedule; readonly openHours: OpenHours } {
    const log = (_: string, message: string) => void this.logLines.push(message);
    const [now, elapsedMs] = [() => this.now, () => this.elapsedMs];
    const openHours = new OpenHours({ accounts: this, now, elapsedMs, log });
    this.#opened.push(openHours);
    return { openHours, schedule: this.open(times, openHours) };
  }

  openHours(): OpenHoursSpan | undefined {
    return this.span;
  }

  async changeOpenHours(
    change: (span: OpenHoursSpan | undefined) => OpenHoursSpan | undefined,
  ): Promise<void> {
    this.span = change(this.span);
    for (const listener of this.#listeners) listener();
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sets the time of day, and looks at it. */
  at(hours: number, minutes = 0): void {
    this.now = new Date(2026, 2, 2, hours, minutes);
    this.#schedule?.check();
  }

  close(): void {
    for (const openHours of this.#opened) openHours.close();
    this.#schedule?.close();
  }
}

const test = suite<{ fixture: Fixture }>('slots with hours and a load');
test.before.each((context) => {
  context.fixture = new Fixture();
});
test.after.each(({ fixture }) => fixture.close());

test('without hours and load the slots are always open', ({ fixture }) => {
  const schedule = fixture.open({});
  assert.equal(schedule.state, { closedBy: null, isFrozen: false, opensAt: null });
});

test('the hours open and close the slots, also when the clock is set back', ({ fixture }) => {
  const schedule = fixture.open({ hours: parseHours('13:00-14:00') });
  assert.equal(schedule.state, { closedBy: 'hours', isFrozen: false, opensAt: new Date(2026, 2, 2, 13) });
  let changes = 0;
  schedule.onChange(() => {
    changes += 1;
  });
  fixture.at(13);
  assert.equal([schedule.state.closedBy, changes], [null, 1]);
  fixture.at(12, 30);
  assert.equal([schedule.state.closedBy, changes], ['hours', 2]);
  fixture.at(12, 31);
  assert.is(changes, 2, 'the same');
  fixture.at(13, 59);
  fixture.at(14);
  assert.equal(schedule.state.opensAt, new Date(2026, 2, 3, 13));
  assert.is(fixture.logLines.length, 5, fixture.logLines.join('\n'));
});

test('outside the hours encodes are frozen if that is wanted', ({ fixture }) => {
  const schedule = fixture.open({ hours: parseHours('13:00-14:00'), freezesOutside: true });
  assert.ok(schedule.state.isFrozen);
  fixture.at(13);
  assert.not(schedule.state.isFrozen);
});

test('resume --for opens the slots for its time on a clock that is never set back', async ({ fixture }) => {
  const { schedule, openHours } = fixture.openWithSpan({ hours: parseHours('20:00-21:00') });
  await openHours.open(0.02);
  assert.is(schedule.state.closedBy, null);
  fixture.at(2);
  assert.is(schedule.state.closedBy, null);
  fixture.elapsedMs = 20;
  await waitUntil('the hours count again', () => schedule.state.closedBy === 'hours');
  assert.is(fixture.span, undefined, 'nothing is left of it');
});

test('the time of resume --for goes on after a restart, and holds for other daemons', async ({ fixture }) => {
  const hours = parseHours('20:00-21:00');
  const { openHours } = fixture.openWithSpan({ hours });
  const other = fixture.openWithSpan({ hours });
  await openHours.open(3600);
  assert.equal([other.schedule.state.closedBy, other.openHours.until], [null, new Date(2026, 2, 2, 13)]);
  fixture.now = new Date(2026, 2, 2, 12, 59);
  assert.is(fixture.openWithSpan({ hours }).schedule.state.closedBy, null, 'a minute is left');
  fixture.now = new Date(2026, 2, 1, 12);
  const setBack = fixture.openWithSpan({ hours });
  assert.equal(setBack.openHours.until, new Date(2026, 2, 1, 13), 'no longer than its length');
  fixture.now = new Date(2026, 2, 2, 13);
  assert.is(fixture.openWithSpan({ hours }).schedule.state.closedBy, 'hours');
  assert.is(fixture.span, undefined);
});

test('while other programs use more cores than allowed, the slots are closed', ({ fixture }) => {
  const schedule = fixture.open({ maxLoad: 1.5 });
  assert.is(schedule.state.closedBy, 'load', 'nothing is known yet');
  for (const [load, closedBy] of [
    [1.5, null],
    [1.6, 'load'],
    [null, 'load'],
    [0, null],
  ] as const) {
    fixture.load = load;
    schedule.check();
    assert.is(schedule.state.closedBy, closedBy, String(load));
  }
});

test('encodes wait until neither the queue is paused nor the slots are closed', async ({ fixture }) => {
  const schedule = fixture.open({ hours: parseHours('13:00-14:00') });
  const pauses = encodePausesOf(schedule, { holds: (id) => id === 'paused', whenResumed: async () => {} });
  assert.ok(pauses.holds('free'));
  let hasResumed = false;
  const resumed = pauses.whenResumed('free', new AbortController().signal).then(() => {
    hasResumed = true;
  });
  const aborted = pauses.whenResumed('free', AbortSignal.abort(new Error('stop'))).catch(String);
  assert.is(await aborted, 'Error: stop');
  await settleEventLoop(async () => {});
  assert.not(hasResumed);
  fixture.at(13);
  await resumed;
  assert.equal([pauses.holds('free'), pauses.holds('paused')], [false, true]);
});

test('the load is the processor time of others in cores', () => {
  const times: (ProcessorTimes | null)[] = [
    { total: 1000, busy: 100, own: 50 },
    { total: 2000, busy: 850, own: 300 },
    { total: 3000, busy: 900, own: 100 },
    { total: 3000, busy: 900, own: 100 },
  ];
  const read = createLoadMeter(() => times.shift() ?? null, 4);
  assert.is(read(), null);
  assert.is(read(), 2);
  assert.is(read(), 0.2, 'a process that has ended uses nothing');
  assert.is(read(), null, 'no time has passed');
  assert.type(read(), 'number');
});

test('the processor time of this process is not that of others', () => {
  const read = createLoadMeter();
  read();
  const endMs = performance.now() + 300;
  while (performance.now() < endMs);
  const load = read();
  assert.ok(load === null || load >= 0);
});

test.run();
