import { readFile, writeFile } from 'node:fs/promises';
import { ffmpegRaw, type OddInput, type Outcome, testOddInputs } from '../contracts/odd-input.js';
import { testTone } from '../helpers/media.js';

const moving = (size: string, seconds: number, rate = 25) =>
  ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`] as const;
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'] as const;
const plain = [...h264, '-pix_fmt', 'yuv420p'] as const;
const small = { size: '160x120', hasAudio: false, seconds: 1 } as const satisfies Outcome;

const from =
  (...args: readonly string[]) =>
  (path: string) =>
    ffmpegRaw(...args, path);

/** Rotates the first track by a quarter clockwise in its header. The matrix starts 44 bytes after the name of the box. */
async function turn(path: string): Promise<void> {
  const bytes = await readFile(path);
  const matrix = bytes.indexOf('tkhd') + 44;
  const numbers = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];
  for (const [index, value] of numbers.entries()) bytes.writeInt32BE(value, matrix + index * 4);
  await writeFile(path, bytes);
}

const codedAs = (name: string, codec: readonly string[], becomes: Outcome = small): OddInput => ({
  name,
  make: from(...moving('160x120', 1), ...codec),
  becomes,
});

const inputs: readonly OddInput[] = [
  {
    name: 'uneven.mkv',
    make: from(
      ...moving('160x120', 2),
      '-vf',
      'select=lt(n\\,20)+not(mod(n\\,7))',
      '-vsync',
      'vfr',
      ...plain,
    ),
    becomes: { ...small, seconds: 2, frames: 25 },
  },
  {
    name: 'two-videos.mp4',
    make: from(
      ...['-f', 'lavfi', '-i', 'color=black:size=160x120:rate=25:duration=1', ...moving('320x240', 1)],
      ...['-map', '0', '-map', '1', ...plain],
    ),
    becomes: { ...small, size: '320x240' },
  },
  {
    name: 'odd-sides.mkv',
    make: from(...moving('161x121', 1), ...h264, '-pix_fmt', 'yuv444p'),
    becomes: small,
  },
  {
    name: 'odd-sides-turned.mp4',
    make: async (path) => {
      await ffmpegRaw(...moving('161x121', 1), ...h264, '-pix_fmt', 'yuv444p', path);
      await turn(path);
    },
    becomes: { ...small, size: '120x160', hasOtherFirstFrame: true },
  },
  codedAs('transparent.mov', ['-c:v', 'qtrle', '-pix_fmt', 'argb']),
  codedAs('transparent-png.mov', ['-c:v', 'png', '-pix_fmt', 'rgba']),
  codedAs('prores-4444.mov', ['-c:v', 'prores_ks', '-profile:v', '4', '-pix_fmt', 'yuva444p10le']),
  codedAs('alpha.webm', [
    '-c:v',
    'libvpx-vp9',
    '-pix_fmt',
    'yuva420p',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
  ]),
  codedAs('ten-bit.mp4', [...h264, '-pix_fmt', 'yuv420p10le']),
  codedAs('four-two-two.mp4', [...h264, '-pix_fmt', 'yuv422p']),
  codedAs('four-four-four-ten.mkv', [...h264, '-pix_fmt', 'yuv444p10le']),
  codedAs('rgb.mkv', ['-c:v', 'libx264rgb', '-preset', 'ultrafast']),
  codedAs('grey.mkv', [...h264, '-pix_fmt', 'gray'], { ...small, hasOtherFirstFrame: true }),
  codedAs('full-range.mp4', [...h264, '-vf', 'scale=out_range=full', '-pix_fmt', 'yuvj420p']),
  codedAs('photo.avi', ['-c:v', 'mjpeg', '-q:v', '2']),
  codedAs('palette.avi', ['-c:v', 'cinepak'], small),
  codedAs('raw.avi', ['-c:v', 'rawvideo', '-pix_fmt', 'bgr24']),
  codedAs('packed.avi', ['-c:v', 'mpeg4', '-bf', '2', '-q:v', '3']),
  codedAs('archive.mkv', ['-c:v', 'ffv1']),
  codedAs('old.mpg', ['-c:v', 'mpeg1video', '-q:v', '2']),
  codedAs('old.wmv', ['-c:v', 'wmv2', '-q:v', '2']),
  codedAs('old.flv', ['-c:v', 'flv1', '-q:v', '2', '-flvflags', 'no_metadata+no_duration_filesize']),
  codedAs('bare.h264', plain),
  codedAs('bare.y4m', ['-pix_fmt', 'yuv420p']),
  codedAs('studio.mxf', ['-c:v', 'mpeg2video', '-q:v', '2']),
  codedAs('moving.gif', ['-vf', 'fps=20']),
  codedAs('timecode.mov', [...plain, '-timecode', '01:00:00:00']),
  {
    name: 'hdr.mp4',
    make: from(
      ...moving('160x120', 1),
      ...['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le'],
      ...['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'],
      ...['-x265-params', 'log-level=error:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc'],
    ),
    becomes: { ...small, hasOtherFirstFrame: true },
  },
  {
    name: 'mixed-fields.mpg',
    make: async (path) => {
      const fields = 'testsrc2=size=160x120:rate=50:duration=1,tinterlace=interleave_top';
      const first = `${path}.1.mpg`;
      const code = ['-c:v', 'mpeg2video', '-q:v', '2'];
      await ffmpegRaw('-f', 'lavfi', '-i', fields, ...code, '-flags', '+ilme+ildct', '-top', '1', first);
      await ffmpegRaw(...moving('160x120', 1), ...code, `${path}.2.mpg`);
      await writeFile(path, Buffer.concat([await readFile(first), await readFile(`${path}.2.mpg`)]));
    },
    becomes: { ...small, seconds: 2, hasOtherFirstFrame: true },
  },
  {
    name: 'one-frame.mp4',
    make: from(...moving('160x120', 1), '-frames:v', '1', ...plain),
    becomes: { ...small, seconds: 0.04, frames: 1 },
  },
  {
    name: 'one-frame.mkv',
    make: from(...moving('160x120', 1), '-frames:v', '1', ...plain),
    becomes: { ...small, seconds: 0.04, frames: 1 },
  },
  {
    name: 'one-frame-of-a-song.mp4',
    make: from(...moving('160x120', 0.04), ...testTone(2), ...plain, '-c:a', 'aac'),
    becomes: { ...small, hasAudio: true, seconds: 2, frames: 1 },
  },
  {
    name: 'still.gif',
    make: from(...moving('160x120', 1), '-frames:v', '1'),
    becomes: { errorClass: 'UnsupportedInputError', says: /still image/ },
  },
  {
    name: 'still.png',
    make: from(...moving('160x120', 1), '-frames:v', '1'),
    becomes: { errorClass: 'UnsupportedInputError', says: /still image/ },
  },
  {
    name: 'still.jpg',
    make: from(...moving('160x120', 1), '-frames:v', '1'),
    becomes: { errorClass: 'UnsupportedInputError', says: /still image/ },
  },
  {
    name: 'a b\'c"d;e&f$(g)%20#ü漢🎬[1]{2}~!@^=+,.mp4',
    make: from(...moving('160x120', 1), ...plain),
    becomes: small,
  },
  {
    name: '-i.mp4',
    make: (path) => ffmpegRaw(...moving('160x120', 1), ...plain, `file:${path}`),
    becomes: small,
  },
];

await testOddInputs('unusual video', inputs);
