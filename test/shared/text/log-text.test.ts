import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { logText } from '../../../src/shared/text/safe-text.js';

const entry = { time: '2026-01-02T03:04:05.678Z', level: 'error' } as const;

test('a stack trace is lines of its own, and no line of a message looks like another entry', () => {
  const message = `Error: no\n    at run (a.ts:1:2)\n${entry.time} info  forged\r\u001b[2K`;
  assert.equal(logText({ ...entry, message }).split('\n'), [
    `${entry.time} error Error: no`,
    '        at run (a.ts:1:2)',
    `    ${entry.time} info  forged\\x0d\\x1b[2K`,
  ]);
});

test.run();
