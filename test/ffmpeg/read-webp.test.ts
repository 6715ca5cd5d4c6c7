import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readWebp } from '../../daemon/ffmpeg/index.js';
import { tempFolder } from '../helpers/temp.js';

function chunk(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

function riff(...chunks: readonly Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function fields(bytes: number, values: readonly (readonly [number, number])[]): Buffer {
  const buffer = Buffer.alloc(bytes);
  for (const [at, value] of values) buffer.writeUIntLE(value, at, 3);
  return buffer;
}

/** A lossy image of 8x6 pixels without its data. */
const image = chunk('VP8 ', Buffer.from([0, 0, 0, 0x9d, 1, 0x2a, 8, 0, 6, 0, 0]));
const canvas = chunk(
  'VP8X',
  Buffer.concat([
    Buffer.from([2, 0, 0, 0]),
    fields(6, [
      [0, 7],
      [3, 5],
    ]),
  ]),
);
const animation = chunk('ANIM', Buffer.alloc(6));

/** A frame of 8x6 pixels at a place, for so many milliseconds. */
function frame(milliseconds: number, x = 0, content = image): Buffer {
  const values = [
    [0, x],
    [3, 0],
    [6, 7],
    [9, 5],
    [12, milliseconds],
  ] as const;
  return chunk('ANMF', Buffer.concat([fields(16, values), content]));
}

async function read(content: Buffer) {
  const path = join(tempFolder(), 'a.webp');
  await writeFile(path, content);
  return readWebp(path);
}

test('an animation has the size of its canvas, its frames, and their durations', async () => {
  const { format, durationSeconds, audio, video } = await read(
    riff(canvas, animation, frame(100), frame(50), frame(100)),
  );
  assert.equal([format, durationSeconds, audio], ['webp', 0.25, null]);
  assert.equal([video?.codec, video?.width, video?.height, video?.frameCount], ['webp', 8, 6, 3]);
  assert.equal(video?.frameRate, { numerator: 3000, denominator: 250 });
});

test('a file with one image is a still image without a duration', async () => {
  const { durationSeconds, video } = await read(riff(image));
  assert.equal([durationSeconds, video?.width, video?.height, video?.frameCount], [null, 8, 6, 1]);
});

const whole = riff(canvas, animation, frame(100), frame(100));
const broken: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'that is empty': [Buffer.alloc(0), /cut off/],
  'that is another kind of file': [Buffer.from('GIF89a0123456789'), /no header/],
  'that ends early': [whole.subarray(0, -9), /cut off/],
  'with a chunk that is longer than the file': [
    Buffer.concat([whole.subarray(0, 16), Buffer.from([0xff, 0xff, 0xff, 0x7f]), whole.subarray(20)]),
    /cut off/,
  ],
  'without frames': [riff(canvas, animation), /no image/],
  'without an animation': [riff(canvas, frame(100)), /no animation/],
  'with a frame without an image': [
    riff(canvas, animation, frame(100, 0, chunk('ALPH', Buffer.alloc(4)))),
    /no image/,
  ],
  'with a frame outside of the canvas': [riff(canvas, animation, frame(100, 2)), /outside its canvas/],
  'with frames that take no time': [riff(canvas, animation, frame(0)), /no duration/],
};

for (const [name, [content, message]] of Object.entries(broken)) {
  test(`a file ${name} is invalid`, async () => {
    try {
      await read(content);
      assert.unreachable();
    } catch (error) {
      assert.is((error as { errorClass: string }).errorClass, 'UnsupportedInputError');
      assert.match(String(error), message);
    }
  });
}

test.run();
