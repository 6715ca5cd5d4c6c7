import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findParentDeathWrapper, launch } from '../../daemon/ffmpeg/launch.js';

/** Starts a shell that prints the third field of the tail of its own stat (proc(5)): its process group. */
async function groupUnder(
  parentDeathWrapper: readonly string[],
): Promise<{ readonly pid: number; readonly group: number }> {
  let [pid, output] = [0, ''];
  const ending = await launch('/bin/sh', ['-c', 'cat /proc/$$/stat'], {
    parentDeathWrapper,
    signal: new AbortController().signal,
    onStart: (id) => {
      pid = id;
    },
    onStdout: (text) => {
      output += text;
    },
  });
  assert.is(ending.exitCode, 0, ending.stderr);
  return { pid, group: Number(output.slice(output.lastIndexOf(')') + 2).split(' ')[2]) };
}

test('with the parent-death wrapper a program has its own process group, so that Ctrl-C in a terminal does not reach it', async () => {
  const parentDeathWrapper = await findParentDeathWrapper(process.env.PATH ?? '');
  if (parentDeathWrapper.length === 0) return;
  const { pid, group } = await groupUnder(parentDeathWrapper);
  assert.is(group, pid);
});

test.run();
