import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wrapText } from '../../../src/cli/output/wrap-text.js';

const cases: readonly (readonly [string, string, string])[] = [
  [
    'a paragraph is wrapped again',
    'one two three\nfour five six seven',
    'one two three four five\nsix seven',
  ],
  ['paragraphs stay apart', 'one two\n\nthree four', 'one two\n\nthree four'],
  ['a text keeps its end', 'one two\n', 'one two\n'],
  ['an indented line that fits stays', '  one   two\n  three', '  one   two\n  three'],
  [
    'an example is never wrapped',
    '  venc run a.mov --width 640 --height 360',
    '  venc run a.mov --width 640 --height 360',
  ],
  [
    'a word that is too long is not split',
    'see https://example.com/a/long/address',
    'see\nhttps://example.com/a/long/address',
  ],
  [
    'the text of a term without space next to it is placed below',
    '  --stall-timeout <time>  give a transfer up after this time',
    '  --stall-timeout <time>\n      give a transfer up\n      after this time',
  ],
];

for (const [title, text, expected] of cases) {
  test(title, () => assert.is(wrapText(text, 24), expected));
}

test('the text of a term is wrapped next to it if there is space', () => {
  assert.is(
    wrapText('  --json   print the answer as one document', 40),
    '  --json   print the answer as one\n           document',
  );
});

test('text is not wrapped to columns that no word fits into', () => {
  assert.is(wrapText('one two three four five', 1), 'one two three four five');
});

test.run();
