import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ffmpegRaw, type OddInput, type Outcome, testOddInputs } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';

const film = (seconds: number, size = '160x120', rate = 44_100) =>
  [
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}:sample_rate=${rate},volume=8dB`],
  ] as const;
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '10'] as const;
const plain = [...h264, '-c:a', 'aac'] as const;
const both = { size: '160x120', hasAudio: true, seconds: 2 } as const satisfies Outcome;
const other = { hasOtherFirstFrame: true } as const;

const from =
  (...args: readonly string[]) =>
  (path: string) =>
    ffmpegRaw(...args, path);

/** Concatenates several files made by ffmpeg. */
const joined =
  (...parts: readonly (readonly string[])[]) =>
  async (path: string) => {
    const ending = path.slice(path.lastIndexOf('.'));
    const bytes: Buffer[] = [];
    for (const [index, args] of parts.entries()) {
      const part = join(tempFolder(), `${index}${ending}`);
      await ffmpegRaw(...args, part);
      bytes.push(await readFile(part));
    }
    await writeFile(path, Buffer.concat(bytes));
  };

/** A file made by ffmpeg whose bytes are then changed. */
const changed =
  (change: (bytes: Buffer) => Buffer, ...args: readonly string[]) =>
  async (path: string) => {
    await ffmpegRaw(...args, path);
    await writeFile(path, change(await readFile(path)));
  };

/** Corrupts bytes at regular distances in the middle fifth of a file. */
function flipped(bytes: Buffer): Buffer {
  for (let at = Math.floor(bytes.length * 0.4); at < bytes.length * 0.6; at += 97)
    bytes.writeUInt8((bytes[at] ?? 0) ^ 0xff, at);
  return bytes;
}

const codecsIn = (name: string) => {
  if (name.endsWith('.mpg')) return ['-q:v', '3'];
  return name.endsWith('.avi') ? ['-c:v', 'mjpeg', '-q:v', '2', '-c:a', 'pcm_s16le'] : plain;
};

const zeroed = (bytes: Buffer) =>
  bytes.fill(0, Math.floor(bytes.length * 0.45), Math.floor(bytes.length * 0.55));
const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.6));
const noise = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + (at >> 3)) % 251));
const behindNoise = (bytes: Buffer) => Buffer.concat([noise, bytes]);
const beforeNoise = (bytes: Buffer) => Buffer.concat([bytes, noise]);

const isCutShort = { errorClass: 'TranscodingError', says: /truncated or damaged/ } as const;
/** Cut after 60 % of its bytes, which contain about as much of its duration. */
const firstPart = { ...both, seconds: 1.2 } as const;

const inputs: readonly OddInput[] = [
  { name: 'no-length.mkv', make: from(...film(2), ...plain, '-f', 'matroska', '-live', '1'), becomes: both },
  { name: 'stream.ts', make: from(...film(2), ...plain), becomes: both },
  { name: 'hours-later.ts', make: from(...film(2), ...plain, '-output_ts_offset', '7200'), becomes: both },
  { name: 'clock-turns.ts', make: from(...film(2), ...plain, '-output_ts_offset', '95442'), becomes: both },
  {
    name: 'two-programs.ts',
    make: from(
      ...[...film(2, '80x60'), ...film(2), '-map', '0', '-map', '1', '-map', '2', '-map', '3', ...plain],
      ...['-program', 'title=a:st=0:st=1', '-program', 'title=b:st=2:st=3'],
    ),
    becomes: both,
  },
  {
    name: 'new-programs.ts',
    make: joined(
      [...film(1), ...plain],
      [...film(1), ...plain, '-mpegts_start_pid', '0x300', '-mpegts_pmt_start_pid', '0x1200'],
    ),
    becomes: { ...both, seconds: 1 },
  },
  {
    name: 'grows.ts',
    make: joined([...film(1), ...plain], [...film(1, '320x240', 48_000), ...plain, '-output_ts_offset', '1']),
    becomes: both,
  },
  {
    name: 'shrinks.ts',
    make: joined([...film(1), ...plain], [...film(1, '80x60', 22_050), ...plain, '-output_ts_offset', '1']),
    becomes: both,
  },
  { name: 'starts-again.ts', make: joined([...film(1), ...plain], [...film(1), ...plain]), becomes: both },
  {
    name: 'starts-again.mpg',
    make: joined([...film(1), '-q:v', '2'], [...film(1), '-q:v', '2']),
    becomes: both,
  },
  {
    name: 'before-zero.mkv',
    make: from(...film(2), ...plain, '-output_ts_offset', '-0.5', '-avoid_negative_ts', 'disabled'),
    becomes: { ...both, ...other },
  },
  {
    name: 'edit-list.mp4',
    make: async (path) => {
      const whole = join(tempFolder(), 'whole.mp4');
      await ffmpegRaw(...film(3), ...h264, '-g', '75', '-c:a', 'aac', whole);
      await ffmpegRaw('-ss', '1', '-i', whole, '-c', 'copy', path);
    },
    becomes: both,
  },
  {
    name: 'edit-list-empty.mp4',
    make: from('-itsoffset', '1', ...film(2), ...plain),
    becomes: { ...both, seconds: 3, ...other },
  },
  {
    name: 'fragmented.mp4',
    make: from(...film(2), ...plain, '-movflags', 'frag_keyframe+empty_moov'),
    becomes: both,
  },
  {
    name: 'no-metadata.flv',
    make: from(...film(2), ...plain, '-flvflags', 'no_metadata+no_duration_filesize'),
    becomes: both,
  },
  {
    name: 'old.ogv',
    make: from(...film(2), '-c:v', 'libtheora', '-q:v', '8', '-c:a', 'libvorbis'),
    becomes: both,
  },
  {
    name: 'tape.dv',
    make: from(...film(1, '720x576', 48_000), '-ac', '2'),
    becomes: { ...both, seconds: 1, size: '768x576', ...other },
  },
  { name: 'studio.mxf', make: from(...film(2, '160x120', 48_000), '-q:v', '2'), becomes: both },
  {
    name: 'frames.avi',
    make: from(...film(2), '-c:v', 'mjpeg', '-q:v', '2', '-c:a', 'pcm_s16le'),
    becomes: both,
  },
  {
    name: 'extras.mkv',
    make: async (path) => {
      const folder = tempFolder();
      await mkdir(folder, { recursive: true });
      const [words, chapters] = [join(folder, 'words.srt'), join(folder, 'chapters.txt')];
      await writeFile(words, '1\n00:00:00,000 --> 00:01:00,000\nWords\n');
      await writeFile(chapters, ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=60\ntitle=One\n');
      await ffmpegRaw(
        ...[
          ...film(2),
          '-i',
          words,
          '-i',
          chapters,
          '-map',
          '0',
          '-map',
          '1',
          '-map',
          '2',
          '-map_metadata',
          '3',
        ],
        ...[
          '-attach',
          words,
          '-metadata:s:t',
          'mimetype=application/x-truetype-font',
          ...plain,
          '-t',
          '2',
          path,
        ],
      );
    },
    becomes: both,
  },
  {
    name: 'extras.mov',
    make: async (path) => {
      const words = join(tempFolder(), 'words.srt');
      await writeFile(words, '1\n00:00:00,000 --> 00:00:02,000\nWords\n');
      await ffmpegRaw(
        ...[...film(2), '-i', words, '-map', '2', '-map', '0', '-map', '1', '-c:s', 'mov_text'],
        ...['-timecode', '10:00:00:00', ...plain, path],
      );
    },
    becomes: both,
  },
  {
    name: 'words-alone.mkv',
    make: async (path) => {
      const words = join(tempFolder(), 'words.srt');
      await writeFile(words, '1\n00:00:00,000 --> 00:00:02,000\nWords\n');
      await ffmpegRaw('-i', words, path);
    },
    becomes: { errorClass: 'NoMediaError', says: /no video and no audio/ },
  },
  ...(['film.mp4', 'film.mkv', 'film.ts', 'film.flv', 'film.avi', 'film.mpg'] as const).map(
    (name): OddInput => ({
      name: `flipped-${name}`,
      make: changed(flipped, ...film(2), ...codecsIn(name)),
      becomes: both,
    }),
  ),
  { name: 'flipped.mp3', make: changed(flipped, ...film(2).slice(4)), becomes: { ...both, size: null } },
  { name: 'zeroed.mp4', make: changed(zeroed, ...film(2), ...plain), becomes: both },
  { name: 'zeroed.ts', make: changed(zeroed, ...film(2), ...plain), becomes: both },
  { name: 'zeroed.mkv', make: changed(zeroed, ...film(2), ...plain), becomes: both },
  {
    name: 'cut.mp4',
    make: changed(cut, ...film(2), ...plain),
    becomes: { errorClass: 'NoMediaError', says: /truncated/ },
  },
  {
    name: 'cut-fast.mp4',
    make: changed(cut, ...film(4), ...plain, '-movflags', '+faststart'),
    becomes: isCutShort,
  },
  { name: 'cut.mkv', make: changed(cut, ...film(4), ...plain), becomes: isCutShort },
  { name: 'cut.avi', make: changed(cut, ...film(4), '-q:v', '3'), becomes: isCutShort },
  {
    name: 'cut-allowed.avi',
    make: changed(cut, ...film(4), '-q:v', '3'),
    output: { allow_truncated: true },
    becomes: { ...both, seconds: 2.5 },
  },
  { name: 'cut.ts', make: changed(cut, ...film(2), ...plain), becomes: firstPart },
  { name: 'cut.mpg', make: changed(cut, ...film(2), '-q:v', '3'), becomes: { ...firstPart, seconds: 1.4 } },
  {
    name: 'cut.ogg',
    make: changed(cut, ...film(2).slice(4), '-c:a', 'flac'),
    becomes: { ...firstPart, seconds: 1.1, size: null },
  },
  { name: 'cut.wav', make: changed(cut, ...film(2).slice(4)), becomes: { ...firstPart, size: null } },
  { name: 'behind-noise.ts', make: changed(behindNoise, ...film(2), ...plain), becomes: both },
  {
    name: 'behind-noise.mp3',
    make: changed(behindNoise, ...film(2).slice(4)),
    becomes: { ...both, size: null },
  },
  { name: 'before-noise.mp4', make: changed(beforeNoise, ...film(2), ...plain), becomes: both },
  { name: 'before-noise.ts', make: changed(beforeNoise, ...film(2), ...plain), becomes: both },
  {
    name: 'ten-hours-it-says.mkv',
    make: async (path) => {
      await ffmpegRaw(...film(2), ...plain, path);
      const bytes = await readFile(path);
      const at = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]));
      bytes.writeDoubleBE(36_000_000, at + 3);
      await writeFile(path, bytes);
    },
    becomes: both,
  },
  {
    name: 'half-a-packet.ts',
    make: async (path) => {
      await ffmpegRaw(...film(2), ...plain, path);
      await truncate(path, (await stat(path)).size - 100);
    },
    becomes: both,
  },
];

await testOddInputs('unusual files', inputs);
