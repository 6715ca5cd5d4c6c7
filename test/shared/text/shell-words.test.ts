import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shellLine } from '../../../src/shared/text/shell-words.js';

const words: readonly string[] = [
  ...[
    'plain',
    '-y',
    'file:/films/film.mp4',
    '',
    ' ',
    'a b',
    "it's",
    "'",
    "''",
    '"',
    '\\',
    "\\'",
    '$HOME',
    '`id`',
    '$(id)',
  ],
  ...[
    '*',
    '?',
    '~',
    '~root',
    '#',
    '# no comment',
    '!',
    '!!',
    '&',
    ';',
    '|',
    '<',
    '>',
    '(',
    ')',
    '[0:0]',
    '{a,b}',
    'a=b',
    '=ls',
  ],
  ...[
    '%s',
    '\\n',
    '\t',
    '\n',
    'tail\n',
    '\n\nfront',
    'a\r',
    '\u001b[31mred',
    '\u0007',
    '\u007f',
    '\u0085',
    '\u009b2J',
  ],
  ...['gnal\u202e4pm', '\u2066', 'Füße', '映画', '🎞', "'\u001b'", '-'],
];
const printer = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';

for (const shell of ['sh', 'bash']) {
  test(`${shell} parses every word to its source text`, () => {
    const script = `exec '${process.execPath}' -e '${printer}' -- ${shellLine(words)}`;
    const { stdout, stderr, error } = spawnSync(shell, ['-c', script], { encoding: 'utf8' });
    // bash is not installed everywhere; sh is.
    if (shell !== 'sh' && error !== undefined) return;
    assert.is(stderr, '');
    assert.equal(JSON.parse(stdout), words);
  });
}

test('control characters are escaped, and plain words are not quoted', () => {
  const line = shellLine(words);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
  assert.not.match(line, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  assert.is(shellLine(['ffmpeg', '-i', 'file:/a/b-c_d.mp4', 'it is']), "ffmpeg -i file:/a/b-c_d.mp4 'it is'");
});

test.run();
