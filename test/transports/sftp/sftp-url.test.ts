import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSftpUrl } from '../../../daemon/transports/sftp/sftp-transport.js';

const validUrls: readonly [url: string, path: string, folders: readonly string[], name: string][] = [
  ['sftp://user@host/a.mp4', '/a.mp4', [], 'host:22'],
  ['sftp://user:p%40ss@host:2222/a%20b/c/d.mp4', '/a b/c/d.mp4', ['/a b', '/a b/c'], 'host:2222'],
  ['sftp://user@host/~/a.mp4', 'a.mp4', [], 'host:22'],
  ['sftp://user@host/%7E/a/b.mp4', 'a/b.mp4', ['a'], 'host:22'],
  ['sftp://user@host//~/a.mp4', '/~/a.mp4', ['/~'], 'host:22'],
  ['sftp://user@host/a/~/b.mp4', '/a/~/b.mp4', ['/a', '/a/~'], 'host:22'],
  ['sftp://user@[::1]:22/a#1?.mp4', '/a#1?.mp4', [], '[::1]:22'],
];

for (const [url, path, folders, name] of validUrls) {
  test(`${url} is ${path} on ${name}`, () => {
    const location = parseSftpUrl(url);
    if (typeof location === 'string') throw new Error(location);
    assert.equal([location.path, location.folders, location.name], [path, folders, name]);
  });
}

const invalidUrls: readonly [url: string, message: RegExp][] = [
  ['sftp://host/a.mp4', /must name a user/],
  ['sftp://:password@host/a.mp4', /must name a user/],
  ['sftp://user@host/~', /file in the home folder/],
  ['sftp://user@host/', /must name a file/],
  ['sftp://user@/a.mp4', /must name a host/],
  ['sftp://user@host:99999/a.mp4', /port/],
  ['sftp://user@host/../a.mp4', /"\.\."/],
  ['sftp://user@host/a%0Ab.mp4', /line breaks/],
];

for (const [url, validationError] of invalidUrls) {
  test(`${url} is not the location of a file`, () => {
    assert.match(String(parseSftpUrl(url)), validationError);
  });
}

test.run();
