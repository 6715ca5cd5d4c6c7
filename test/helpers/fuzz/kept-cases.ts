import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fields } from './generate-request.js';
import type { MediaKind } from './media-kinds.js';

/*
 * Cases that every run replays: requests and media that found a defect once, and headers that a decoder may believe.
 */

const input = 'http://127.0.0.1:9/in.mp4';

/** A request that is rejected, and the paths that its errors begin with, in order. */
export interface KeptRequest {
  readonly body: Fields;
  readonly fields: readonly string[];
}

/** Requests whose errors named fields that were not sent. */
export const keptRequests: readonly KeptRequest[] = [
  {
    body: { input, outputs: [{ min_size: '8192x8192', max_size: '16x8192' }] },
    fields: ['outputs[0].min_size'],
  },
  {
    body: { input, output: { device_profile: 'v1/mobile/legacy', type: 'segmented', packaging: 'cmaf' } },
    fields: ['outputs[0].device_profile'],
  },
  {
    body: { input, outputs: [{ device_profile: 'V1/MOBILE/LEGACY', format: 'aac' }] },
    fields: ['outputs[0].device_profile'],
  },
];

/** A number written into a file: at an offset from the first occurrence of a marker, in bytes of an order. */
interface HeaderEdit {
  readonly marker: string;
  readonly offset: number;
  readonly size: 1 | 2 | 4;
  readonly order: 'BE' | 'LE';
  readonly value: number;
}

/** A file of a kind with edits, and the request that uses it without its input. */
interface KeptMedia {
  readonly what: string;
  readonly kind: string;
  readonly edits: readonly HeaderEdit[];
  readonly output: Fields;
}

const edit = (
  marker: string,
  offset: number,
  value: number,
  size: 1 | 2 | 4 = 4,
  order: 'BE' | 'LE' = 'BE',
): HeaderEdit => ({
  marker,
  offset,
  size,
  order,
  value,
});

/** Files with headers that claim extreme sizes, lengths and times. */
const keptMedia: readonly KeptMedia[] = [
  { what: 'a frame that lasts 46 hours', kind: 'a.mp4', edits: [edit('stts', 16, 0x7fffffff)], output: {} },
  { what: 'a timescale of 1', kind: 'a.mp4', edits: [edit('mdhd', 16, 1)], output: {} },
  { what: 'a timescale of 0', kind: 'a.mp4', edits: [edit('mdhd', 16, 0)], output: {} },
  { what: 'four billion samples', kind: 'a.mp4', edits: [edit('stsz', 12, 0xffffffff)], output: {} },
  {
    what: 'samples of 2 GB',
    kind: 'a.mp4',
    edits: [edit('stsz', 8, 0x7fffffff)],
    output: { copy_video: true },
  },
  {
    what: 'a video of 32,767 pixels',
    kind: 'a.mp4',
    edits: [edit('avc1', 28, 0x7fff, 2), edit('avc1', 30, 0x7fff, 2)],
    output: {},
  },
  {
    what: 'an edit list without end',
    kind: 'a.mp4',
    edits: [edit('elst', 12, 0xffffffff), edit('elst', 16, 0)],
    output: { start_clip: 0.2 },
  },
  { what: 'a box without end', kind: 'a.mp4', edits: [edit('moov', -4, 0)], output: {} },
  {
    what: 'a GIF of 65,535 pixels',
    kind: 'r.gif',
    edits: [edit('GIF8', 6, 0xffff, 2, 'LE'), edit('GIF8', 8, 0xffff, 2, 'LE')],
    output: {},
  },
  {
    what: 'a GIF of 6,000 pixels',
    kind: 'r.gif',
    edits: [edit('GIF8', 6, 6000, 2, 'LE'), edit('GIF8', 8, 6000, 2, 'LE')],
    output: {},
  },
  {
    what: 'audio of 4 GHz',
    kind: 'n.wav',
    edits: [edit('fmt ', 12, 0xffffffff, 4, 'LE')],
    output: { skip_video: true, format: 'mp3' },
  },
  {
    what: 'audio of 1 Hz',
    kind: 'n.wav',
    edits: [edit('fmt ', 12, 1, 4, 'LE')],
    output: { skip_video: true, format: 'm4a' },
  },
  {
    what: '65,535 channels',
    kind: 'n.wav',
    edits: [edit('fmt ', 10, 0xffff, 2, 'LE')],
    output: { skip_video: true, format: 'm4a' },
  },
  {
    what: 'a Matroska timescale of 255',
    kind: 'c.mkv',
    edits: [edit('\x2a\xd7\xb1', 4, 0xffffff00)],
    output: {},
  },
  { what: 'a frame every nine seconds', kind: 't.y4m', edits: [edit('F5:1', 0, 0x46313a39)], output: {} },
];

/** A kept file, written to a folder, and the request that uses it. */
export interface KeptCase {
  readonly name: string;
  readonly request: Fields;
}

/** Writes the kept media of the kinds that could be made. */
export async function writeKeptMedia(
  kinds: readonly MediaKind[],
  folder: string,
): Promise<readonly KeptCase[]> {
  const cases: KeptCase[] = [];
  for (const [index, { what, kind: name, edits, output }] of keptMedia.entries()) {
    const kind = kinds.find((one) => one.name === name);
    if (kind === undefined) continue;
    const path = join(folder, `kept-${index}-${name}`);
    await writeFile(path, edited(kind.bytes, edits));
    cases.push({
      name: `${name} with ${what}`,
      request: { input: pathToFileURL(path).href, outputs: [{ speed: 5, ...output }] },
    });
  }
  return cases;
}

function edited(given: Buffer, edits: readonly HeaderEdit[]): Buffer {
  const bytes = Buffer.from(given);
  for (const { marker, offset, size, order, value } of edits) {
    const at = bytes.indexOf(Buffer.from(marker, 'latin1'));
    if (at === -1) throw new Error(`a kept file has no ${marker}`);
    if (order === 'BE') bytes.writeUIntBE(value, at + offset, size);
    else bytes.writeUIntLE(value, at + offset, size);
  }
  return bytes;
}
