import { spawn } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findOnSearchPath } from '../../daemon/ffmpeg/candidates.js';
import { containmentCommand, findContainment } from '../../daemon/ffmpeg/containment/find-containment.js';
import { probeLimits } from '../../daemon/ffmpeg/containment/program-limits.js';
import { ioIdleWarnings, noIoIdle } from '../../daemon/ffmpeg/index.js';
import { lowerPriority } from '../../daemon/ffmpeg/run.js';
import { runInProcess } from '../cli/run-here.js';
import { tempFolder } from '../helpers/temp.js';

const searchPath = process.env.PATH ?? '';
const [ionice] = await findOnSearchPath('ionice', searchPath);

test('the niceness of a program is that of this process and what is added', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    lowerPriority(child.pid ?? 0, 3);
    assert.is(getPriority(child.pid), getPriority() + 3);
    lowerPriority(child.pid ?? 0, 19);
    assert.is(getPriority(child.pid), 19);
  } finally {
    child.kill();
  }
});

if (ionice !== undefined)
  test('with --io-idle a program has the idle class of the disk, and without it none of its own', async () => {
    for (const isIoIdle of [true, false]) {
      const found = await findContainment({ searchPath, sandbox: 'none', threads: null, isIoIdle });
      const limits = probeLimits(1e9);
      const [command = ionice, ...args] = [
        ...containmentCommand(found, { program: ionice, limits, access: { folder: null, inputs: [] } }),
        ionice,
      ];
      const child = spawn(command, args);
      const text = (await child.stdout.toArray()).join('');
      assert.is(/^idle/.test(text), isIoIdle, text);
    }
  });

test('a machine without ionice gets a warning', async () => {
  const found = await findContainment({
    ...{ searchPath: tempFolder(), sandbox: 'none', threads: null, isIoIdle: true },
  });
  assert.equal(found.ionice, []);
  assert.equal(ioIdleWarnings({ lacksIoIdle: true }), [noIoIdle]);
  assert.equal(ioIdleWarnings({ lacksIoIdle: false }), []);
});

test('the flags are checked', async () => {
  for (const command of ['run', 'daemon', 'worker']) {
    const { code, stderr } = await runInProcess([command, '--nice', '20']);
    assert.is(code, 2);
    assert.match(stderr, '--nice takes a whole number from 0 to 19, not "20"');
  }
  const { stdout } = await runInProcess(['run', '--help']);
  assert.match(stdout, /--nice <number>[\s\S]*--io-idle/);
});

test.run();
