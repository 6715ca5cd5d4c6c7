import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from './helpers/temp.js';

/** Runs the entry point as if on another Node version. */
function runAs(node: string, args: readonly string[] = ['--version']) {
  const pretence = join(tempFolder(), 'pretend.cjs');
  const versions = `{ value: { ...process.versions, node: '${node}' } }`;
  writeFileSync(pretence, `Object.defineProperty(process, 'versions', ${versions});`);
  return spawnSync(process.execPath, ['--require', pretence, 'bin/venc.js', ...args], {
    encoding: 'utf8',
  });
}

for (const node of ['12.22.12', '18.20.4', '20.9.0', '20.17.0', '20.18.0']) {
  test(`Node ${node} gets one sentence and exit code 2`, () => {
    const { status, stdout, stderr } = runAs(node);
    assert.is(stderr, `venc needs Node 20.18.1 or newer, this is ${node}.\n`);
    assert.equal([status, stdout], [2, '']);
  });
}

for (const node of ['20.18.1', '20.19.0', '22.0.0', '30.1.0']) {
  test(`Node ${node} is supported`, () => {
    const { status, stderr } = runAs(node);
    assert.equal([status, stderr], [0, '']);
  });
}

for (const node of ['20.20.2', '22.11.0']) {
  test(`a daemon with a database needs a newer Node than ${node}`, () => {
    const args = ['daemon', '--data', tempFolder(), '--database', 'postgres://venc@127.0.0.1:1/venc'];
    const { status, stdout, stderr } = runAs(node, args);
    assert.match(stderr, `A daemon with a database needs Node.js 22.12 or newer; this is ${node}.`);
    assert.equal([status, stdout], [2, '']);
  });
}

test('the image of the Dockerfile has a Node on which a daemon can use a database', () => {
  const images = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM node:(\d+)-/gm)].map(
    ([, major]) => Number(major) >= 24,
  );
  assert.equal(images, [true, true]);
});

test('the entry point requires the version in package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.is(engines.node, '>=20.18.1');
});

test.run();
