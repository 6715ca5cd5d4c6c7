import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** The rows of the threat table: modules, path of a test, and its title. */
const rows = [
  ...readFileSync('SECURITY.md', 'utf8').matchAll(/^\| .* \| .* \| (`.*`) \| `(.*?)`: (.*) \|$/gm),
].map(([, modules = '', path = '', title = '']) => ({
  modules: modules.replaceAll('`', '').split(', '),
  path,
  title,
}));

test('every module and test that the threat table names exists', () => {
  assert.ok(rows.length > 25, `${rows.length} rows were found`);
  for (const { modules, path, title } of rows) {
    for (const name of modules) assert.ok(existsSync(name), name);
    assert.ok(existsSync(path), path);
    assert.ok(
      titlesOf(path).some((pattern) => pattern.test(title)),
      `${path} has no test "${title}"`,
    );
  }
});

test('every suite in test/hostile that attacks the daemon is in the threat table', () => {
  for (const name of [
    'addresses',
    'connections',
    'injection',
    'media-references',
    'names',
    'other-accounts',
    'secrets',
  ])
    assert.ok(
      rows.some(({ path }) => path === `test/hostile/${name}.test.ts`),
      name,
    );
});

/** Patterns of the titles in a test file. A title in backquotes matches with any values. */
function titlesOf(path: string): readonly RegExp[] {
  const titles = readFileSync(path, 'utf8').matchAll(/^\s*test\(\s*(['`])((?:\\.|(?!\1).)*)\1/gm);
  return [...titles].map(([, , title = '']) => {
    const parts = title.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/);
    const literal = parts.map((part) => part.replaceAll('\\', '').replaceAll(/[.*+?^$()[\]{}|]/g, '\\$&'));
    return new RegExp(`^${literal.join('.*')}`);
  });
}

test.run();
