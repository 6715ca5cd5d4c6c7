import { LineReader } from '../../src/shared/util/line-reader.js';
import type { RunReport, TrackCounts } from './ffmpeg-types.js';
import { DamageDetector } from './input-damage.js';

/** The level that makes ffmpeg report what it read and wrote. Each message then begins with its own level, so that errors can be distinguished. */
export const reportLevel = 'level+verbose';

/** The class and address that a message begins with, which is absent from some, and its level. */
const levelPattern = /^((?:\[[^\]\s]+ @ 0x[0-9a-f]+\] )*)\[(panic|fatal|error|warning|info|verbose|debug)\] /;

const errorLevels: ReadonlySet<string> = new Set(['panic', 'fatal', 'error']);

/** What demuxers say at the end of a file that is not complete. The message about packets is a warning. */
const cutOffPattern =
  /: partial file$|File ended prematurely|^\[matroska,webm @ \S+\] Read error|corrupt input packet in stream \d|filesize and duration do not match/;

const inputPattern =
  /Input stream #(\d+):(\d+) \((?:video|audio)\): (\d+) packets read \(\d+ bytes\);(?: (\d+) frames decoded(?:; \d+ decode errors)?(?: \((\d+) samples\))?)?/;
const filePattern = /(Input|Output) file #(\d+) \((?:file:)?(.*)\):$/;
const outputPattern =
  /Output stream #(\d+):\d+ \((video|audio)\): (?:(\d+) frames encoded(?: \((\d+) samples\))?; )?(\d+) packets muxed/;
/** The source of a filter graph. It is made again if the format of the audio changes. */
const sampleRatePattern = /^\[graph_\d+_in_(\d+)[_:](\d+) @ \S+\] .*samplerate:(\d+)/;

/** Reads the messages of ffmpeg at `reportLevel`: passes errors on as they look without levels, and collects the report. */
export class RunReporter {
  readonly #damage = new DamageDetector();
  readonly #read = new Map<string, TrackCounts>();
  /** The paths of `Input 0`, `Output 0`, ... */
  readonly #files = new Map<string, string>();
  readonly #written = new Map<string, Map<'video' | 'audio', TrackCounts>>();
  readonly #maxRates = new Map<string, number>();
  readonly #lines: LineReader;
  #isCutOff = false;

  constructor(onError: (text: string) => void) {
    this.#lines = new LineReader((line) => {
      const match = levelPattern.exec(line);
      // What encoders and the C library print has no level.
      const level = match?.[2] ?? 'error';
      const text = match === null ? line : `${match[1] ?? ''}${line.slice(match[0].length)}`;
      if (cutOffPattern.test(text)) this.#isCutOff = true;
      if (level === 'verbose') this.#addCounts(text);
      // Lines of metadata after the first have no level either.
      if (!errorLevels.has(level) || /^\s+(?:: |Last message repeated)/.test(text)) return;
      this.#damage.add(`${text}\n`);
      onError(`${text}\n`);
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

  get report(): RunReport {
    return {
      isDamaged: this.#damage.isDamaged,
      hasErrors: this.#damage.hasErrors,
      isCutOff: this.#isCutOff,
      ...(this.#damage.hasShapeChange ? { hasShapeChange: true } : {}),
      read: this.#read,
      written: this.#written,
    };
  }

  #addCounts(text: string): void {
    const [, graphFile = '', graphStream = '', rate] = sampleRatePattern.exec(text) ?? [];
    if (rate !== undefined) {
      const stream = `${graphFile}:${graphStream}`;
      this.#maxRates.set(stream, Math.max(this.#maxRates.get(stream) ?? 0, Number(rate)));
    }
    const [, side, number, path] = filePattern.exec(text) ?? [];
    if (path !== undefined) this.#files.set(`${side} ${number}`, path);
    const [, inFile, inStream, inPackets, inFrames, inSamples] = inputPattern.exec(text) ?? [];
    const from = this.#files.get(`Input ${inFile}`);
    if (from !== undefined) {
      const maxSampleRate = this.#maxRates.get(`${inFile}:${inStream}`);
      this.#read.set(`${from}:${inStream}`, {
        ...countsOf(inPackets, inFrames, inSamples),
        ...(maxSampleRate === undefined ? {} : { maxSampleRate }),
      });
    }
    const [, outFile, kind, outFrames, outSamples, outPackets] = outputPattern.exec(text) ?? [];
    const to = this.#files.get(`Output ${outFile}`);
    if (to === undefined || (kind !== 'video' && kind !== 'audio')) return;
    const tracks = this.#written.get(to) ?? new Map<'video' | 'audio', TrackCounts>();
    tracks.set(kind, countsOf(outPackets, outFrames, outSamples));
    this.#written.set(to, tracks);
  }
}

function countsOf(packets = '0', frames?: string, samples?: string): TrackCounts {
  return {
    packets: Number(packets),
    frames: frames === undefined ? null : Number(frames),
    samples: samples === undefined ? null : Number(samples),
  };
}
