import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeUrlPart, fileNameInUrl, parseUrl, pathInUrl } from '../../../src/shared/text/url-text.js';

test('a URL with a host outside ASCII is parsed every time', () => {
  // URL.canParse of Node 20 fails after about 5000 calls.
  for (let count = 0; count < 20_000; count += 1)
    assert.is(parseUrl('http://b\u00fccher.example/a.mp4')?.hostname, 'xn--bcher-kva.example');
  assert.is(parseUrl('/b.mp4', 'http://host/a')?.href, 'http://host/b.mp4');
  assert.is(parseUrl('http://'), null);
});

test('a text that cannot be decoded is unchanged', () => {
  assert.equal(['a%20b', '100%', '%C3%BC', '%ff'].map(decodeUrlPart), ['a b', '100%', 'ü', '%ff']);
});

const cases: readonly (readonly [string, string, string])[] = [
  ['http://user:p@host:80/a/b.mp4?c=/d.mp4#e', '/a/b.mp4', 'b.mp4'],
  ['file:///srv/a%2Fb.mp4', '/srv/a%2Fb.mp4', 'a/b.mp4'],
  ['file:/srv/a.mp4', '/srv/a.mp4', 'a.mp4'],
  ['hosted://token/film%20%231.mp4', '/film%20%231.mp4', 'film #1.mp4'],
  ['ftp://host/folder/', '/folder/', 'folder'],
  ['ftp://host', '', ''],
];

for (const [url, path, name] of cases) {
  test(`the path in ${url} is "${path}" and ends in "${name}"`, () => {
    assert.equal([pathInUrl(url), fileNameInUrl(url)], [path, name]);
  });
}

test.run();
