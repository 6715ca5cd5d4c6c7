import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plainText } from '../../daemon/captions/cues.js';
import {
  type CaptionFormat,
  detectFormat,
  isConverted,
  readCaptions,
  validateConverted,
} from '../../daemon/captions/read-captions.js';
import { subripText } from '../../daemon/captions/subrip.js';
import { assText } from '../../daemon/captions/substation.js';
import { samplesOf } from '../../daemon/captions/timed-text.js';
import { webvttSegments } from '../../daemon/captions/webvtt.js';
import { decodeText } from '../../src/shared/text/decode-text.js';

const events = `[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text`;
const ass = `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Style: Big,Arial,40

${events}
Comment: 0,0:00:00.00,0:00:01.00,Big,,0,0,0,,not shown
Dialogue: 0,0:00:01.50,0:00:02.75,Big,,0,0,0,,{\\pos(1,2)}{\\i1}One{\\i0}, two\\Nthree
`;

/** Captions of each format with two lines from 1.5 to 2.75 seconds. */
const files: Readonly<Record<string, string>> = {
  srt: '1\n00:00:01,500 --> 00:00:02,750\n<i>One</i>, two\nthree\n',
  webvtt: 'WEBVTT\n\n00:01.500 --> 00:02.750\n<i>One</i>, two\nthree\n',
  ssa: ass,
  ttml: '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="x"><head><styling><style xml:id="s" tts:fontStyle="italic"/></styling></head><body><div><p begin="1.5s" end="2.75s"><span style="s">One</span>, two<br/>three</p></div></body></tt>',
  sami: '<SAMI><BODY><SYNC Start=1500><P Class=EN><i>One</i>, two<br>three<SYNC Start=2750><P Class=EN>&nbsp;</BODY></SAMI>',
};

for (const [format, text] of Object.entries(files)) {
  test(`${format} is recognised and read`, () => {
    const found = detectFormat(text);
    assert.is(found, format);
    if (found === null || isConverted(found)) throw new Error('not parsed');
    const { cues } = readCaptions(text, found);
    assert.is(cues.length, 1);
    assert.equal(
      cues.map((cue) => [cue.startMs, cue.endMs, plainText(cue), cue.spans[0]]),
      [[1500, 2750, 'One, two\nthree', { text: 'One', isItalic: true }]],
    );
  });
}

for (const [text, format] of [
  ['Scenarist_SCC V1.0\n\n00:00:01:00\t9420', 'scc'],
  ['[10][20]text', 'mpl2'],
  ['$FontName = Arial\n00:00:01:00 , 00:00:02:00 , text', 'stl'],
  ['hello', null],
  ['<html></html>', null],
] as const) {
  test(`the format of ${text.slice(0, 10).trim()} is ${format}`, () => assert.is(detectFormat(text), format));
}

const srtCue = (times: string, text = 'x') => `1\n${times}\n${text}\n`;
for (const [format, text, message] of [
  ['srt', srtCue('00:00:01,000 --> 00:00:0x,000'), 'line 2, column 17: the end of the caption is not a time'],
  ['srt', srtCue('00:0:z --> 00:00:02,000'), 'line 2, column 1: the start of the caption is not a time'],
  ['srt', 'just text', 'line 1, column 1: there are no captions'],
  [
    'ssa',
    `[Events]\nDialogue: 0,0:00:01.00`,
    'line 2, column 1: the line "Format:" must precede it and name Start, End and Text',
  ],
  ['ssa', `${events}\nDialogue: 0,0:00:01.00,later,,,0,0,0,,x`, 'line 3, column 24: "later" is not a time'],
  ['ssa', `${events}\nDialogue: 0,0:00:01.00,0:00:02.00,x`, 'line 3, column 36: the line has 4 of 10 fields'],
  ['sami', '<SAMI></SAMI>', 'line 1, column 1: there are no captions'],
  ['webvtt', 'WEBVTT\n\n', 'line 1, column 1: there are no captions'],
  ['webvtt', 'WEBVTT\n\n00:01.000 -> 00:02.000\nx\n', 'line 3, column 1: the line has a time, but no -->'],
] as const) {
  test(`${format} that is not valid is named by line and column: ${message}`, () => {
    assert.throws(
      () => readCaptions(text, format),
      (error: unknown) => error instanceof RangeError && error.message === message,
    );
  });
}

test('SCC is validated before ffmpeg reads it', () => {
  const text = (line: string) => `Scenarist_SCC V1.0\n\n${line}\n`;
  validateConverted(text('00:00:01;00\t9420 9420 c845'), 'scc');
  assert.throws(
    () => validateConverted(text('00:00:01;00\t9420 94xx'), 'scc'),
    /^line 3, column 18: the data/,
  );
  assert.throws(() => validateConverted(text('9420'), 'scc'), /^line 3, column 1: the line has no time code/);
});

test('SubRip has what players accept: points, no counters, empty lines and hours of one digit', () => {
  const text =
    '0:00:01.5 --> 0:00:02.5\r\none\r\n\r\nstill one\r\n\r\n0:00:03,000 --> 0:00:04,000 X1:1 X2:2\r\n{\\an8}<font color="red">two</font> <3\r\n\r\n7\r\n0:00:05,000 --> 0:00:06,000\r\n';
  const { cues } = readCaptions(text, 'srt');
  assert.equal(
    cues.map((cue) => [cue.startMs, cue.endMs, plainText(cue)]),
    [
      [1500, 2500, 'one\n\nstill one'],
      [3000, 4000, 'two <3'],
    ],
  );
});

test('times before the start are cut, and texts that are too long are shortened, with warnings', () => {
  const text = `${srtCue('-00:00:02,000 --> -00:00:01,000')}\n${srtCue('-00:00:01,000 --> 00:00:01,000')}\n${srtCue('00:00:02,000 --> 00:00:03,000', 'y'.repeat(3_000_000))}`;
  const { cues, warnings } = readCaptions(text, 'srt');
  assert.equal(
    cues.map((cue) => [cue.startMs, cue.endMs, plainText(cue).length]),
    [
      [0, 1000, 1],
      [2000, 3000, 4096],
    ],
  );
  assert.equal(warnings, [
    'Captions before the start of the video were cut.',
    'A caption was cut after 4096 characters.',
  ]);
});

test('captions that end before they start are left out with a warning', () => {
  const text = `${srtCue('00:00:02,000 --> 00:00:01,000')}\n${srtCue('00:00:03,000 --> 00:00:04,000', 'y')}`;
  const { cues, warnings } = readCaptions(text, 'srt');
  assert.equal(cues.map(plainText), ['y']);
  assert.equal(warnings, ['Captions that do not end after their start were left out.']);
});

test('SAMI has entities, and several languages of which one is read', () => {
  const text = `<SAMI><HEAD><STYLE TYPE="text/css"><!-- .ENUSCC {Name: English; lang: en-US;} .FRFRCC {lang: fr-FR;} --></STYLE></HEAD><BODY>
    <SYNC Start=1000><P Class=ENUSCC>Coffee &amp; tea<P Class=FRFRCC>Caf&eacute; &#233;t&#xe9;
    <SYNC Start=2000><P Class=ENUSCC>&nbsp;<P Class=FRFRCC>&nbsp;</BODY></SAMI>`;
  const read = (language?: string) => {
    const { cues, language: found } = readCaptions(text, 'sami', language);
    return [found, cues.map(plainText)];
  };
  assert.equal(
    [read(), read('fr')],
    [
      ['en-US', ['Coffee & tea']],
      ['fr-FR', ['Café été']],
    ],
  );
});

for (const [name, bytes, label] of [
  ['UTF-8', Buffer.from('1é€')],
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFF1é€')],
  ['UTF-16 with a byte order mark', Buffer.from('\uFEFF1é€', 'utf16le')],
  ['UTF-16 big-endian', Buffer.from('\uFEFF1é€', 'utf16le').swap16()],
  ['windows-1252', Buffer.from([0x31, 0xe9, 0x80])],
  ['a given encoding', Buffer.from([0x31, 0xe9, 0xa4]), 'iso-8859-15'],
] as const) {
  test(`text in ${name} is decoded`, () => assert.is(decodeText(bytes, label), '1é€'));
}

test('text in UTF-16 without a byte order mark is decoded', () => {
  assert.is(decodeText(Buffer.from('1\n00:00:01', 'utf16le')), '1\n00:00:01');
});

test('bytes that are not text are rejected', () => {
  assert.throws(() => decodeText(Buffer.from([0x31, 0, 0, 0x80, 0x81])), /not a text file/);
  assert.throws(() => decodeText(Buffer.from([0x31, 0xff]), 'utf-8'), /not text in the encoding utf-8/);
});

test('ASS keeps its styles when it is cut, and SubRip its tags', () => {
  const read = (text: string, format: Exclude<CaptionFormat, 'scc' | 'stl' | 'mpl2'>) => {
    const captions = readCaptions(text, format);
    const [cue] = captions.cues;
    return { ...captions, cues: cue === undefined ? [] : [{ ...cue, startMs: 0, endMs: 1250 }] };
  };
  assert.is(
    assText(read(ass, 'ssa')).split('\n').at(-2),
    'Dialogue: 0,0:00:00.00,0:00:01.25,Big,,0,0,0,,{\\pos(1,2)}{\\i1}One{\\i0}, two\\Nthree',
  );
  assert.ok(assText(read(ass, 'ssa')).includes('Style: Big,Arial,40'));
  const colour = '<font color="red">x</font>';
  assert.is(
    subripText(read(srtCue('00:00:01,000 --> 00:00:02,000', colour), 'srt')),
    `1\n00:00:00,000 --> 00:00:01,250\n${colour}\n`,
  );
});

test('samples of MP4 show captions that overlap below each other', () => {
  const cue = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, spans: [{ text }] });
  const samples = samplesOf([cue(100, 500, 'a'), cue(300, 700, 'b'), cue(900, 1000, 'c')]);
  assert.equal(
    samples.map((sample) => [sample.startMs, sample.endMs, plainText(sample)]),
    [
      [0, 100, ''],
      [100, 300, 'a'],
      [300, 500, 'a\nb'],
      [500, 700, 'b'],
      [700, 900, ''],
      [900, 1000, 'c'],
    ],
  );
});

test('a caption that crosses a boundary is in both segments of WebVTT', () => {
  const captions = readCaptions(
    'WEBVTT\n\n00:01.000 --> 00:03.000\none\n\n00:04.500 --> 00:05.000 line:0\ntwo\n',
    'webvtt',
  );
  const head = 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900,LOCAL:00:00:00.000\n\n';
  const one = '00:00:01.000 --> 00:00:03.000\none\n';
  assert.equal(webvttSegments(captions, { startsMs: [0, 2000, 4000, 6000], endMs: 8000, firstPts: 900 }), [
    head + one,
    head + one,
    `${head}00:00:04.500 --> 00:00:05.000 line:0\ntwo\n`,
    head,
  ]);
});

test('reading a file with very many or unfinished parts takes time in proportion to its size', () => {
  const repeat = (text: string) => text.repeat(Math.ceil(500_000 / text.length));
  for (const [format, text] of [
    ['sami', repeat('<sync start=1 <p ')],
    ['sami', repeat('<style>')],
    ['webvtt', `WEBVTT\n\n${repeat('x\n')}`],
    ['srt', `${repeat('<i ')}\n00:00:01,000 --> 00:00:02,000\n${repeat('<font {\\')}`],
    ['srt', repeat('00:00:01,000 --> 00:00:02,000\nx\n')],
    ['ttml', repeat('<tt>')],
  ] as const) {
    const before = performance.now();
    try {
      samplesOf(readCaptions(text, format).cues);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    assert.ok(performance.now() - before < 10_000, format);
  }
});

test('a text that is like the times of a caption stays a text in SubRip', () => {
  const text =
    '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">one<br/>00:00:05,000 --&gt; 00:00:06,000</p></div></body></tt>';
  const written = subripText(readCaptions(text, 'ttml'));
  assert.equal(readCaptions(written, 'srt').cues.length, 1);
});

test('a second line of formats in SubStation Alpha must have the same fields', () => {
  const events =
    '[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,x\n';
  assert.is(readCaptions(`${events}\n[Events]\nFormat: Start, End, Text\n`, 'ssa').cues.length, 1);
  assert.throws(
    () => readCaptions(`${events}Format: Layer, Start\n`, 'ssa'),
    /line 7, column 1: a second line "Format:"/,
  );
});

test('a caption of control characters has no text', () => {
  const two = `${srtCue('00:00:01,000 --> 00:00:02,000', '\u0000\u0001')}\n${srtCue('00:00:03,000 --> 00:00:04,000', 'x')}`;
  assert.is(readCaptions(two, 'srt').cues.length, 1);
});

test('control characters in a line of ASS do not move its times', () => {
  const dialogue = 'Dialogue: 0,0:00:00.10,0:00:00.90,Default';
  const damaged = ass.replace(/^Dialogue: .*$/m, `${dialogue.replace(' 0', '\u00010\u0002')},,0,0,0,,Hi`);
  const again = readCaptions(assText(readCaptions(damaged, 'ssa')), 'ssa');
  assert.equal([again.cues[0]?.startMs, again.cues[0]?.endMs], [100, 900]);
});

test.run();
