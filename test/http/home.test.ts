import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { productVersion } from '../../src/shared/version.js';
import { daemonSuite } from '../helpers/daemon.js';

const test = daemonSuite('home page', { jobs: 0 });

test('the home page is HTML with the program and version, and needs no key', async ({ daemon }) => {
  for (const path of ['/', '', '/api', '/api/', '//']) {
    const response = await fetch(`${daemon.url}${path}`);
    assert.is(response.status, 200, path);
    assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const text = await response.text();
    assert.ok(text.startsWith('<!DOCTYPE html>\n<html lang="en">'));
    assert.ok(text.includes(`<title>venc ${productVersion}</title>`));
  }
});

test('a HEAD of the home page has its headers and no body', async ({ daemon }) => {
  const [whole, head] = [await fetch(daemon.url), await fetch(daemon.url, { method: 'HEAD' })];
  assert.is(head.headers.get('content-length'), String(Buffer.byteLength(await whole.text())));
  assert.is(await head.text(), '');
});

test('the home page runs and loads nothing, and its policy allows only its own style', async ({ daemon }) => {
  const response = await fetch(daemon.url);
  const text = await response.text();
  assert.not.match(text, /<script|<link|<img|<iframe|\son\w+=|style=|javascript:/i);
  const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map((match) => match[1] ?? '');
  assert.is(styles.length, 1);
  const policy = (response.headers.get('content-security-policy') ?? '').split('; ');
  const hash = createHash('sha256').update(styles.join('')).digest('base64');
  assert.ok(policy.includes("default-src 'none'"));
  assert.ok(policy.includes(`style-src 'sha256-${hash}'`));
});

test('every link of the home page works', async ({ daemon }) => {
  for (const base of [`${daemon.url}/`, `${daemon.url}/api/`]) {
    const text = await (await fetch(base)).text();
    const links = [...text.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? '');
    assert.equal(
      links.map((link) => new URL(link, base).pathname.replace('/api', '')),
      ['/ui/', '/openapi.json', '/health', '/version'],
    );
    for (const link of links) {
      const { status } = await fetch(new URL(link, base));
      // The page asks for a key.
      assert.is(status, link.endsWith('ui/') ? 401 : 200, `${base} ${link}`);
    }
  }
});

test('every element of the home page is closed', async ({ daemon }) => {
  const text = await (await fetch(daemon.url)).text();
  const open: string[] = [];
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z]\w*)/g)) {
    if (name === 'meta') continue;
    if (slash === '') open.push(name);
    else assert.is(open.pop(), name);
  }
  assert.equal(open, []);
});

test.run();
