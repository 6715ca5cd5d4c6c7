import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createIo } from '../../src/cli/io.js';

/** A terminal that says it is this wide. */
function terminal(columns: number): WriteStream {
  return Object.assign(new PassThrough(), { isTTY: true, columns }) as unknown as WriteStream;
}

test('a terminal that says it is 0 wide gets tables of 80 columns', () => {
  const widthAt = (columns: number) =>
    createIo(
      { stdin: process.stdin, stdout: terminal(columns), stderr: process.stderr, env: {} },
      true,
      (code) => process.exit(code),
    ).width;
  assert.equal([widthAt(0), widthAt(120)], [80, 120]);
});

test.run();
