import { readFile, writeFile } from 'node:fs/promises';
import { ffmpegRaw, type OddInput, type Outcome, testOddInputs } from '../contracts/odd-input.js';

const sine = (seconds: number, rate = 44_100) =>
  ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}:sample_rate=${rate},volume=8dB`] as const;
const silence = ['-f', 'lavfi', '-t', '1', '-i', 'anullsrc=sample_rate=44100'] as const;
const moving = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=25:duration=1'] as const;
const cover = ['-f', 'lavfi', '-i', 'testsrc2=size=300x300:rate=1:duration=1'] as const;
const plain = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;
const covered = [
  '-map',
  '0',
  '-map',
  '1',
  '-c:v',
  'mjpeg',
  '-frames:v',
  '1',
  '-disposition:v',
  'attached_pic',
];
const audioOnly = { size: null, hasAudio: true, seconds: 1 } as const satisfies Outcome;
const both = { ...audioOnly, size: '160x120' } as const satisfies Outcome;

const from =
  (...args: readonly string[]) =>
  (path: string) =>
    ffmpegRaw(...args, path);

const codedAs = (name: string, ...codec: readonly string[]): OddInput => ({
  name,
  make: from(...sine(1), ...codec),
  becomes: audioOnly,
  output: { filename: 'out.m4a', audio_codec: 'aac' },
});

/** A WAV file with some bytes of its header changed: `at` from the beginning, or after a chunk name. */
const patchedWav =
  (...patches: readonly (readonly [number | string, readonly number[]])[]) =>
  async (path: string) => {
    await ffmpegRaw(...sine(1), '-c:a', 'pcm_s16le', '-bitexact', path);
    const bytes = await readFile(path);
    for (const [at, values] of patches) {
      bytes.set(values, typeof at === 'number' ? at : bytes.indexOf(at) + at.length);
    }
    await writeFile(path, bytes);
  };

const toM4a = { output: { filename: 'out.m4a' } } as const;

const inputs: readonly OddInput[] = [
  {
    name: 'cover.mp3',
    make: from(...sine(1), ...cover, ...covered, '-id3v2_version', '3'),
    becomes: audioOnly,
  },
  { name: 'cover.m4a', make: from(...sine(1), ...cover, ...covered, '-c:a', 'aac'), becomes: audioOnly },
  { name: 'cover.flac', make: from(...sine(1), ...cover, ...covered), becomes: audioOnly },
  {
    name: 'cover.mp4',
    make: async (path) => {
      const [film, art] = [`${path}.film.mp4`, `${path}.png`];
      await ffmpegRaw(...moving, ...sine(1), ...plain, '-c:a', 'aac', film);
      await ffmpegRaw(...cover, '-frames:v', '1', art);
      const maps = ['-i', art, '-i', film, '-map', '0', '-map', '1', '-c', 'copy'];
      await ffmpegRaw(...maps, '-disposition:v:0', 'attached_pic', path);
    },
    becomes: both,
  },
  {
    name: 'default-is-second.mkv',
    make: from(
      ...[...moving, ...silence, ...sine(1), '-map', '0', '-map', '1', '-map', '2', ...plain, '-c:a', 'aac'],
      ...['-disposition:a:0', '0', '-disposition:a:1', 'default'],
    ),
    becomes: both,
  },
  {
    name: 'none-is-default.mkv',
    make: from(
      ...[...moving, ...sine(1), ...silence, '-map', '0', '-map', '1', '-map', '2', ...plain, '-c:a', 'aac'],
      ...['-disposition:a:0', '0', '-disposition:a:1', '0'],
    ),
    becomes: both,
  },
  {
    name: 'no-audio.mp4',
    make: from(...moving, ...plain),
    becomes: { errorClass: 'NoMediaError', says: /no audio/ },
    output: { filename: 'out.mp3' },
  },
  {
    name: 'no-video.m4a',
    make: from(...sine(1), '-c:a', 'aac'),
    becomes: { errorClass: 'NoMediaError', says: /no video/ },
    output: { skip_audio: true },
  },
  codedAs('phone-8k.wav', '-ar', '8000', '-ac', '1'),
  codedAs('fine-96k.flac', '-ar', '96000', '-sample_fmt', 's32'),
  codedAs('finest-192k.wav', '-ar', '192000', '-c:a', 'pcm_s24le'),
  codedAs('slow-6k.wav', '-ar', '6000', '-ac', '1'),
  codedAs('odd-37800.wav', '-ar', '37800'),
  codedAs('eight-bit.wav', '-c:a', 'pcm_u8'),
  codedAs('float.wav', '-c:a', 'pcm_f32le'),
  codedAs('double.wav', '-c:a', 'pcm_f64le'),
  codedAs('law.wav', '-c:a', 'pcm_mulaw', '-ar', '8000', '-ac', '1'),
  codedAs('adpcm.wav', '-c:a', 'adpcm_ms'),
  codedAs('six.wav', '-af', 'pan=5.1|c0=c0|c1=c0|c2=c0'),
  codedAs('seven-one.flac', '-af', 'pan=7.1|c0=c0|c1=c0'),
  codedAs('centre-alone.mkv', '-af', 'pan=5.1|c2=c0', '-c:a', 'ac3'),
  codedAs('rear-alone.mkv', '-af', 'pan=5.1|c4=c0|c5=c0', '-c:a', 'ac3'),
  codedAs('side-alone.flac', '-af', 'pan=7.1|c6=c0|c7=c0'),
  codedAs('right-alone.wav', '-af', 'pan=stereo|c1=c0'),
  codedAs('three.wav', '-af', 'pan=3c|c0=c0|c1=c0|c2=c0'),
  codedAs('bare.aac', '-c:a', 'aac'),
  codedAs('bare.ac3', '-c:a', 'ac3'),
  codedAs('song.mp3', '-metadata', `title=${'ä'.repeat(3000)}`, '-id3v2_version', '4', '-write_xing', '0'),
  codedAs('song.aiff'),
  codedAs('song.au'),
  codedAs('song.caf', '-c:a', 'pcm_s16le'),
  codedAs('song.w64'),
  codedAs('song.opus', '-c:a', 'libopus'),
  codedAs('song.oga', '-c:a', 'libvorbis'),
  codedAs('song.wma', '-c:a', 'wmav2'),
  codedAs('song.m4a', '-c:a', 'alac'),
  codedAs('song.mka', '-c:a', 'dca', '-strict', '-2'),
  codedAs('song.wv', '-c:a', 'wavpack'),
  codedAs('song.tta', '-c:a', 'tta'),
  codedAs('song.voc', '-c:a', 'pcm_u8', '-ac', '1'),
  { name: 'no-size.wav', make: patchedWav(['data', [0xff, 0xff, 0xff, 0xff]]), becomes: audioOnly, ...toM4a },
  {
    name: 'zero-size.wav',
    make: patchedWav(['data', [0, 0, 0, 0]], [4, [0, 0, 0, 0]]),
    becomes: audioOnly,
    ...toM4a,
  },
  { name: 'wrong-align.wav', make: patchedWav([32, [0, 0]]), becomes: audioOnly, ...toM4a },
  { name: 'wrong-rate-of-bytes.wav', make: patchedWav([28, [1, 0, 0, 0]]), becomes: audioOnly, ...toM4a },
  {
    name: 'one-frame.aac',
    make: from(...sine(0.02), '-c:a', 'aac'),
    // Two frames are too few to recognize the format reliably.
    becomes: { errorClass: 'NoMediaError', says: /No known format was found/ },
    ...toM4a,
  },
  { name: 'blink.wav', make: from(...sine(0.01)), becomes: { ...audioOnly, seconds: 0.03 }, ...toM4a },
  {
    name: 'late-audio.mp4',
    make: from(...moving, '-itsoffset', '0.5', ...sine(0.5), ...plain, '-c:a', 'aac'),
    becomes: { ...both, audioStart: 0.5 },
  },
  {
    name: 'late-audio.mkv',
    make: from(...moving, '-itsoffset', '0.5', ...sine(0.5), ...plain, '-c:a', 'libmp3lame'),
    becomes: { ...both, audioStart: 0.5 },
  },
  {
    name: 'late-audio.ts',
    make: from(...moving, '-itsoffset', '0.5', ...sine(0.5), ...plain, '-c:a', 'aac'),
    becomes: { ...both, audioStart: 0.5 },
  },
  {
    name: 'late-video.mkv',
    make: from('-itsoffset', '0.5', ...moving, ...sine(1.5), ...plain, '-c:a', 'aac'),
    becomes: { ...both, seconds: 1.5 },
  },
  {
    name: 'short-audio.mkv',
    make: from(...moving, ...sine(0.3), ...plain, '-c:a', 'aac'),
    becomes: both,
  },
  {
    name: 'pause.mkv',
    make: from(...moving, ...sine(1), '-af', "aselect='lt(t,0.2)+gt(t,0.8)'", ...plain, '-c:a', 'pcm_s16le'),
    becomes: both,
  },
];

await testOddInputs('unusual audio', inputs);
