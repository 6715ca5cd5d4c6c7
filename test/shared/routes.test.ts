import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { routePath, routes } from '../../src/shared/routes.js';

test('a path is filled with ids and names', () => {
  assert.is(routePath('jobDetails', { id: 7 }), '/v2/jobs/7');
  assert.is(routePath('outputProgress', { id: '8' }), '/v2/outputs/8/progress');
  assert.is(routePath('createJob'), '/v2/jobs');
  assert.is(routePath('hostedFile', { token: 'abc', name: 'a.mp4' }), '/hosted/abc/a.mp4');
});

test('values are percent-encoded, so that none leaves its segment', () => {
  assert.is(routePath('upload', { name: 'a b/../ü?#%.mp4' }), '/v2/uploads/a%20b%2F..%2F%C3%BC%3F%23%25.mp4');
  assert.is(routePath('upload', { name: '$&$1' }), '/v2/uploads/%24%26%241');
});

test('a missing value throws', () => {
  assert.throws(() => routePath('jobDetails'), /jobDetails needs a value for id/);
  assert.throws(() => routePath('hostedFile', { token: 'x' }), /needs a value for name/);
});

test('no two routes share a method and a path', () => {
  const all = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
  assert.is(new Set(all).size, all.length);
});

test('every route has a description and starts with a slash', () => {
  for (const [name, { path, summary, section }] of Object.entries(routes)) {
    assert.match(path, /^(\/|(\/(:?[a-z\d.]+))+)$/, name);
    assert.match(summary, /^[A-Z].*[^.]$/, name);
    assert.match(section, /^(\d(\.\d+)?|addition)$/, name);
  }
});

test('worker keys open the routes of workers, and no other', () => {
  for (const [name, { key, path }] of Object.entries(routes))
    assert.is(key === 'worker', path.startsWith('/worker/'), name);
});

test('read-only keys read inputs, outputs and their progress, and nothing else', () => {
  const forReadOnly = Object.entries(routes).filter(([, { key }]) => key === 'read');
  assert.equal(
    forReadOnly.map(([name]) => name),
    [
      'inputDetails',
      'inputProgress',
      'outputDetails',
      'outputProgress',
      'inputProgressV1',
      'outputProgressV1',
      'outputProgressEarly',
    ],
  );
});

test.run();
