import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SortedIdList } from '../../../daemon/store/jobs/index/job-lists.js';
import { randomNumbers } from '../../helpers/random.js';

const test = suite('SortedIdList');

/** Compares a list with a plain array, by pages and by lower bounds. */
function compare(list: SortedIdList, ids: ReadonlySet<number>): void {
  const ascending = [...ids].sort((a, b) => a - b);
  const descending = [...ascending].reverse();
  assert.is(list.size, ids.size);
  assert.equal(list.all(), ascending);
  for (const offset of [0, 1, 511, 512, 513, 2000, ids.size - 1, ids.size, ids.size + 1]) {
    for (const limit of [0, 1, 50, 600, 10_000]) {
      const from = Math.max(0, offset);
      assert.equal(list.newest(from, limit), descending.slice(from, from + limit), `${from} ${limit}`);
    }
  }
  for (let id = 0; id < 12_000; id += 97) {
    assert.is(
      list.floor(id),
      ascending.findLast((one) => one <= id),
    );
  }
}

test('it contains the added and not removed ids in order, for any order of additions', () => {
  const random = randomNumbers(1);
  const list = new SortedIdList();
  const ids = new Set<number>();
  for (const shareOfAdds of [0.9, 0.5, 0.2, 0.7]) {
    for (let count = 0; count < 6000; count += 1) {
      const id = 1 + Math.floor(random() * 10_000);
      if (random() < shareOfAdds) {
        list.add(id);
        ids.add(id);
      } else {
        list.delete(id);
        ids.delete(id);
      }
    }
    compare(list, ids);
  }
  for (const id of ids) list.delete(id);
  compare(list, new Set());
});

for (const [name, order] of Object.entries({
  ascending: (a: number, b: number) => a - b,
  descending: (a: number, b: number) => b - a,
})) {
  test(`it contains the ids added in ${name} order, and the rest when the oldest are removed`, () => {
    const list = new SortedIdList();
    const ids = new Set(Array.from({ length: 3000 }, (_, index) => 3 * index + 1).sort(order));
    for (const id of ids) list.add(id);
    compare(list, ids);
    for (let id = 1; id < 4000; id += 3) {
      list.delete(id);
      ids.delete(id);
    }
    compare(list, ids);
  });
}

test.run();
