import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeIterables } from '../../src/client/job-streams.js';

type Result = IteratorResult<string, undefined>;

/** A source whose values the test pushes, and which counts how often it was advanced. */
function source() {
  let settle: { resolve(result: Result): void; reject(error: Error): void };
  let advanceCount = 0;
  return {
    iterator: {
      next: () => {
        advanceCount += 1;
        return new Promise<Result>((resolve, reject) => {
          settle = { resolve, reject };
        });
      },
    },
    push: (value: string) => settle.resolve({ done: false, value }),
    end: () => settle.resolve({ done: true, value: undefined }),
    fail: (error: Error) => settle.reject(error),
    advanceCount: () => advanceCount,
  };
}

test('values arrive in the order in which the sources produce them', async () => {
  const [one, two] = [source(), source()];
  const merged = mergeIterables([one.iterator, two.iterator]);
  const first = merged.next();
  two.push('b');
  one.push('a');
  assert.is((await first).value, 'b');
  assert.is((await merged.next()).value, 'a');
});

test('a source is advanced only when its value was taken, and an idle one is advanced once', async () => {
  const [busy, idle] = [source(), source()];
  const merged = mergeIterables([busy.iterator, idle.iterator]);
  for (let count = 1; count <= 3; count += 1) {
    const next = merged.next();
    busy.push(`value ${count}`);
    assert.is((await next).value, `value ${count}`);
    assert.is(busy.advanceCount(), count);
  }
  assert.is(idle.advanceCount(), 1);
});

test('it ends when all sources have ended, and throws the error of one', async () => {
  const [one, two] = [source(), source()];
  const merged = mergeIterables([one.iterator, two.iterator]);
  const end = merged.next();
  one.end();
  two.end();
  assert.is((await end).done, true);

  const [failing, idle] = [source(), source()];
  const failed = mergeIterables([failing.iterator, idle.iterator]).next();
  failing.fail(new Error('broken'));
  await failed.then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, 'broken'),
  );
});

test.run();
