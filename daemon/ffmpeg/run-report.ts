import { LineReader } from '../../src/shared/util/line-reader.js';
import { shapeMark } from '../plan/write/shapes.js';
import type { RunReport, TrackCounts } from './ffmpeg-types.js';

/**
 * The level that makes ffmpeg report what it read and wrote. Each message then begins with its own level, so that
 * errors can be distinguished.
 */
export const reportLevel = 'level+verbose';

/** The class and address that a message begins with, which is absent from some, and its level. */
const levelPattern = /^((?:\[[^\]]+ @ 0x[0-9a-f]+\] )*)\[(panic|fatal|error|warning|info|verbose|debug)\] /;

const errorLevels: ReadonlySet<string> = new Set(['panic', 'fatal', 'error']);
const infoLevels: ReadonlySet<string> = new Set([...errorLevels, 'warning', 'info']);

/** What demuxers say at the end of a file that is not complete. The message about packets is a warning. */
const cutOffPattern =
  /: partial file$|File ended prematurely|^\[matroska,webm @ \S+\] Read error|corrupt input packet in stream \d|filesize and duration do not match/;

const inputPattern =
  /Input stream #(\d+):(\d+) \((?:video|audio)\): (\d+) packets read \(\d+ bytes\);(?: (\d+) frames decoded(?:; \d+ decode errors)?(?: \((\d+) samples\))?)?/;
const filePattern = /(Input|Output) file #(\d+) \((?:file:)?(.*)\):$/;
const outputPattern =
  /Output stream #((\d+):\d+) \((video|audio)\): (?:(\d+) frames encoded(?: \((\d+) samples\))?; )?(\d+) packets muxed/;
/** The source of a filter graph. It is made again if the format of the audio changes. */
const sampleRatePattern = /^\[graph_\d+_in_(\d+)[_:](\d+) @ \S+\] .*samplerate:(\d+)/;

/** The same for video, which has no such option if its frames cannot be fitted. */
const sizePattern = /^\[(graph \d+ input from stream \d+:\d+) @ \S+\] w:(\d+ h:\d+) /;

/** What ffmpeg prints of a track before it starts: `Stream #0:1(eng): Audio: flac, 48000 Hz, mono, s32`. */
const trackPattern = /^\s+Stream #(\d+:\d+)\S*: (Video|Audio): (.*)$/;
/** A track for which the program has no decoder. Newer versions name only the codec. */
const noDecoderPattern =
  /(?:Decoder \(codec \S+\) not found for input stream|No decoder for stream) #(\d+:\d+)|but no decoder found for: (\S+)/;
/** The end of a run that waited for the first frame of a track. It prints no counts. */
const noFramePattern = /Cannot determine format of input (?:stream )?(\d+:\d+) after EOF/;

/**
 * Reads the messages of ffmpeg at `reportLevel`: passes errors on as they look without levels, or also all others up to
 * `info`, and collects the report.
 */
export class RunReporter {
  readonly #errors = new DamageDetector();
  /** Without what decoders say while the input is opened. */
  readonly #damage = new DamageDetector();
  readonly #read = new Map<string, TrackCounts>();
  /** The paths of `Input 0`, `Output 0`, ... */
  readonly #files = new Map<string, string>();
  readonly #written = new Map<string, { video?: TrackCounts; audio: TrackCounts[] }>();
  /** The streams of outputs that were counted, by `0:1`. */
  readonly #counted = new Set<string>();
  readonly #maxRates = new Map<string, number>();
  readonly #lines: LineReader;
  #isCutOff = false;
  /** Whether the first input is open. */
  #isOpen = false;
  /** The sizes that filter graphs were made for, by their source. */
  readonly #sizes = new Map<string, string>();
  #isDistorted = false;
  /** The inputs, by `0:1`. Outputs are printed after them, with the same numbers. */
  readonly #tracks = new Map<string, string>();
  #withoutDecoder: string | null = null;
  #withoutFrame: string | null = null;
  #withoutPacket: string | null = null;
  #hasPackets = false;

  constructor(onError: (text: string) => void, passed: 'error' | 'info' = 'error') {
    const passedLevels = passed === 'info' ? infoLevels : errorLevels;
    this.#lines = new LineReader((line) => {
      const match = levelPattern.exec(line);
      // What encoders and the C library print has no level.
      const level = match?.[2] ?? 'error';
      const text = match === null ? line : `${match[1] ?? ''}${line.slice(match[0].length)}`;
      if (cutOffPattern.test(text)) this.#isCutOff = true;
      if (level === 'verbose') this.#addCounts(text);
      if (text.startsWith('Input #0, ')) this.#isOpen = true;
      this.#addTrack(text);
      // Lines of metadata after the first have no level either.
      if (!infoLevels.has(level) || /^\s+(?:: |Last message repeated)/.test(text)) return;
      this.#errors.add(`${text}\n`);
      if (this.#isOpen || openingDamagePattern.test(text)) this.#damage.add(`${text}\n`);
      if (passedLevels.has(level)) onError(`${text}\n`);
    });
  }

  /** Reads a chunk of the messages. */
  add(chunk: string): void {
    this.#lines.add(chunk);
  }

  /** Reads the last line, if it has no end. */
  end(): void {
    this.#lines.add('\n');
  }

  /**
   * The first track that was to be decoded and of which no frame was, in words: `audio (flac, 48000 Hz, mono, s32)`.
   * Null if there is none. A track without packets counts only if nothing was read at all, and one whose decoder
   * reported no error may have been too short.
   */
  get undecodedTrack(): string | null {
    const rejected = this.#errors.hasErrors ? this.#withoutFrame : null;
    return this.#withoutDecoder ?? rejected ?? (this.#hasPackets ? null : this.#withoutPacket);
  }

  get report(): RunReport {
    return {
      isDamaged: this.#damage.isDamaged,
      hasErrors: this.#errors.hasErrors,
      isCutOff: this.#isCutOff,
      ...(this.#shapeChange === undefined ? {} : { shapeChange: this.#shapeChange }),
      read: this.#read,
      written: this.#written,
    };
  }

  get #shapeChange(): RunReport['shapeChange'] {
    return this.#errors.hasShapeChange ? 'fitted' : this.#isDistorted ? 'distorted' : undefined;
  }

  #addTrack(text: string): void {
    const [, number, kind, form] = trackPattern.exec(text) ?? [];
    if (number !== undefined && kind !== undefined && form !== undefined && !this.#tracks.has(number))
      this.#tracks.set(number, `${kind.toLowerCase()} (${shortForm(form)})`);
    const [, frameless = ''] = noFramePattern.exec(text) ?? [];
    this.#withoutFrame ??= this.#tracks.get(frameless) ?? null;
    const [missing, missingNumber = '', codec] = noDecoderPattern.exec(text) ?? [];
    if (missing !== undefined)
      this.#withoutDecoder ??= this.#tracks.get(missingNumber) ?? `codec ${codec ?? 'of the input'}`;
  }

  #addCounts(text: string): void {
    const [, graphFile = '', graphStream = '', rate] = sampleRatePattern.exec(text) ?? [];
    if (rate !== undefined) {
      const stream = `${graphFile}:${graphStream}`;
      this.#maxRates.set(stream, Math.max(this.#maxRates.get(stream) ?? 0, Number(rate)));
    }
    const [, source = '', size = ''] = sizePattern.exec(text) ?? [];
    if (size !== (this.#sizes.get(source) ?? size)) this.#isDistorted = true;
    this.#sizes.set(source, size);
    const [, side, number, path] = filePattern.exec(text) ?? [];
    if (path !== undefined) this.#files.set(`${side} ${number}`, path);
    const [, inFile, inStream, inPackets, inFrames, inSamples] = inputPattern.exec(text) ?? [];
    if (inPackets !== undefined && inPackets !== '0') this.#hasPackets = true;
    const track = this.#tracks.get(`${inFile}:${inStream}`);
    if (inFrames === '0' && track !== undefined) {
      if (inPackets === '0') this.#withoutPacket ??= track;
      else this.#withoutFrame ??= track;
    }
    const from = this.#files.get(`Input ${inFile}`);
    if (from !== undefined) {
      const maxSampleRate = this.#maxRates.get(`${inFile}:${inStream}`);
      this.#read.set(`${from}:${inStream}`, {
        ...countsOf(inPackets, inFrames, inSamples),
        ...(maxSampleRate === undefined ? {} : { maxSampleRate }),
      });
    }
    const [, outStream = '', outFile, kind, outFrames, outSamples, outPackets] =
      outputPattern.exec(text) ?? [];
    const to = this.#files.get(`Output ${outFile}`);
    if (to === undefined || this.#counted.has(outStream)) return;
    this.#counted.add(outStream);
    const tracks = this.#written.get(to) ?? { audio: [] };
    const counts = countsOf(outPackets, outFrames, outSamples);
    // Cover images follow the video.
    if (kind === 'video') tracks.video ??= counts;
    else tracks.audio.push(counts);
    this.#written.set(to, tracks);
  }
}

/** The codec and what its decoder needs to support, of what ffmpeg prints of a track. */
function shortForm(form: string): string {
  return form
    .replace(/ \([^()]* \/ 0x[0-9A-F]+\)|, \d+ reference frames?/gi, '')
    .replace(/ \[(?:SAR|PAR).*|, \d+ [kM]?b\/s.*|, [\d.]+k? (?:fps|tbr).*|, delay .*| \(default\).*/, '')
    .slice(0, 120);
}

function countsOf(packets = '0', frames?: string, samples?: string): TrackCounts {
  return {
    packets: Number(packets),
    frames: frames === undefined ? null : Number(frames),
    samples: samples === undefined ? null : Number(samples),
  };
}

/** The messages of demuxers that count as damage. */
const demuxerMessages = [
  ...['exceeds containing master element', "an EBML number's first byte", 'first byte of an EBML number'],
  ...['Invalid EBML number size tag', 'Packet mismatch -?\\d', 'packet_replic_size -?\\d+ is invalid'],
  ...['packet_obj_size -?\\d+ invalid', 'ff asf skip 0 ', 'edit unit sync lost on stream \\d'],
] as const;

/**
 * Damage that counts while ffmpeg opens a file: decoders then try unused tracks too, and print errors of the others
 * again.
 */
const openingDamagePattern = new RegExp(demuxerMessages.join('|'));

/**
 * Messages of decoders and demuxers about data that cannot be what an encoder wrote. A recording that begins between
 * two keyframes, or a clip of one, causes others, such as `non-existing PPS 0 referenced`, `no frame!` and `Could not
 * find ref with POC`.
 */
const damagePattern = new RegExp(
  [
    ...demuxerMessages,
    ...['error while decoding MB \\d', 'Error at MB: \\d', 'ac-tex damaged at \\d', 'ac tex damaged \\d'],
    ...['Error splitting the input into NAL units', 'invalid frame header', 'overread \\d'],
    ...['Error parsing OBU data', 'Corrupt frame detected', 'Failed to decode tile data'],
    ...['error decoding the audio block', 'CRC mismatch!'],
  ].join('|'),
);

/** What ffmpeg says about each packet that a decoder rejected: versions before 6, and newer ones. */
const rejectionPattern =
  /^Error while decoding stream #|Error submitting (?:a )?packet to (?:the )?decoder|Decoding error:/;

/** The decoder of MPEG audio looks for the next frame: also at a tag, and where a clip begins. */
const resyncPattern = /Header missing$/;

/**
 * That many rejected packets mean damage, if no other message does. The decoder of AAC rejected the last packet of a
 * file that was cut off, and that of MPEG audio up to 14 in undamaged program streams, each with a message that it
 * looks for the next frame.
 */
const minRejections = 5;

/** What `shapeFilters` report. Newer versions begin the line with the name of the part that prints it. */
const shapePattern = new RegExp(`^(?:\\[Eval[^\\]]*\\] )?${shapeMark}\\.0+$`);

/**
 * Finds out from the messages of ffmpeg, while it runs, whether its input is damaged, and whether the shape of its
 * frames changes.
 */
export class DamageDetector {
  #line = '';
  #rejections = 0;
  #hasDamage = false;
  #hasShapeChange = false;

  /** Reads a chunk of the messages. */
  add(chunk: string): void {
    const lines = `${this.#line}${chunk}`.split('\n');
    // A line without end does not grow without limit.
    this.#line = (lines.pop() ?? '').slice(-1000);
    for (const line of lines) this.#addLine(line.trimEnd());
  }

  get isDamaged(): boolean {
    return this.#hasDamage || this.#rejections >= minRejections;
  }

  get hasErrors(): boolean {
    return this.#hasDamage || this.#rejections > 0;
  }

  get hasShapeChange(): boolean {
    return this.#hasShapeChange;
  }

  #addLine(line: string): void {
    if (shapePattern.test(line)) this.#hasShapeChange = true;
    if (damagePattern.test(line)) this.#hasDamage = true;
    if (rejectionPattern.test(line)) this.#rejections += 1;
    if (resyncPattern.test(line)) this.#rejections -= 1;
  }
}
