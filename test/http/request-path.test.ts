import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { normalizePath, type RequestPath } from '../../daemon/http/request-path.js';

const cases: readonly (readonly [string, string, RequestPath['suffix']])[] = [
  ['/v2/jobs', '/v2/jobs', null],
  ['/api/v2/jobs', '/v2/jobs', null],
  ['/v2/jobs.json', '/v2/jobs', 'json'],
  ['/v2/jobs/7.xml', '/v2/jobs/7', 'xml'],
  ['/v2/inputs/7/progress.js', '/v2/inputs/7/progress', 'js'],
  ['//api//v2///jobs//', '/v2/jobs', null],
  ['/', '/', null],
  ['/apix/v2', '/apix/v2', null],
  ['/v2/uploads/film.json', '/v2/uploads/film.json', null],
  ['/api/v2/uploads/film.xml', '/v2/uploads/film.xml', null],
  ['/hosted/abc/film.js', '/hosted/abc/film.js', null],
];

for (const [given, path, suffix] of cases) {
  test(`${given} is ${path} ${suffix === null ? 'without a suffix' : `as ${suffix}`}`, () => {
    assert.equal(normalizePath(given), { path, suffix });
  });
}

test.run();
