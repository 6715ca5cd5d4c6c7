import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createIo } from '../../../src/cli/terminal/io.js';

/** A terminal that reports this width. */
function terminal(columns: number): WriteStream {
  return Object.assign(new PassThrough(), { isTTY: true, columns }) as unknown as WriteStream;
}

test('a terminal that reports a width of 0 gets tables of 80 columns', () => {
  const widthAt = (columns: number) =>
    createIo(
      { stdin: process.stdin, stdout: terminal(columns), stderr: process.stderr, env: {} },
      true,
      (code) => process.exit(code),
    ).width;
  assert.equal([widthAt(0), widthAt(120)], [80, 120]);
});

const streams = { stdin: process.stdin, stdout: terminal(80), stderr: terminal(80) };
const ioOf = (env: Readonly<Record<string, string>>) =>
  createIo({ ...streams, env }, true, (code) => process.exit(code));

const terminals: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['a terminal with a type', { TERM: 'xterm' }, true],
  ['a terminal of type dumb', { TERM: 'dumb' }, false],
  ['a terminal without a type', {}, process.platform === 'win32'],
  ['a terminal whose type is empty', { TERM: '' }, process.platform === 'win32'],
  ['a terminal of a build machine', { TERM: 'xterm', CI: '1' }, false],
];
for (const [name, env, isCapable] of terminals) {
  test(`${name} gets ${isCapable ? 'colours and animation' : 'neither colours nor animation'}`, () => {
    const { colour, canDraw } = ioOf(env);
    assert.equal([colour.stdout, colour.stderr], [isCapable, isCapable]);
    assert.equal([canDraw.stdout, canDraw.stderr], [isCapable, isCapable]);
  });
}

const locales: readonly (readonly [Readonly<Record<string, string>>, boolean])[] = [
  [{}, true],
  [{ LANG: 'en_GB.UTF-8' }, true],
  [{ LANG: 'C.utf8' }, true],
  [{ LC_CTYPE: 'UTF-8' }, true],
  [{ LANG: 'C' }, false],
  [{ LANG: 'POSIX' }, false],
  [{ LANG: 'de_DE.ISO-8859-1' }, false],
  [{ LANG: 'en_GB.UTF-8', LC_CTYPE: 'C' }, false],
  [{ LANG: 'en_GB.UTF-8', LC_CTYPE: 'en_GB.UTF-8', LC_ALL: 'C' }, false],
  [{ LANG: 'C', LC_CTYPE: 'C', LC_ALL: 'en_GB.UTF-8' }, true],
  [{ LANG: 'C.UTF-8', LC_CTYPE: '', LC_ALL: '' }, true],
];
for (const [env, isUtf8] of locales) {
  test(`${JSON.stringify(env)} gets symbols in ${isUtf8 ? 'UTF-8' : 'ASCII'}`, () => {
    assert.is(ioOf(env).toTerminalSymbols('› █▌▏░ │├└─ · …'), isUtf8 ? '› █▌▏░ │├└─ · …' : '> ##-- ||`- - ~');
  });
}

test.run();
