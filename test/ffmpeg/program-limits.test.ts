import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseHardLimits, prlimitOptions } from '../../daemon/ffmpeg/containment/program-limits.js';

const limits = { memoryBytes: 3.5e9, fileSizeBytes: 5e11, cpuSeconds: 7200 };

/** The text of `/proc/self/limits` of a process with hard limits of its files' size and of its processor time. */
const procText = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            7203                 seconds
Max file size             1024000000           2048000000           bytes
Max data size             unlimited            unlimited            bytes
Max stack size            8388608              unlimited            bytes
Max open files            1024                 1048576              files
`;

test('without hard limits, the limits are those of the run', () => {
  assert.equal(prlimitOptions(limits), [
    '--data=3500000000',
    '--stack=8388608',
    '--fsize=500000000000',
    '--cpu=7200:7205',
    '--nofile=512',
    '--core=0',
  ]);
});

test('no limit is above the hard limit of the daemon, which only root may exceed', () => {
  const hard = parseHardLimits(procText);
  assert.equal(hard, { cpu: 7203, fsize: 2_048_000_000, nofile: 1_048_576 });
  const options = prlimitOptions(limits, hard);
  assert.ok(options.includes('--fsize=2048000000'));
  assert.ok(options.includes('--cpu=7200:7203'));
  assert.ok(options.includes('--nofile=512'));
});

test.run();
