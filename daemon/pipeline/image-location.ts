import { crc32, inflateSync } from 'node:zlib';

/**
 * A JPEG or PNG image without the place where it was taken; null if it has none. EXIF data loses its GPS directory, and
 * XMP data the names of GPS properties and their values. Everything else is unchanged.
 */
export function withoutLocation(image: Buffer): Buffer | null {
  const copy = Buffer.from(image);
  if (copy.readUInt16BE(0) === 0xffd8) return removeFromJpeg(copy) ? copy : null;
  return withoutLocationInPng(copy);
}

const exifStart = Buffer.from('Exif\0\0', 'latin1');
const xmpStart = Buffer.from('http://ns.adobe.com/', 'latin1');

/** Removes the place from the segments of a JPEG; returns whether it had one. */
function removeFromJpeg(image: Buffer): boolean {
  let isFound = false;
  for (let at = 2; at + 4 <= image.length && image[at] === 0xff; ) {
    const kind = image[at + 1] ?? 0;
    // The image data begins.
    if (kind === 0xda || kind === 0xd9) break;
    const end = at + 2 + image.readUInt16BE(at + 2);
    const content = image.subarray(at + 4, end);
    if (kind === 0xe1 && startsWith(content, exifStart))
      isFound = removeFromExif(content.subarray(exifStart.length)) || isFound;
    else if (kind === 0xe1 && startsWith(content, xmpStart)) isFound = removeFromXmp(content) || isFound;
    at = end;
  }
  return isFound;
}

function startsWith(content: Buffer, start: Buffer): boolean {
  return content.subarray(0, start.length).equals(start);
}

const gpsTag = 0x8825;
/** The sizes in bytes of the types of EXIF, by their numbers. */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8] as const;

/** Removes the GPS directory from EXIF data, and the entry that names it; returns whether it had one. */
function removeFromExif(exif: Buffer): boolean {
  if (exif.length < 8) return false;
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const long = (at: number) => (isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  const entriesAt = (list: number) => {
    const count = list + 2 > exif.length ? 0 : short(list);
    const entries = Array.from({ length: count }, (_, index) => list + 2 + index * 12);
    return entries.filter((at) => at + 12 <= exif.length);
  };
  const list = long(4);
  const entries = entriesAt(list);
  const found = entries.find((at) => short(at) === gpsTag);
  if (found === undefined) return false;
  const directory = long(found + 8);
  for (const at of entriesAt(directory)) {
    const bytes = (typeBytes[short(at + 2)] ?? 1) * long(at + 4);
    // A longer value is elsewhere.
    if (bytes > 4)
      exif.fill(0, Math.min(long(at + 8), exif.length), Math.min(long(at + 8) + bytes, exif.length));
    exif.fill(0, at, at + 12);
  }
  const count = short(list) - 1;
  // The number of entries, and behind them where the next directory is.
  const end = Math.min(list + 2 + entries.length * 12 + 4, exif.length);
  exif.copyWithin(found, found + 12, end);
  exif.fill(0, end - 12, end);
  if (isLittle) exif.writeUInt16LE(count, list);
  else exif.writeUInt16BE(count, list);
  return true;
}

/** Overwrites GPS properties of XMP data with spaces, as attributes and as elements; returns whether it had some. */
function removeFromXmp(xmp: Buffer): boolean {
  const text = xmp.toString('latin1');
  const blank = (match: string) => ' '.repeat(match.length);
  const changed = text
    .replace(/\bexif:GPS\w+\s*=\s*(?:"[^"]*"|'[^']*')/g, blank)
    .replace(/<exif:GPS\w+[^<>]*>(?:[^<>]*<\/exif:GPS\w+\s*>)?/g, blank);
  xmp.write(changed, 'latin1');
  return changed !== text;
}

/** Removes the place from the chunks of a PNG: from EXIF data, and texts with it as a whole, as they may be compressed. */
function withoutLocationInPng(image: Buffer): Buffer | null {
  const parts: Buffer[] = [image.subarray(0, 8)];
  let isFound = false;
  let at = 8;
  while (at + 12 <= image.length) {
    const end = at + 12 + image.readUInt32BE(at);
    if (end > image.length) break;
    const chunk = image.subarray(at, end);
    const kind = chunk.toString('latin1', 4, 8);
    const isText = /^(?:tEXt|zTXt|iTXt)$/.test(kind) && hasLocationInText(chunk.subarray(8, -4), kind);
    if (kind === 'eXIf' && removeFromExif(chunk.subarray(8, -4))) {
      chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
      isFound = true;
    }
    if (isText) isFound = true;
    else parts.push(chunk);
    at = end;
  }
  return isFound ? Buffer.concat([...parts, image.subarray(at)]) : null;
}

const maxTextBytes = 10_000_000;

/** Whether a chunk of text has a place in XMP data, or in EXIF data as hexadecimal digits. Unreadable data counts. */
function hasLocationInText(chunk: Buffer, kind: string): boolean {
  const [, name = ''] =
    /^(XML:com\.adobe\.xmp|Raw profile type (?:exif|APP1|xmp))\0/i.exec(head(chunk)) ?? [];
  if (name === '') return false;
  const content = chunk.subarray(name.length + 1);
  try {
    const text = textOf(content, kind);
    const profile = name.startsWith('XML') ? Buffer.from(text, 'latin1') : profileOf(text);
    const exif = startsWith(profile, exifStart) ? profile.subarray(exifStart.length) : profile;
    return profile.includes('exif:GPS') || removeFromExif(Buffer.from(exif));
  } catch {
    return true;
  }
}

const head = (chunk: Buffer) => chunk.toString('latin1', 0, 40);

/** The text of a chunk after its name. */
function textOf(content: Buffer, kind: string): string {
  if (kind === 'tEXt') return content.toString('latin1');
  // zTXt has the method of compression; iTXt has a flag before it, and a language and a translated name behind it.
  const inflated = (bytes: Buffer) => inflateSync(bytes, { maxOutputLength: maxTextBytes });
  if (kind === 'zTXt') return inflated(content.subarray(1)).toString('latin1');
  const text = content.subarray(content.indexOf(0, content.indexOf(0, 2) + 1) + 1);
  return (content[0] === 1 ? inflated(text) : text).toString('latin1');
}

/** The bytes of a profile as ImageMagick writes it: a name, a length, and hexadecimal digits. */
function profileOf(text: string): Buffer {
  return Buffer.from(text.replace(/^\s*\S+\s+\d+\s/, '').replace(/\s/g, ''), 'hex');
}
