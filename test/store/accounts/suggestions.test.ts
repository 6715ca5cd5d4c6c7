import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findSuggestions } from '../../../src/shared/text/suggestions.js';

const known = ['default', 'studio', 'studio-2', 'demo', 'Prague'];

/** The typed word, and the suggestions, best first. */
const cases: readonly (readonly [string, readonly string[]])[] = [
  ['stduio', ['studio']],
  ['studi', ['studio', 'studio-2']],
  ['studio2', ['studio', 'studio-2']],
  ['DEMO', ['demo']],
  ['prag', ['Prague']],
  ['deflaut', ['default']],
  ['x', []],
  ['', []],
  ['something else', []],
];

for (const [word, meant] of cases) {
  test(`"${word}" suggests ${meant.join(' and ') || 'nothing'}`, () => {
    assert.equal([...findSuggestions(word, known)].sort(), [...meant].sort());
  });
}

test('a part of a name between hyphens counts, and words of equal length with few common letters do not', () => {
  const flags = ['rotate', 'test', 'video-bitrate', 'audio-bitrate', 'target'];
  assert.equal(findSuggestions('bitrate', flags), ['video-bitrate', 'audio-bitrate']);
  assert.equal(findSuggestions('preset', flags), []);
  assert.equal(findSuggestions('get', flags), []);
});

test('suggestions are ordered by the number of edits, three at most', () => {
  const words = ['abcdzzz', 'abcdezz', 'abcdefz', 'abcdefgh', 'abcdefx'];
  assert.equal(findSuggestions('abcdefg', words), ['abcdefgh', 'abcdefz', 'abcdefx']);
});

test.run();
