import { type Cue, type CueSpan, cuesWithText } from './cues.js';

/*
 * 3GPP Timed Text (`tx3g`, which ffmpeg calls `mov_text`) in an MP4 file of its own, from which ffmpeg copies the
 * track. Rejected: the encoder of ffmpeg. Measured with 5.1, 7.0 and a build of 2018, it ends a caption where the next
 * one begins, loses `<` from SubRip (`a < b > c` becomes `a c`), and writes `\{` for `{` from WebVTT.
 */

/** A part of the time in which the same captions are shown. A track of MP4 has no overlapping samples. */
interface Sample {
  readonly startMs: number;
  readonly endMs: number;
  /** Empty if there are none. */
  readonly spans: readonly CueSpan[];
}

/** At most this many captions are shown at once; of more, the first ones are left out. */
const maxShown = 16;
/** The length of a text is a number of 16 bits. */
const maxTextBytes = 65_535;

/**
 * The samples of a track from time 0 on without gaps: cues that overlap are shown below each other. The cues are sorted
 * by time.
 */
export function samplesOf(all: readonly Cue[]): readonly Sample[] {
  const cues = cuesWithText(all);
  const times = [
    ...new Set(cues.flatMap(({ startMs, endMs }) => [Math.round(startMs), Math.round(endMs)])),
  ].toSorted((one, other) => one - other);
  const samples: Sample[] = [];
  let shown: readonly Cue[] = [];
  let next = 0;
  let at = 0;
  for (const time of times) {
    if (time > at) samples.push({ startMs: at, endMs: time, spans: joined(shown) });
    at = time;
    const added: Cue[] = [];
    for (let cue = cues[next]; cue !== undefined && Math.round(cue.startMs) <= time; cue = cues[next]) {
      added.push(cue);
      next += 1;
    }
    shown = [...shown, ...added].filter((cue) => Math.round(cue.endMs) > time).slice(-maxShown);
  }
  return samples;
}

function joined(cues: readonly Cue[]): readonly CueSpan[] {
  return cues.flatMap(({ spans }, index) => (index === 0 ? spans : [{ text: '\n' }, ...spans]));
}

/** The bytes of an MP4 file with one track of timed text. Times are in milliseconds. */
export function timedTextFile(cues: readonly Cue[]): Buffer {
  const samples = samplesOf(cues);
  const contents = samples.map(({ spans }) => sampleBytes(spans));
  const durations = samples.map(({ startMs, endMs }) => endMs - startMs);
  const duration = samples.at(-1)?.endMs ?? 0;
  const type = box('ftyp', 'isom', u32(512), 'isom', 'mp41');
  const movieOf = (offset: number) =>
    box('moov', movieHeader(duration), trackBox(duration, { durations, contents, offset }));
  // The size of the movie box does not depend on the offset in it.
  const movie = movieOf(type.length + movieOf(0).length + 8);
  return Buffer.concat([type, movie, box('mdat', Buffer.concat(contents))]);
}

function sampleBytes(spans: readonly CueSpan[]): Buffer {
  let left = maxTextBytes;
  let characters = 0;
  const texts: Buffer[] = [];
  const styles: Buffer[] = [];
  for (const { text, isBold, isItalic, isUnderlined } of spans) {
    const bytes = Buffer.from(text);
    if (bytes.length > left) break;
    left -= bytes.length;
    texts.push(bytes);
    const start = characters;
    characters += Array.from(text).length;
    const face = (isBold ? 1 : 0) | (isItalic ? 2 : 0) | (isUnderlined ? 4 : 0);
    if (face !== 0) styles.push(styleRecord(start, characters, face));
  }
  const text = Buffer.concat(texts);
  const style = styles.length === 0 ? [] : [box('styl', u16(styles.length), Buffer.concat(styles))];
  return Buffer.concat([u16(text.length), text, ...style]);
}

const white = 0xff_ff_ff_ff;
const fontSize = 18;

/** The style of a range of characters: font 1, its face, size and colour. */
function styleRecord(start: number, end: number, face: number): Buffer {
  return Buffer.concat([u16(start), u16(end), u16(1), Buffer.from([face, fontSize]), u32(white)]);
}

/** The number of ticks of a second in all boxes. */
const ticksPerSecond = 1000;
const identityMatrix = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].map(u32);

function movieHeader(duration: number): Buffer {
  const [rate, volume, nextTrack] = [u32(0x1_0000), u16(0x100), u32(2)];
  const reserved = Buffer.alloc(10);
  return box(
    'mvhd',
    ...[u32(0), u32(0), u32(0), u32(ticksPerSecond), u32(duration), rate, volume, reserved],
    ...[...identityMatrix, Buffer.alloc(24), nextTrack],
  );
}

interface TrackSamples {
  readonly durations: readonly number[];
  readonly contents: readonly Buffer[];
  /** Where the samples begin in the file. */
  readonly offset: number;
}

function trackBox(duration: number, { durations, contents, offset }: TrackSamples): Buffer {
  const isEnabled = 1;
  const [id, noLanguage] = [u32(1), u16(0x55c4)];
  const header = box(
    'tkhd',
    ...[u32(isEnabled), u32(0), u32(0), id, u32(0), u32(duration), Buffer.alloc(16)],
    ...[...identityMatrix, u32(0), u32(0)],
  );
  const mediaHeader = box(
    'mdhd',
    ...[u32(0), u32(0), u32(0), u32(ticksPerSecond), u32(duration), noLanguage, u16(0)],
  );
  const handler = box('hdlr', u32(0), u32(0), 'sbtl', Buffer.alloc(12), 'Subtitles\0');
  const ownData = box('dinf', box('dref', u32(0), u32(1), box('url ', u32(1))));
  const count = u32(contents.length);
  const table = box(
    'stbl',
    box('stsd', u32(0), u32(1), sampleEntry()),
    box('stts', u32(0), count, u32s(durations.flatMap((ticks) => [1, ticks]))),
    box('stsc', u32(0), u32(1), u32(1), count, u32(1)),
    box('stsz', u32(0), u32(0), count, u32s(contents.map(({ length }) => length))),
    box('stco', u32(0), u32(1), u32(offset)),
  );
  return box(
    'trak',
    header,
    box('mdia', mediaHeader, handler, box('minf', box('nmhd', u32(0)), ownData, table)),
  );
}

/** The default style: centred at the bottom, in a sans-serif font. */
function sampleEntry(): Buffer {
  const [reserved, dataReference] = [Buffer.alloc(6), u16(1)];
  const [displayFlags, justification, background, textBox] = [
    u32(0),
    Buffer.from([1, 0xff]),
    u32(0),
    Buffer.alloc(8),
  ];
  const fontName = 'Sans-Serif';
  const fonts = box('ftab', u16(1), u16(1), Buffer.from([fontName.length]), fontName);
  const style = styleRecord(0, 0, 0);
  return box(
    'tx3g',
    ...[reserved, dataReference, displayFlags, justification, background, textBox, style, fonts],
  );
}

function box(type: string, ...contents: readonly (Buffer | string)[]): Buffer {
  const bytes = contents.map((content) => (typeof content === 'string' ? Buffer.from(content) : content));
  const size = bytes.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(size), Buffer.from(type), ...bytes]);
}

function u32(value: number): Buffer {
  return u32s([value]);
}

/** A table may have more numbers than a function may have arguments. */
function u32s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
