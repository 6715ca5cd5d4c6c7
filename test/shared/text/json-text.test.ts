import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonText } from '../../../src/shared/text/safe-text.js';

test('JSON output contains no control characters, and parses to its source value', () => {
  const malicious = { label: 'a\u001b[2J\u007f\u0085\u009b31m\u200f\u202e\u2028\u061c 映画 🎬 "\\' };
  for (const indent of [0, 2]) {
    const text = jsonText(malicious, indent);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
    assert.not.match(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e]/);
    assert.equal(JSON.parse(text), malicious);
    assert.match(text, /映画 🎬/);
  }
});

test('JSON is indented on request, and undefined is written as null', () => {
  assert.is(jsonText({ a: [1] }), '{"a":[1]}');
  assert.is(jsonText({ a: 1 }, 2), '{\n  "a": 1\n}');
  assert.is(jsonText(undefined), 'null');
});

test.run();
