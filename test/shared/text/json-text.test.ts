import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonText } from '../../../src/shared/text/safe-text.js';

test('JSON steers no terminal, and is read as what it was made of', () => {
  const malicious = { label: 'a\u001b[2J\u007f\u0085\u009b31m\u200f\u202e\u2028\u061c 映画 🎬 "\\' };
  for (const indent of [0, 2]) {
    const text = jsonText(malicious, indent);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the ones to find.
    assert.not.match(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e]/);
    assert.equal(JSON.parse(text), malicious);
    assert.match(text, /映画 🎬/);
  }
});

test('JSON is laid out where that is asked for, and nothing is null', () => {
  assert.is(jsonText({ a: [1] }), '{"a":[1]}');
  assert.is(jsonText({ a: 1 }, 2), '{\n  "a": 1\n}');
  assert.is(jsonText(undefined), 'null');
});

test.run();
