import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();

const h264 = [...testVideo('64x48', 25, 0.5), '-c:v', 'libx264', '-pix_fmt', 'yuv420p'];

/** The bytes of a file that ffmpeg makes. */
async function made(name: string, args: readonly string[]): Promise<Buffer> {
  const path = join(folder, `made-${name}`);
  await makeMedia(path, args);
  return readFile(path);
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  assert.ok(bytes.includes(from, 0, 'latin1'), from);
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
}

function box(type: string, content = Buffer.alloc(0), size = content.length + 8): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/** The header of an animated WebP with one chunk of animation. */
const animatedWebp = Buffer.concat([
  Buffer.from('RIFF\x2a\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x3f\0\0\x2f\0\0', 'latin1'),
  Buffer.from('ANIM\x06\0\0\0\xff\xff\xff\xff\0\0', 'latin1'),
]);

/** Bytes that no format begins with. */
const rubbish = Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * index * 7 + index) % 251));

const cases: Readonly<Record<string, readonly [() => Promise<Buffer>, RegExp]>> = {
  'unknown.mp4': [
    async () => replaced(await made('a.mp4', h264), 'avc1\0', 'qzx9\0'),
    /UnsupportedInputError: This ffmpeg cannot decode the video codec qzx9 of the file/,
  ],
  'unknown.avi': [
    async () =>
      replaced(await made('a.avi', [...testVideo('64x48', 25, 0.5), '-c:v', 'mpeg4']), 'FMP4', 'QZX9'),
    /UnsupportedInputError: This ffmpeg cannot decode the video codec /,
  ],
  'unknown.mkv': [
    async () => replaced(await made('a.mkv', h264), 'V_MPEG4/ISO/AVC', 'V_QZX94/ISO/AVC'),
    /UnsupportedInputError: This ffmpeg cannot decode the video codec of the file/,
  ],
  'encrypted.mp4': [
    async () => replaced(await made('b.mp4', h264), 'avc1\0', 'encv\0'),
    /UnsupportedInputError: The file is encrypted/,
  ],
  'small-box.mp4': [
    async () => {
      const bytes = await made('c.mp4', h264);
      const start = bytes.readUInt32BE(0);
      return Buffer.concat([bytes.subarray(0, start), box('free', undefined, 3), bytes.subarray(start)]);
    },
    /NoMediaError: The file is damaged at byte 32: a box has a size of 3 bytes/,
  ],
  'box-of-zeros.mov': [
    async () => {
      const bytes = await made('c.mov', h264);
      const start = bytes.readUInt32BE(0);
      return Buffer.concat([bytes.subarray(0, start), box('wide', undefined, 7), bytes.subarray(start)]);
    },
    /NoMediaError: The file is damaged at byte \d+: a box has a size of 7 bytes/,
  ],
  'half.mp4': [
    async () => {
      const bytes = await made('d.mp4', h264);
      return bytes.subarray(0, bytes.length / 2);
    },
    /NoMediaError: The file is truncated: its index \(moov\) is missing/,
  ],
  'header.mp4': [
    async () => {
      const flags = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
      const bytes = await made('e.mp4', [...h264, ...flags]);
      return bytes.subarray(0, bytes.indexOf('moof') - 4);
    },
    /NoMediaError: The file has no samples: it is only the header of a segmented stream/,
  ],
  'header.m4a': [
    async () => {
      const flags = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
      const bytes = await made('e.m4a', [...testTone(0.5), '-c:a', 'aac', ...flags]);
      return bytes.subarray(0, bytes.indexOf('moof') - 4);
    },
    /NoMediaError: The file has no samples/,
  ],
  'animated.webp': [async () => animatedWebp, /UnsupportedInputError: .* animated WebP image/],
  'rubbish.mp3': [
    async () => Buffer.concat([rubbish, await made('f.mp3', [...testTone(1), '-c:a', 'libmp3lame'])]),
    /NoMediaError: No known format was found at the start of the file/,
  ],
};

for (const [name, [content, expected]] of Object.entries(cases)) {
  test(`the error of ${name} says what is wrong with it`, async () => {
    const path = join(folder, name);
    await writeFile(path, await content());
    const { code, stderr } = await runCli(['run', path, '-o', join(folder, 'out.mp4'), '--force']);
    assert.is.not(code, 0);
    assert.ok(expected.test(stderr), stderr);
  });
}

test.run();
