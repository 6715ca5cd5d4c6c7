import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGlobs } from '../../../src/shared/text/glob.js';

/** A pattern, paths that match, and paths that do not. */
const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['*.mov', ['a.mov', 'A.MOV', 's1/e1/a.mov', '.mov', 'two\nlines.mov'], ['a.mov.part', 'a.mp4', 'amov']],
  ['*.{mov,mkv}', ['a.mov', 's1/b.MKV'], ['a.mp4', 'a.{mov,mkv}', 'a.mo']],
  ['*.{m{ov,kv},avi}', ['a.mov', 'a.mkv', 'a.avi'], ['a.mavi', 'a.m']],
  ['a,b.*', ['a,b.mov'], ['a.mov', 'b.mov']],
  ['film?.mov', ['film1.mov', 'filmü.mov', 'film🎬.mov'], ['film.mov', 'film12.mov']],
  ['[a-c]*', ['alpha', 'x/Charlie'], ['delta', 'a/delta']],
  ['[!a-c]*', ['delta', 'a/delta'], ['alpha', '']],
  ['[]-]x', [']x', '-x'], ['x', 'ax']],
  ['[.+^&|~[]', ['.', '+', '^', '&', '|', '~', '['], ['a', '/']],
  ['s1/*.mov', ['s1/a.mov', 'S1/a.mov'], ['a.mov', 's1/e/a.mov', 'x/s1/a.mov']],
  ['/s1', ['s1'], ['x/s2']],
  ['./s1/a.mov', ['s1/a.mov'], ['a.mov']],
  ['s1/**', ['s1/a.mov', 's1/e/a.mov'], ['s1', 's2/a.mov']],
  ['**/e1/*', ['e1/a', 's1/e1/a', 's1/x/e1/a'], ['e1', 's1/e12/a', 'xe1/a']],
  ['**/*.mov', ['a.mov', 's1/a.mov'], ['a.mkv']],
  ['extras/', ['extras', 's1/extras'], ['extra', 'extras/a']],
  ['\\[1\\]*', ['[1] film'], ['1 film']],
  ['a+(b|c).$', ['a+(b|c).$'], ['ab', 'aab.$']],
  ['}', ['}'], ['{']],
  // A name in the two forms of its accent.
  ['u\u0308.mov', ['\u00fc.mov', 'U\u0308.mov'], ['u.mov']],
];
for (const [pattern, matching, others] of cases)
  test(`${pattern} matches ${matching.map((path) => JSON.stringify(path)).join(', ')}`, () => {
    const globs = compileGlobs([pattern]);
    assert.ok('matches' in globs);
    assert.equal(
      matching.filter((path) => !globs.matches(path)),
      [],
    );
    assert.equal(
      others.filter((path) => globs.matches(path)),
      [],
    );
  });

test('a path matches if one of several patterns does, and none without patterns', () => {
  const globs = compileGlobs(['*.mov', 's1/*']);
  assert.ok('matches' in globs);
  assert.equal(['x/a.mov', 's1/b.mkv', 'b.mkv'].map(globs.matches), [true, true, false]);
  assert.equal(compileGlobs(['[', '*']), { invalid: '[' });
});

for (const invalid of ['', '/', '[', 'a[', '{mov', 'a{b,{c}', '[z-a]', 'a\\'])
  test(`${JSON.stringify(invalid)} is no pattern`, () => {
    assert.equal(compileGlobs(['*', invalid]), { invalid });
  });

test.run();
