import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureHttpCost } from '../../bench/http-cost.js';
import { isMet, tableOf } from '../../bench/measure.js';
import { beginLoadSuite } from '../helpers/load/load-suite.js';
import { tempFolder } from '../helpers/temp.js';

const load = beginLoadSuite('http-cost');
const rounds = 5;

test('a request takes no more processor time than it did, compared with a bare Hono app in the same run', async () => {
  const missed = await missedFigures();
  if (missed.length === 0) return;
  // What else the machine does changes the caches of the processor; a slower daemon is slower each time.
  const again = new Set(await missedFigures());
  assert.equal(
    missed.filter((name) => again.has(name)),
    [],
  );
});

async function missedFigures(): Promise<readonly string[]> {
  const figures = await measureHttpCost(tempFolder(), rounds);
  load.print(`\n${tableOf(figures)}`);
  return figures.filter((figure) => isMet(figure) === false).map(({ name }) => name);
}

test.run();
