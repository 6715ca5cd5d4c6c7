import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Io } from '../../../src/cli/terminal/io.js';
import {
  chosenMode,
  type ProgressChoice,
  type ProgressMode,
} from '../../../src/cli/terminal/progress-mode.js';

/** The configuration, the flag, whether there is a terminal, and the mode. */
const cases: readonly (readonly [
  ProgressChoice | null,
  ProgressChoice | undefined,
  boolean,
  ProgressMode,
])[] = [
  [null, undefined, true, 'tty'],
  [null, undefined, false, 'plain'],
  ['none', undefined, true, 'none'],
  ['none', 'plain', true, 'plain'],
  ['none', 'auto', true, 'tty'],
  ['json', undefined, false, 'json'],
  ['tty', undefined, true, 'tty'],
  ['tty', undefined, false, 'plain'],
];

for (const [configured, flag, exists, mode] of cases) {
  const where = exists ? 'a terminal' : 'a pipe';
  test(`--progress ${flag ?? 'left out'} with ${configured ?? 'nothing'} configured is ${mode} at ${where}`, async () => {
    const ends = { stdin: exists, stdout: exists, stderr: exists };
    // No other part of the io is used.
    const io = { isTerminal: ends, canDraw: ends } as unknown as Io;
    const config = async () => (configured === null ? {} : { progress: configured });
    assert.is(await chosenMode({ io, config }, flag, 'stderr'), mode);
  });
}

test('-q shows no progress, except where it is the answer, and -v draws nothing', async () => {
  const ends = { stdin: true, stdout: true, stderr: true };
  const modeOf = (flags: object, at: 'stdout' | 'stderr', choice?: ProgressChoice) => {
    // No other part of the io is used.
    const io = { isTerminal: ends, canDraw: ends, ...flags } as unknown as Io;
    return chosenMode({ io, config: async () => ({}) }, choice, at);
  };
  assert.is(await modeOf({ isQuiet: true }, 'stderr'), 'none');
  assert.is(await modeOf({ isQuiet: true }, 'stderr', 'plain'), 'none');
  assert.is(await modeOf({ isQuiet: true }, 'stdout'), 'tty');
  assert.is(await modeOf({ isVerbose: true }, 'stderr'), 'plain');
  assert.is(await modeOf({ isVerbose: true }, 'stderr', 'tty'), 'tty');
});

test('a watch command shows progress in any configuration', async () => {
  const ends = { stdin: false, stdout: false, stderr: false };
  // No other part of the io is used.
  const io = { isTerminal: ends, canDraw: ends } as unknown as Io;
  assert.is(
    await chosenMode({ io, config: async () => ({ progress: 'none' }) }, undefined, 'stdout'),
    'plain',
  );
});

test.run();
