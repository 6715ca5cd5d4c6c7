import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseProcessorList } from '../../daemon/ffmpeg/containment/find-containment.js';
import {
  cpuSecondsFor,
  defaultMemoryBytes,
  parseHardLimits,
  prlimitOptions,
} from '../../daemon/ffmpeg/containment/program-limits.js';

const memoryCases: readonly (readonly [string, number, number, number, number])[] = [
  ['a small machine gives at least 1 GB', 1, 1e9, 1, 1e9],
  ['one encode may use half of the machine', 1, 4e9, 2, 2e9],
  ['concurrent encodes share that half', 2, 8e9, 4, 2e9],
  ['a share is at least 1 GB', 100, 8e9, 4, 1e9],
  ['a large machine gives 3 GB and 0.25 GB for each processor', 1, 512e9, 8, 5e9],
  ['a daemon that encodes nothing counts as one encode', 0, 4e9, 2, 2e9],
];

for (const [what, encodes, memoryBytes, processors, expected] of memoryCases) {
  test(`the default limit of memory: ${what}`, () => {
    assert.is(defaultMemoryBytes(encodes, { memoryBytes, processors }), expected);
  });
}

const [hour, day, factor] = [3600, 86_400, 2000];
const fullHd = 1920 * 1080;
const cpuCases: readonly (readonly [string, number, number | null, number, number])[] = [
  ['an hour, and the factor for each second in 1080p', factor, 10, fullHd, hour + 20_000],
  ['smaller frames count as 1080p', factor, 10, 64 * 48, hour + 20_000],
  ['larger frames count for more', factor, 10, 4 * fullHd, hour + 80_000],
  ['a day if the duration is unknown', factor, null, fullHd, day],
  ['a smaller factor makes the hour shorter, too', factor / 10, 10, fullHd, hour / 10 + 2000],
  ['a larger factor does not make the hour longer', factor * 2, 10, fullHd, hour + 40_000],
  ['at least a second', 0.0001, 0, fullHd, 1],
];

for (const [what, cpuFactor, seconds, pixels, expected] of cpuCases) {
  test(`the limit of processor time: ${what}`, () => {
    assert.is(cpuSecondsFor({ seconds, pixels }, cpuFactor), expected);
  });
}

test('the limit of processor time of a run without known work is a day', () => {
  assert.is(cpuSecondsFor(undefined, factor), day);
});

test('prlimit gets whole numbers, and time to end between SIGXCPU and SIGKILL', () => {
  const options = prlimitOptions({ memoryBytes: 1.5e9 + 0.4, fileSizeBytes: 7.6, cpuSeconds: 60 });
  assert.ok(options.includes('--data=1500000000'));
  assert.ok(options.includes('--fsize=8'));
  assert.ok(options.includes('--cpu=60:65'));
  assert.ok(options.includes('--core=0'));
});

test('a list of processors has ranges and single ones', () => {
  assert.equal(parseProcessorList('0-3,8'), [0, 1, 2, 3, 8]);
  assert.equal(parseProcessorList('5'), [5]);
  assert.equal(parseProcessorList(''), []);
  assert.equal(parseProcessorList('x'), []);
});

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
