import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Cue, clipCues, cuesDuring } from '../../daemon/captions/cues.js';
import { parseTtml } from '../../daemon/captions/read-ttml.js';
import { parseWebvtt, webvttText } from '../../daemon/captions/webvtt.js';
import { ttmlText } from '../../daemon/captions/write-ttml.js';

const cues: readonly Cue[] = [
  { startMs: 0, endMs: 1500, spans: [{ text: 'One & <two>\nlines' }] },
  {
    startMs: 1200,
    endMs: 3_661_042,
    spans: [
      { text: 'plain ' },
      { text: 'italic', isItalic: true },
      { text: 'both', isItalic: true, isBold: true },
    ],
    settings: 'align:left',
  },
];

test('WebVTT and TTML that were written are read with the same times, texts and styles', () => {
  const plainCues = (all: readonly Cue[]) => all.map(({ raw: _, ...cue }) => cue);
  assert.equal(plainCues(parseWebvtt(webvttText({ cues, syntax: 'other' })).cues), cues);
  const { cues: read, language, warnings } = parseTtml(ttmlText(cues, 'de-AT'));
  const plain = (all: readonly Cue[]) =>
    all.map(({ startMs, endMs, spans }) => [startMs, endMs, spans.map(({ text }) => text).join('')]);
  assert.equal(plain(read), plain(cues));
  assert.equal([language, warnings], ['de-AT', []]);
});

test('a segment of WebVTT names the presentation time of its video', () => {
  assert.ok(
    webvttText({ cues: [], syntax: 'other' }, 126_000).startsWith(
      'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000\n\n',
    ),
  );
});

test('WebVTT may have notes, styles, identifiers, hours or none, and any line ends', () => {
  const text =
    '\uFEFFWEBVTT - title\r\n\r\nNOTE\r\nwords\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nid\r\n00:01.000 --> 00:02.500 position:10%\r\n<v Ann>Hi <c.red>there</c></v>&nbsp;&amp;\r\n\r\n01:00:00.000 --> 01:00:01.000\r\nend';
  assert.equal(parseWebvtt(text).cues, [
    {
      startMs: 1000,
      endMs: 2500,
      settings: 'position:10%',
      spans: [{ text: 'Hi there\u00A0&' }],
      raw: '<v Ann>Hi <c.red>there</c></v>&nbsp;&amp;',
    },
    { startMs: 3_600_000, endMs: 3_601_000, spans: [{ text: 'end' }], raw: 'end' },
  ]);
});

test('a caption of WebVTT ends at the times of the next one, also without an empty line', () => {
  const text = 'WEBVTT\n\n00:01.000 --> 00:02.000\none\n00:03.000 --> 00:04.000\ntwo\n';
  assert.equal(
    parseWebvtt(text).cues.map(({ startMs, raw }) => [startMs, raw]),
    [
      [1000, 'one'],
      [3000, 'two'],
    ],
  );
});

for (const [text, message] of [
  ['1\n00:01.000 --> 00:02.000\nx', /^line 1, column 1: .*WEBVTT/],
  ['WEBVTT\n\n00:01 --> 00:02\nx', /^line 3, column 1: /],
] as const) {
  test(`WebVTT that is not valid is named by its line: ${message}`, () => {
    assert.throws(() => parseWebvtt(text), message);
  });
}

const ttml = (body: string, attributes = '') =>
  `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="u" xmlns:ttp="v" xml:lang="en" ${attributes}><body>${body}</body></tt>`;

for (const [begin, attributes, ms] of [
  ['00:00:01.5', '', 1500],
  ['00:00:01:15', 'ttp:frameRate="30"', 1500],
  ['00:00:10:12', 'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 10_501],
  ['2.5s', '', 2500],
  ['1500ms', '', 1500],
  ['0.5m', '', 30_000],
  ['1h', '', 3_600_000],
  ['50f', 'ttp:frameRate="25"', 2000],
  ['10000000t', 'ttp:tickRate="10000000"', 1000],
] as const) {
  test(`the TTML time ${begin} is ${ms} ms`, () => {
    const { cues: read } = parseTtml(ttml(`<div><p begin="${begin}" dur="1s">x</p></div>`, attributes));
    assert.equal([read[0]?.startMs, read[0]?.endMs], [ms, ms + 1000]);
  });
}

test('TTML has line breaks, nested styles and collapsed spaces', () => {
  const body = `<div><p begin="1s" end="2s" tts:fontWeight="bold">
      one  <span tts:fontStyle="italic">two</span><br/>
      three
    </p></div>`;
  assert.equal(parseTtml(ttml(body)).cues[0]?.spans, [
    { text: 'one ', isBold: true },
    { text: 'two', isBold: true, isItalic: true },
    { text: '\n', isBold: true },
    { text: 'three', isBold: true },
  ]);
});

test('of several languages in TTML the requested one is read, otherwise the first', () => {
  const body =
    '<div xml:lang="en"><p begin="1s" end="2s">yes</p></div><div xml:lang="de"><p begin="1s" end="2s">ja</p></div>';
  const read = (language?: string) => {
    const found = parseTtml(ttml(body), language);
    return [found.language, found.cues.map(({ spans }) => spans[0]?.text).join()];
  };
  assert.equal(
    [read(), read('de'), read('fr')],
    [
      ['en', 'yes'],
      ['de', 'ja'],
      ['en', 'yes'],
    ],
  );
});

test('what TTML has and captions have not is left out with a warning', () => {
  const body = '<div><p begin="1s">endless</p><p begin="1s" end="2s"><set tts:color="red"/>x</p></div>';
  const { cues: read, warnings } = parseTtml(ttml(body));
  assert.is(read.length, 1);
  assert.equal(warnings, [
    'Captions without an end were left out.',
    'Animation in the captions was left out.',
  ]);
});

for (const [body, message] of [
  ['<div><p begin="1s" end="2x">x</p></div>', /^line 1, column \d+: "2x" is not a time/],
  ['<div><p begin="1s">x</div>', /^line 1, column \d+: the XML is not well-formed/],
] as const) {
  test(`TTML that is not valid is named by line and column: ${message}`, () => {
    assert.throws(() => parseTtml(ttml(body)), message);
  });
}

test('a clip shifts and shortens cues, and a cue across a boundary is in both segments', () => {
  const all: readonly Cue[] = [
    [0, 1000],
    [1500, 2500],
    [2400, 4000],
    [6000, 7000],
  ].map(([startMs = 0, endMs = 0]) => ({ startMs, endMs, spans: [{ text: String(startMs) }] }));
  const times = (some: readonly Cue[]) => some.map(({ startMs, endMs }) => [startMs, endMs]);
  assert.equal(times(clipCues(all, 2000, 3000)), [
    [0, 500],
    [400, 1000],
  ]);
  assert.equal(times(cuesDuring(all, 0, 2450)), [
    [0, 1000],
    [1500, 2500],
    [2400, 4000],
  ]);
  assert.equal(times(cuesDuring(all, 2450, 4000)), [
    [1500, 2500],
    [2400, 4000],
  ]);
});

test.run();
