import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { JobStreams } from '../../src/client/job-streams.js';
import type { EventListener, JobEvent } from '../../src/client/job-updates.js';

/** A stream that emits what the test sends. */
function stream() {
  let onEvent: EventListener = () => {};
  let end = () => {};
  const subscribe = (listener: EventListener) => {
    onEvent = listener;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  return {
    updates: { kind: 'events', subscribe } as const,
    emit: (id: number, progress: number) => onEvent(event(id, progress)),
    end: () => end(),
  };
}

function event(id: number, progress: number): JobEvent {
  const input = { id: id + 1, state: 'finished', progress: 100 } as const;
  return { job: { id, state: 'processing', progress, input, outputs: [] }, eventId: '', retryMs: null };
}

const drained = (live: JobStreams) => live.drain().map(({ id, job }) => `${id} ${job?.progress}`);

test('of rapid updates the latest is returned, of all jobs at once', async () => {
  const live = new JobStreams();
  const [one, two] = [stream(), stream()];
  live.add(1, one.updates);
  live.add(2, two.updates);
  one.emit(1, 10);
  await live.waitForUpdates();
  assert.equal(drained(live), ['1 10']);
  one.emit(1, 11);
  const changed = live.waitForUpdates();
  two.emit(2, 20);
  one.emit(1, 12);
  const first = await Promise.race([changed.then(() => 'changed'), Promise.resolve('not yet')]);
  assert.is(first, 'not yet');
  // The batch timer does not keep a process alive, so the test does.
  const held = setInterval(() => {}, 1000);
  await changed;
  clearInterval(held);
  assert.equal(drained(live), ['1 12', '2 20']);
});

test('the end of a stream is reported at once, and the job is kept until it is removed', async () => {
  const live = new JobStreams();
  const one = stream();
  live.add(1, one.updates);
  one.emit(1, 10);
  live.drain();
  one.emit(1, 100);
  one.end();
  await live.waitForUpdates();
  const [update] = live.drain();
  assert.is(update?.hasEnded, true);
  assert.is(update?.job?.progress, 100);
  assert.is(live.has(1), true);
  live.remove(1);
  assert.is(live.has(1), false);
});

test.run();
