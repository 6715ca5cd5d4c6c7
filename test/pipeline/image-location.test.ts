import { deflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutLocation } from '../../daemon/pipeline/image-location.js';

type Entry = readonly [tag: number, type: number, count: number, value: number];

/** EXIF data with a maker, an orientation and a GPS directory with a latitude of three fractions. */
function exifData(isLittle: boolean, hasGps = true): Buffer {
  const data = Buffer.alloc(140);
  const short = (value: number, at: number) =>
    isLittle ? data.writeUInt16LE(value, at) : data.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? data.writeUInt32LE(value, at) : data.writeUInt32BE(value, at);
  data.write(isLittle ? 'II' : 'MM', 'latin1');
  short(42, 2);
  long(8, 4);
  const directory = (at: number, entries: readonly Entry[]) => {
    short(entries.length, at);
    for (const [index, [tag, type, count, value]] of entries.entries()) {
      const place = at + 2 + index * 12;
      short(tag, place);
      short(type, place + 2);
      long(count, place + 4);
      if (type === 3) short(value, place + 8);
      else long(value, place + 8);
    }
  };
  const gps: readonly Entry[] = hasGps ? [[0x8825, 4, 1, 60]] : [];
  directory(8, [[0x0112, 3, 1, 6], ...gps, [0x9999, 4, 1, 7]]);
  if (hasGps) {
    directory(60, [[2, 5, 3, 100]]);
    data.fill(0x77, 100, 124);
  }
  data.write('the end', 130, 'latin1');
  return data;
}

const segment = (kind: number, content: Buffer) => {
  const head = Buffer.from([0xff, kind, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
const imageData = Buffer.from([0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9, 0x45, 0x78, 0x69, 0x66]);
const jpeg = (...segments: readonly Buffer[]) =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, imageData]);
const exif = (data: Buffer) => segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), data]));
const chunk = (kind: string, content: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, Buffer.from(kind, 'latin1'), content, Buffer.alloc(4)]);
};
const png = (...chunks: readonly Buffer[]) =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks, chunk('IEND', Buffer.alloc(0))]);

for (const isLittle of [true, false]) {
  test(`a JPEG loses its GPS directory and nothing else, ${isLittle ? 'little' : 'big'} endian`, () => {
    const image = jpeg(segment(0xe0, Buffer.from('JFIF')), exif(exifData(isLittle)));
    const cleaned = withoutLocation(image);
    assert.ok(cleaned !== null);
    assert.is(cleaned.length, image.length);
    assert.not.ok(cleaned.includes(0x77), 'the latitude is gone');
    const short = (at: number) => (isLittle ? cleaned.readUInt16LE(at) : cleaned.readUInt16BE(at));
    const start = cleaned.indexOf(isLittle ? 'II' : 'MM');
    assert.equal([short(start + 8), short(start + 10), short(start + 22)], [2, 0x0112, 0x9999]);
    assert.is(cleaned.toString('latin1', start + 130, start + 137), 'the end');
    assert.ok(cleaned.subarray(-imageData.length).equals(imageData));
    assert.is(withoutLocation(cleaned), null);
  });
}

test('images without a place are not changed', () => {
  assert.is(withoutLocation(jpeg()), null);
  assert.is(withoutLocation(jpeg(exif(exifData(true, false)))), null);
  assert.is(withoutLocation(jpeg(segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>')))), null);
  assert.is(withoutLocation(png(chunk('tEXt', Buffer.from('XML:com.adobe.xmp\0<x/>')))), null);
  assert.is(withoutLocation(png(chunk('eXIf', exifData(false, false)))), null);
});

test('XMP data of a JPEG loses GPS attributes and elements', () => {
  const text = `http://ns.adobe.com/xap/1.0/\0<a exif:GPSLatitude="52,30N" b="c"><exif:GPSLongitude>13</exif:GPSLongitude></a>`;
  const cleaned = withoutLocation(jpeg(segment(0xe1, Buffer.from(text))));
  const found = cleaned?.toString('latin1') ?? '';
  assert.not.match(found, /GPS|52,30|13/);
  assert.match(found, /<a {27}b="c"> {41}<\/a>/);
});

test('a PNG loses EXIF places, and texts with places as a whole', () => {
  const xmp = '<a exif:GPSLatitude="52,30N"/>';
  const raw = `\nexif\n 146\n${Buffer.concat([Buffer.from('Exif\0\0'), exifData(true)]).toString('hex')}\n`;
  const title = chunk('tEXt', Buffer.from('Title\0GPS'));
  for (const hostile of [
    chunk('tEXt', Buffer.from(`XML:com.adobe.xmp\0${xmp}`)),
    chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`)),
    chunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), deflateSync(xmp)])),
    chunk('zTXt', Buffer.concat([Buffer.from('Raw profile type exif\0\0'), deflateSync(raw)])),
    chunk('zTXt', Buffer.from('Raw profile type APP1\0\0damaged')),
  ])
    assert.equal(withoutLocation(png(title, hostile)), png(title));
  const cleaned = withoutLocation(png(chunk('eXIf', exifData(false))));
  assert.ok(cleaned !== null && !cleaned.includes(0x77));
  assert.is(withoutLocation(cleaned), null);
});

test('damaged images are read to their end', () => {
  const image = jpeg(exif(exifData(true)));
  for (let length = 2; length < image.length; length += 1) withoutLocation(image.subarray(0, length));
  const other = png(chunk('eXIf', exifData(false)));
  for (let length = 8; length < other.length; length += 1) withoutLocation(other.subarray(0, length));
  for (let at = 0; at < image.length; at += 1) {
    const changed = Buffer.from(image);
    changed[at] = 0xff;
    if (at > 1) withoutLocation(changed);
  }
});

test.run();
