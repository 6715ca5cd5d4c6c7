import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { numberedFolder, numberNames, reportConflicts } from '../../../src/cli/destinations/number-names.js';

const claim = (input: string, ...paths: readonly string[]) => ({ input, paths });

test('the second of two equal names gets a number, by the paths of the inputs and not by their order', () => {
  const claims = [claim('b/show.mov', 'out/show.mp4'), claim('a/show.mov', 'out/show.mp4')];
  assert.equal(numberNames(claims).paths, [['out/show-2.mp4'], ['out/show.mp4']]);
  assert.equal(numberNames(claims.toReversed()).paths, [['out/show.mp4'], ['out/show-2.mp4']]);
});

test('a number is not used that makes the name of another file', () => {
  const claims = [
    claim('a', 'x.mp4'),
    claim('b', 'x.mp4', 'y.mp4'),
    claim('c', 'x-2.mp4', 'y.mp4'),
    claim('x-3.mp4', 'z'),
  ];
  assert.equal(numberNames(claims).paths, [['x.mp4'], ['x-4.mp4', 'y.mp4'], ['x-2.mp4', 'y-2.mp4'], ['z']]);
});

test('names that some disks take for one are numbered; URLs and different folders are not', () => {
  const claims = [
    claim('1', 'o/\u00dc.mp4', 's3://b/x.mp4', 'film.v1'),
    claim('2', 'o/u\u0308.MP4', 's3://b/x.mp4', 'film.v1'),
    claim('3', 'p/\u00dc.mp4', './o/../o/\u00fc.mp4'),
  ];
  assert.equal(numberNames(claims).paths, [
    ['o/\u00dc.mp4', 's3://b/x.mp4', 'film.v1'],
    ['o/u\u0308-2.MP4', 's3://b/x.mp4', 'film-2.v1'],
    ['p/\u00dc.mp4', 'o/\u00fc-3.mp4'],
  ]);
  assert.equal(numberNames([claim('1', 'film.v1'), claim('2', 'film.v1')], numberedFolder).paths, [
    ['film.v1'],
    ['film.v1-2'],
  ]);
});

test('50,000 inputs of one name are numbered in little time', () => {
  const claims = Array.from({ length: 50_000 }, (_, index) => claim(`${index}/a.mov`, 'out/a.mp4'));
  const startedAtMs = performance.now();
  const { paths } = numberNames(claims);
  assert.is(new Set(paths.flat()).size, 50_000);
  assert.ok(performance.now() - startedAtMs < 10_000);
});

test('conflicts are printed up to ten, and fail all at once if they are to', () => {
  const { conflicts } = numberNames(Array.from({ length: 14 }, (_, index) => claim(`${index}.mov`, 'a.mp4')));
  const printed: string[] = [];
  reportConflicts(conflicts, { done: 'encoded' }, (text) => printed.push(text));
  assert.is(printed.length, 11);
  assert.is(printed[0], 'venc: 1.mov: its output is a-2.mp4, because 0.mov has a.mp4\n');
  assert.is(printed.at(-1), 'venc: 3 more outputs have a number in their names\n');
  const cases = numberNames([claim('Film.mov', 'o/Film.mp4'), claim('film.mov', 'o/film.mp4')]).conflicts;
  reportConflicts(cases, { done: 'encoded' }, (text) => printed.push(text));
  assert.is(printed.at(-1), 'venc: film.mov: its output is o/film-2.mp4, because Film.mov has o/Film.mp4\n');
  assert.throws(
    () => reportConflicts(conflicts, { onConflict: 'fail', done: 'encoded' }, () => {}),
    (error: Error & { messages: readonly string[] }) =>
      error.messages.length === 14 && error.messages[13] === 'Nothing was encoded.',
  );
});

test.run();
