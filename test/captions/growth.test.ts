/*
 * Reading captions takes time in proportion to their size. Each file below once took time with the square of its size: eight times the size
 * took 64 times as long. The sizes are such that this is seconds for the large file, and a linear reader needs milliseconds.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Cue, clipCues, cuesDuring, cuesOfSegments } from '../../daemon/captions/cues.js';
import { readCaptions } from '../../daemon/captions/read-captions.js';
import { timedTextFile } from '../../daemon/captions/timed-text.js';
import { webvttSegments } from '../../daemon/captions/webvtt.js';

const events = '[Events]\nFormat: Start, End, Text\n';
const dialogue = 'Dialogue: 0:00:01.00,0:00:02.00,';
const subrip = '00:00:01,000 --> 00:00:02,000';
const webvtt = 'WEBVTT\n\n00:01.000 --> 00:02.000';
const ttml = (content: string) =>
  `<tt><body><div><p begin="0s" end="1s" xml:space="preserve">${content}</p></div></body></tt>`;
const sami = (content: string) => `<SAMI><SYNC Start=1><P>${content}`;

/** The processor time of some work in milliseconds: the shorter of two. It does not count the time of other programs. */
function timeOf(work: () => unknown): number {
  const times = [1, 2].map(() => {
    const before = process.cpuUsage();
    try {
      work();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

/**
 * Asserts that eight times the size takes less than 24 times as long, in one of four attempts, because garbage collection varies. Times below
 * the floor are too short to compare.
 */
function assertLinear(workOf: (count: number) => () => unknown, count: number): void {
  const floorMs = 20;
  const attempts: string[] = [];
  while (attempts.length < 4) {
    const small = timeOf(workOf(count / 8));
    const large = timeOf(workOf(count));
    if (large < 24 * Math.max(small, floorMs)) return;
    attempts.push(`${small} ms became ${large} ms`);
  }
  assert.unreachable(attempts.join(', '));
}

for (const [name, format, count, textOf] of [
  ['a tag of WebVTT without an end', 'webvtt', 200_000, (n) => `${webvtt}\n<${'a'.repeat(n)}`],
  ['styles of WebVTT that do not end', 'webvtt', 80_000, (n) => `${webvtt}\n${'<i>a<b>'.repeat(n)}`],
  ['notes of WebVTT', 'webvtt', 200_000, (n) => `WEBVTT\n\n${'NOTE\n'.repeat(n)}`],
  ['spaces after the times of SubRip', 'srt', 80_000, (n) => `${subrip}${' '.repeat(n)}z\nx`],
  ['styles of SubRip that do not end', 'srt', 80_000, (n) => `${subrip}\n${'<i>a<b>'.repeat(n)}`],
  ['empty lines of SSA', 'ssa', 80_000, (n) => `[Script Info]\n${'\n'.repeat(n)}${events}${dialogue}x`],
  ['styles of SSA that do not end', 'ssa', 80_000, (n) => `${events}${dialogue}${'{\\i1}a{\\b1}'.repeat(n)}`],
  ['spaces in TTML', 'ttml', 80_000, (n) => ttml(`a${' '.repeat(n)}b`)],
  ['line breaks of TTML', 'ttml', 100_000, (n) => ttml(`${'<br/>'.repeat(n)}a`)],
  ['captions of SAMI at one time', 'sami', 60_000, (n) => sami('x<SYNC Start=1><P>'.repeat(n))],
  ['a tag of SAMI without an end', 'sami', 100_000, (n) => sami(`<${'a'.repeat(n)}`)],
  ['comments of SAMI without an end', 'sami', 80_000, (n) => sami('<!--'.repeat(n))],
  ['styles of SAMI that do not end', 'sami', 60_000, (n) => sami('<i>a<b>'.repeat(n))],
] as const satisfies readonly (readonly [string, string, number, (count: number) => string])[]) {
  test(`reading takes time in proportion to the size: ${name}`, () => {
    assertLinear((size) => {
      const text = textOf(size);
      return () => readCaptions(text, format);
    }, count);
  });
}

/** Captions that overlap, each at most two segments long. */
function manyCues(count: number): readonly Cue[] {
  return Array.from({ length: count }, (_, index) => ({
    startMs: index * 400,
    endMs: index * 400 + 500,
    spans: [{ text: 'x' }],
  }));
}

test('cutting into segments takes time in proportion to the captions and segments', () => {
  assertLinear((count) => {
    const captions = { syntax: 'other', cues: manyCues(count), language: null, warnings: [] } as const;
    const startsMs = Array.from({ length: count / 10 }, (_, index) => index * 4000);
    return () => webvttSegments(captions, { startsMs, endMs: count * 400, firstPts: 0 });
  }, 80_000);
});

test('the cues of segments are those that are shown during each one, also if neither is in order', () => {
  const times = [
    [0, 1000],
    [6000, 9000],
    [1500, 2500],
    [2000, 4000],
    [0, 20_000],
    [-500, 0],
    [3000, 3000],
  ] as const;
  const cues = times.map(([startMs, endMs]): Cue => ({ startMs, endMs, spans: [{ text: 'x' }] }));
  const startsMs = [0, 2000, 2000, 4000, 6000];
  assert.equal(
    cuesOfSegments(cues, startsMs, 8000),
    startsMs.map((startMs, index) => cuesDuring(cues, startMs, startsMs[index + 1] ?? 8000)),
  );
});

test('captions and styles that would fill very many segments are rejected', () => {
  const startsMs = Array.from({ length: 10_000 }, (_, index) => index * 1000);
  const cues = manyCues(1000).map((cue) => ({ ...cue, startMs: 0, endMs: 10_000_000 }));
  assert.throws(
    () => cuesOfSegments(cues, startsMs, 10_000_000),
    /^The captions are shown in too many segments/,
  );
  const header = `STYLE\n${'x'.repeat(100_000)}`;
  const captions = { syntax: 'webvtt', header, cues: [], language: null, warnings: [] } as const;
  assert.throws(
    () => webvttSegments(captions, { startsMs, endMs: 10_000_000, firstPts: 0 }),
    /^The captions have more than 100 million characters in all segments/,
  );
});

test('100,000 captions are cut and written as timed text of MP4', () => {
  const cues = manyCues(100_000).map((cue) => ({ ...cue, endMs: cue.startMs + 300 }));
  assert.is(clipCues(cues, 0, 50_000_000).length, cues.length);
  assert.ok(timedTextFile(cues).length > 200_000 * 8);
});

test.run();
