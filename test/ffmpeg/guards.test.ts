import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { guardInputs } from '../../daemon/ffmpeg/run.js';
import { safeInputArgs, safeInputOptions } from '../../daemon/plan/safe-input.js';

test('an input without guards gets them all, directly before it', () => {
  assert.equal(guardInputs(['-ss', '3', '-i', 'in', 'out']), [
    '-ss',
    '3',
    ...safeInputOptions,
    '-i',
    'in',
    'out',
  ]);
});

test('every input is guarded separately', () => {
  const args = guardInputs([...safeInputArgs('one'), '-i', 'two', 'out']);
  assert.equal(args, [...safeInputArgs('one'), ...safeInputOptions, '-i', 'two', 'out']);
});

test('guards that the plan sets are not changed', () => {
  const args = ['-nostdin', ...safeInputArgs('in'), '-map', '0', 'out'];
  assert.equal(guardInputs(args), args);
});

test('an input of a fixed format gets every guard but the format list', () => {
  const args = guardInputs(['-f', 'lavfi', '-i', 'testsrc2', 'out']);
  assert.not(args.includes('-format_whitelist'));
  assert.ok(args.includes('-protocol_whitelist'));
  assert.ok(args.includes('-max_pixels'));
});

test.run();
