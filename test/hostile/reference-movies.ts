/*
 * QuickTime files whose samples are in another file, as their data references say: the bytes of a film with its own samples, in which
 * each `dref` is replaced.
 */

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'dinf']);

/** The film with other data references. Its `moov` must come last, so that no sample moves. */
export function withDataReference(film: Buffer, reference: Buffer): Buffer {
  return Buffer.concat(replaceBoxes(film, (type) => (type === 'dref' ? dataReferences(reference) : null)));
}

function replaceBoxes(bytes: Buffer, replacementOf: (type: string) => Buffer | null): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + size);
    const replaced = replacementOf(type);
    if (replaced !== null) parts.push(replaced);
    else if (containers.has(type)) parts.push(box(type, Buffer.concat(replaceBoxes(content, replacementOf))));
    else parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function dataReferences(reference: Buffer): Buffer {
  return box('dref', Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), reference]));
}

/** A reference to a URL. */
export function urlReference(url: string): Buffer {
  return box('url ', Buffer.concat([Buffer.alloc(4), Buffer.from(`${url}\0`)]));
}

/** An alias record of the Macintosh: an absolute path, or with a level of 1 the name of a file in the folder of the film. */
export function aliasReference(path: string, level: -1 | 1 = -1): Buffer {
  const record = Buffer.alloc(150);
  const name = path.split('/').at(-1) ?? '';
  record.writeUInt16BE(150, 4);
  record.writeUInt16BE(2, 6);
  writeName(record, 10, 'Disk', 27);
  writeName(record, 50, name, 63);
  record.writeInt16BE(level, 130);
  record.writeInt16BE(level, 132);
  const texts = [
    [2, `Disk:${path.slice(1).replaceAll('/', ':')}`],
    [18, path],
    [19, '/'],
  ] as const;
  const tail = texts.map(([type, text]) => {
    const bytes = Buffer.from(text);
    const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    const head = Buffer.alloc(4);
    head.writeUInt16BE(type, 0);
    head.writeUInt16BE(bytes.length, 2);
    return Buffer.concat([head, padded]);
  });
  const end = Buffer.from([0xff, 0xff, 0, 0]);
  return box('alis', Buffer.concat([Buffer.alloc(4), record, ...tail, end]));
}

function writeName(record: Buffer, at: number, name: string, maxLength: number): void {
  const bytes = Buffer.from(name).subarray(0, maxLength);
  record.writeUInt8(bytes.length, at);
  bytes.copy(record, at + 1);
}

/** A QuickTime reference movie: a file that only names another one. */
export function referenceMovie(url: string): Buffer {
  const reference = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from('url '),
    lengthOf(url),
    Buffer.from(`${url}\0`),
  ]);
  const movie = box('moov', box('rmra', box('rmda', box('rdrf', reference))));
  return Buffer.concat([box('ftyp', Buffer.from('qt  \0\0\0\0qt  ')), movie]);
}

function lengthOf(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length + 1, 0);
  return length;
}
