import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Containment, findContainment } from '../../daemon/ffmpeg/containment/find-containment.js';
import { UsageMeter } from '../../daemon/ffmpeg/containment/usage-meter.js';
import { launch } from '../../daemon/ffmpeg/launch.js';

/** Starts a shell that prints the third field of the tail of its own stat (proc(5)): its process group. */
async function groupUnder(
  containment: Containment,
): Promise<{ readonly pid: number; readonly group: number }> {
  let [pid, output] = [0, ''];
  const ending = await launch('/bin/sh', ['-c', 'cat /proc/$$/stat'], {
    ...{ containment, meter: new UsageMeter(undefined), program: 'ffmpeg' },
    limits: { memoryBytes: 1e9, fileSizeBytes: 1e6, cpuSeconds: 60 },
    access: { folder: null, inputs: [] },
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
  const searchPath = process.env.PATH ?? '';
  const containment = await findContainment({ searchPath, sandbox: 'none', threads: null, isIoIdle: false });
  if (containment.setpriv.length === 0) return;
  const { pid, group } = await groupUnder(containment);
  assert.is(group, pid);
});

test.run();
