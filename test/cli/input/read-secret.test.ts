import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSecret } from '../../../src/cli/input/read-secret.js';
import { createIo } from '../../../src/cli/terminal/io.js';
import { isVencError } from '../../../src/shared/errors.js';

/** A user at a terminal who types a text, and the output of the terminal. */
function typing(text: string, isTerminal = true) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const modes: boolean[] = [];
  Object.assign(stdin, { isTTY: isTerminal, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  // A stream has every part of a terminal that reading a line needs.
  const streams = { stdin, stdout, stderr } as unknown as Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;
  const io = createIo({ ...streams, env: {} }, false, () => {
    throw new Error('the program was interrupted');
  });
  const secret = readSecret(io, 'Key: ');
  stdin.write(text);
  const shown = () => `${stdout.read() ?? ''}${stderr.read() ?? ''}`;
  return { stdin, secret, shown, modes };
}

test('typed characters are not displayed, and the terminal is restored', async () => {
  const { secret, shown, modes } = typing('kex\x7fy-of-mine\r');
  assert.is(await secret, 'key-of-mine');
  assert.is(shown(), 'Key: \n');
  assert.equal([modes[0], modes.at(-1)], [true, false]);
});

test('Ctrl-C at the prompt ends it, and the terminal is restored', async () => {
  const { secret, modes } = typing('half a k\x03');
  const error = await secret.catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'InterruptedError'));
  assert.is(modes.at(-1), false);
});

test('the first line of a pipe is read without surrounding blanks, and without a prompt', async () => {
  const { stdin, secret, shown } = typing('  key\r\nmore\n', false);
  stdin.end();
  assert.is(await secret, 'key');
  assert.is(shown(), '');
});

test.run();
