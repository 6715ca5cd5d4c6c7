import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';

/**
 * Compares a text with the golden file `test/golden/<name>` of the source tree (tests run from the repository's root).
 * With `UPDATE_GOLDEN=1` in the environment the file is written instead.
 */
export function matchesGolden(name: string, actual: string): void {
  const path = join(process.cwd(), 'test', 'golden', name);
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
    return;
  }
  assert.ok(
    existsSync(path),
    `there is no golden file ${name}: run with UPDATE_GOLDEN=1 and review the file`,
  );
  assert.fixture(actual, readFileSync(path, 'utf8'), `${name} differs`);
}
