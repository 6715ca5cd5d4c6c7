import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plainText } from '../../daemon/captions/cues.js';
import { readCaptions } from '../../daemon/captions/read-captions.js';

const document = (content: string) =>
  `<tt xmlns:tts="s" xmlns:ttm="m" xml:lang="en">${content.includes('<body') ? content : `<body>${content}</body>`}</tt>`;

for (const [name, content, expected] of [
  [
    'the times of p count from those of div and body',
    '<body begin="10s"><div begin="5s"><p begin="1s" end="3s">a</p><p begin="2s" dur="500ms">b</p></div></body>',
    [
      [16_000, 18_000, 'a'],
      [17_000, 17_500, 'b'],
    ],
  ],
  [
    'no caption is shown longer than its div or body',
    '<body end="4s"><div dur="3s"><p begin="1s" end="9s">a</p></div><div><p begin="2s" end="9s">b</p></div></body>',
    [
      [1000, 3000, 'a'],
      [2000, 4000, 'b'],
    ],
  ],
  [
    'a p without times has those of its div',
    '<div begin="1s" end="2s"><p>a</p></div><div begin="2s" dur="2s"><p>b</p></div>',
    [
      [1000, 2000, 'a'],
      [2000, 4000, 'b'],
    ],
  ],
  [
    'elements of a sequence follow each other',
    '<body timeContainer="seq"><div><p begin="1s" dur="2s">a</p></div><div timeContainer="seq"><p dur="1s">b</p><p begin="1s" end="3s">c</p></div></body>',
    [
      [1000, 3000, 'a'],
      [3000, 4000, 'b'],
      [5000, 7000, 'c'],
    ],
  ],
] as const) {
  test(`in TTML, ${name}`, () => {
    const { cues, warnings } = readCaptions(document(content), 'ttml');
    assert.equal(
      cues.map((cue) => [cue.startMs, cue.endMs, plainText(cue)]),
      expected,
    );
    assert.equal(warnings, []);
  });
}

test('a p of a sequence that does not end is left out with a warning, and so are times of spans', () => {
  const content =
    '<div timeContainer="seq" end="9s"><p>a</p><p dur="1s">b <span begin="500ms">c</span></p></div>';
  const { cues, warnings } = readCaptions(document(content), 'ttml');
  assert.equal(
    cues.map((cue) => [cue.startMs, cue.endMs, plainText(cue)]),
    [[0, 1000, 'b c']],
  );
  assert.equal(warnings, [
    'Captions without an end were left out.',
    'Times of parts of a caption were left out: its whole text is shown at once.',
  ]);
});

test('an invalid time of a div is named by line and column', () => {
  assert.throws(
    () => readCaptions(document('<div begin="soon"><p end="1s">a</p></div>'), 'ttml'),
    /^line 1, column \d+: "soon" is not a time$/,
  );
});

test('metadata in a p is not shown, and a style can be cancelled', () => {
  const content = `<p end="1s" tts:fontStyle="italic" tts:textDecoration="underline"><metadata><ttm:desc>no<br/>no</ttm:desc></metadata><ttm:title>no</ttm:title>a<span tts:fontStyle="normal">b</span><span tts:textDecoration="noUnderline">c</span></p>`;
  assert.equal(readCaptions(document(content), 'ttml').cues[0]?.spans, [
    { text: 'a', isItalic: true, isUnderlined: true },
    { text: 'b', isUnderlined: true },
    { text: 'c', isItalic: true },
  ]);
});

test('a p after an inner div is in the language of its own div', () => {
  const content =
    '<div><div xml:lang="de"><p end="1s">eins</p></div><p end="1s">one</p></div><div xml:lang="en"><p end="2s">two</p></div>';
  assert.equal(readCaptions(document(content), 'ttml', 'en').cues.map(plainText), ['one', 'two']);
});

test.run();
