import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRateLimit } from '../../daemon/http/rate-limit.js';

/** A limit with a clock that only the test advances. */
function limited(perMinute: number) {
  let ms = Date.parse('2026-01-01T00:00:00Z');
  const limit = createRateLimit(perMinute, () => new Date(ms));
  return {
    take: (who = 'a') => limit.take(who),
    takeAll: (who = 'a') => {
      let count = 0;
      while (limit.take(who) === null) count += 1;
      return count;
    },
    pass: (bySeconds: number) => {
      ms += bySeconds * 1000;
    },
  };
}

for (const perMinute of [1, 7, 60, 1000]) {
  test(`a limit of ${perMinute} per minute grants as many at once`, () => {
    const { takeAll, pass } = limited(perMinute);
    assert.is(takeAll(), perMinute);
    pass(60);
    assert.is(takeAll(), perMinute);
    pass(3600);
    assert.is(takeAll(), perMinute);
  });

  test(`after the wait that a limit of ${perMinute} returns there is one more, and not earlier`, () => {
    const { take, takeAll, pass } = limited(perMinute);
    takeAll();
    const seconds = take() ?? 0;
    assert.is(seconds, Math.ceil(60 / perMinute));
    pass(seconds - 1);
    if (seconds > 1) assert.is(take(), 1);
    pass(1);
    assert.is(take(), null);
  });
}

test('requests are refilled at a constant rate, and rejected ones are not counted', () => {
  const { take, takeAll, pass } = limited(60);
  takeAll();
  let granted = 0;
  for (let tenth = 0; tenth < 600; tenth += 1) {
    pass(0.1);
    if (take() === null) granted += 1;
  }
  assert.is(granted, 60);
});

test('each caller has a separate allowance', () => {
  const { take, takeAll } = limited(3);
  takeAll('a');
  assert.is(take('b'), null);
  assert.is(take('a'), 20);
});

test('a clock that is set back takes nothing away and blocks nobody', () => {
  const { take, takeAll, pass } = limited(60);
  takeAll();
  pass(-86_400);
  assert.is(take(), 1);
  pass(1);
  assert.is(take(), null);
});

test('with more than 10,000 callers per minute only the one that was idle longest is forgotten', () => {
  const { take, takeAll } = limited(1);
  takeAll('first');
  takeAll('second');
  for (let count = 0; count < 9_998; count += 1) take(`other ${count}`);
  assert.is(take('second'), 60);
  take('one more');
  assert.is(take('second'), 60);
  assert.is(take('first'), null);
});

test.run();
