import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plainText } from '../../daemon/captions/cues.js';
import { readCaptions, textToConvert } from '../../daemon/captions/read-captions.js';
import { parseTtml } from '../../daemon/captions/read-ttml.js';
import { subripText } from '../../daemon/captions/subrip.js';
import { assText } from '../../daemon/captions/substation.js';
import { samplesOf } from '../../daemon/captions/timed-text.js';
import { webvttText } from '../../daemon/captions/webvtt.js';
import { ttmlText } from '../../daemon/captions/write-ttml.js';

const times = '00:00:01,000 --> 00:00:02,000';
const events = '[Events]\nFormat: Start, End, Text\n';
const dialogue = 'Dialogue: 0:00:01.00,0:00:02.00,';

for (const [format, start, caption] of [
  ['srt', '', `${times}\nx\n`],
  ['webvtt', 'WEBVTT\n\n', '00:01.000 --> 00:02.000\nx\n\n'],
  ['ssa', events, `${dialogue}x\n`],
  ['sami', '', '<SYNC Start=1><P>x<SYNC Start=2><P>&nbsp;'],
  ['ttml', '<tt><body>', '<p end="1s">x</p>'],
] as const) {
  test(`${format} has at most 100,000 captions`, () => {
    const end = format === 'ttml' ? '</body></tt>' : '';
    const read = (count: number) => readCaptions(start + caption.repeat(count) + end, format);
    assert.is(read(100_000).cues.length, 100_000);
    assert.throws(
      () => read(100_001),
      (error: unknown) =>
        error instanceof RangeError &&
        error.message === 'it has more than 100,000 captions; remove some, or divide it into several files',
    );
  });
}

test('TTML that is nested too deep is rejected', () => {
  assert.throws(() => parseTtml('<tt>'.repeat(2000)), /^line 1, column \d+: .* nested more than 1000 deep$/);
});

for (const [line, column] of [
  ['00:00:03,000 - 00:00:04,000', 13],
  ['00:00:03,000 → 00:00:04,000', 13],
  ['00:00:03,000 -> 00:00:04,000', 13],
  ['00:00:03,000 00:00:04,000', 13],
  ['00:00:03,000', 13],
  ['00:00:03,000 --', 13],
  ['00:00:03', 9],
  ['00:00:03,000 -->', 17],
  ['00;00;03,000 --> 00:00:04,000', 1],
] as const) {
  test(`SubRip with the damaged times "${line}" is rejected`, () => {
    assert.throws(
      () => readCaptions(`1\n${times}\nx\n\n2\n${line}\ny\n`, 'srt'),
      (error: unknown) =>
        error instanceof RangeError && error.message.startsWith(`line 6, column ${column}: the `),
    );
  });
}

test('text of SubRip may have digits, dashes and arrows', () => {
  const lines = [
    '2:1 - 3:2',
    '10:30 - 11:00',
    '12:00:00 - noon',
    '- 3',
    '--> 5 apples',
    '1 --> 2',
    '2024',
    '12:00:00.033',
  ];
  const text = lines.map((line) => `1\n${times}\n${line}\nx\n\n`).join('');
  assert.equal(
    readCaptions(text, 'srt').cues.map(plainText),
    lines.map((line) => `${line}\nx`),
  );
});

const paragraph = (language: string) => `<div xml:lang="${language}"><p end="1s">${language}</p></div>`;
const ttml = (...languages: readonly string[]) =>
  `<tt><body>${languages.map(paragraph).join('')}</body></tt>`;
const sami = `<SAMI><STYLE>.A {lang: en-US;} .B {lang: de-DE;}</STYLE><SYNC Start=1><P Class=A>en-US<P Class=B>de-DE</SAMI>`;
const missing = (wanted: string, listed: string, used: string) => [
  `The caption file has no captions in the language ${wanted}, only in ${listed}: those in ${used} are used.`,
];

for (const [format, text, wanted, language, warnings] of [
  ['ttml', ttml('en', 'de', 'it'), 'fr', 'en', missing('fr', 'en, de and it', 'en')],
  ['ttml', ttml('en', 'de-AT', 'de'), 'de', 'de', []],
  ['ttml', ttml('en', 'de-AT'), 'deu', 'de-AT', []],
  ['ttml', ttml('en'), 'fr', 'en', []],
  ['ttml', ttml('en', 'de'), undefined, 'en', []],
  ['sami', sami, 'fr', 'en-US', missing('fr', 'en-US and de-DE', 'en-US')],
  ['sami', sami, 'ger', 'de-DE', []],
] as const) {
  test(`of ${format}, the captions in ${wanted ?? 'no given language'} are those in ${language}`, () => {
    const captions = readCaptions(text, format, wanted);
    assert.equal([captions.language, captions.warnings], [language, warnings]);
    assert.equal(captions.cues.map(plainText), [language]);
  });
}

test('a file of very many languages names ten of them', () => {
  const languages = Array.from({ length: 30 }, (_, index) => `x${index}`);
  const [warning = ''] = readCaptions(ttml(...languages), 'ttml', 'fr').warnings;
  assert.match(warning, 'only in x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and others: those in x0 are used.');
});

test('TTML is well-formed whatever characters the captions have', () => {
  const text = 'a\u001B\u000B\u0001\uFFFE\uD800b\uDC00\u{1F600}\té';
  const written = ttmlText([{ startMs: 0, endMs: 1000, spans: [{ text }] }], 'en\u0001');
  const { cues, language } = parseTtml(written);
  assert.equal([cues.map(plainText), language], [['ab\u{1F600} é'], 'en']);
});

test('entities of WebVTT become characters in other formats', () => {
  const text =
    'WEBVTT\n\n00:01.000 --> 00:02.000\nit&#39;s &#x27;x&#x27; &eacute;&amp;&rlm; &unknown; &constructor; &amp &#0;\n';
  const captions = readCaptions(text, 'webvtt');
  const [cue] = captions.cues;
  assert.is(cue && plainText(cue), "it's 'x' é&\u200F &unknown; &constructor; &amp &#0;");
  assert.match(webvttText(captions), 'it&#39;s');
  assert.match(subripText(captions), "it's 'x'");
});

test('drawings of ASS are not text, and stay in ASS', () => {
  const text = `[Script Info]\nScriptType: v4.00+\n\n${events}${dialogue}{\\p1}m 0 0 l 9 9{\\p0}\n${dialogue}{\\bord2\\pos(1,2)\\p2}m 0 0{\\p0}{\\i1}word{\\i0}\n`;
  const captions = readCaptions(text, 'ssa');
  assert.equal(captions.cues.map(plainText), ['', 'word']);
  assert.equal(captions.cues[1]?.spans, [{ text: 'word', isItalic: true }]);
  assert.match(assText(captions), '{\\p1}m 0 0 l 9 9{\\p0}');
  const only = '00:00:01.000 --> 00:00:02.000';
  assert.is(webvttText(captions), `WEBVTT\n\n${only}\n<i>word</i>\n`);
  assert.is(subripText(captions), `1\n${only.replaceAll('.', ',')}\n<i>word</i>\n`);
  assert.is(ttmlText(captions.cues, 'en').match(/<p /g)?.length, 1);
  assert.equal(samplesOf(captions.cues).map(plainText), ['', 'word']);
});

test('blanks around the lines of STL and MPL2 are left out', () => {
  assert.is(textToConvert('[10][20] one | /two\r\n', 'mpl2'), '[10][20] one|/two\n');
  assert.is(
    textToConvert('00:00:01:00 , 00:00:02:00 , one | two', 'stl'),
    '00:00:01:00 , 00:00:02:00 , one|two',
  );
});

test.run();
