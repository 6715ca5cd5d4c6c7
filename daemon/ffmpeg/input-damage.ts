import { shapeMark } from '../plan/write/shapes.js';

/** Those of demuxers of `damagePattern`. */
const demuxerMessages = [
  ...['exceeds containing master element', "an EBML number's first byte", 'first byte of an EBML number'],
  ...['Invalid EBML number size tag', 'Packet mismatch -?\\d', 'packet_replic_size -?\\d+ is invalid'],
  ...['packet_obj_size -?\\d+ invalid', 'ff asf skip 0 ', 'edit unit sync lost on stream \\d'],
] as const;

/** Damage that counts while ffmpeg opens a file: decoders then try unused tracks too, and print errors of the others again. */
export const openingDamagePattern = new RegExp(demuxerMessages.join('|'));

/**
 * Messages of decoders and demuxers about data that cannot be what an encoder wrote. A recording that begins between two keyframes, or a
 * clip of one, causes others, such as `non-existing PPS 0 referenced`, `no frame!` and `Could not find ref with POC`.
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
 * That many rejected packets mean damage, if no other message does. The decoder of AAC rejected the last packet of a file that was cut
 * off, and that of MPEG audio up to 14 in undamaged program streams, each with a message that it looks for the next frame.
 */
const minRejections = 5;

/** What `shapeFilters` report. Newer versions begin the line with the name of the part that prints it. */
const shapePattern = new RegExp(`^(?:\\[Eval[^\\]]*\\] )?${shapeMark}\\.0+$`);

/** Finds out from the messages of ffmpeg, while it runs, whether its input is damaged, and whether the shape of its frames changes. */
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
