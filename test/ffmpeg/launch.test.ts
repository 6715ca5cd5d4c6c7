import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findGuardian, launch } from '../../daemon/ffmpeg/launch.js';

/** Starts a shell that prints the third field of the tail of its own stat (proc(5)): its process group. */
async function groupUnder(
  guardian: readonly string[],
): Promise<{ readonly pid: number; readonly group: number }> {
  let [pid, said] = [0, ''];
  const ending = await launch('/bin/sh', ['-c', 'cat /proc/$$/stat'], {
    guardian,
    signal: new AbortController().signal,
    onStart: (id) => {
      pid = id;
    },
    onStdout: (text) => {
      said += text;
    },
  });
  assert.is(ending.exitCode, 0, ending.said);
  return { pid, group: Number(said.slice(said.lastIndexOf(')') + 2).split(' ')[2]) };
}

test('under a guardian a program stands alone in its group, where no Ctrl-C of a terminal reaches it', async () => {
  const guardian = await findGuardian(process.env.PATH ?? '');
  if (guardian.length === 0) return;
  const { pid, group } = await groupUnder(guardian);
  assert.is(group, pid);
});

test.run();
