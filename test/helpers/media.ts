import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import { openFfmpeg } from '../../daemon/ffmpeg/index.js';
import { tempFolder } from './temp.js';

let opened: Promise<Ffmpeg> | null = null;
let unconfined: Promise<Ffmpeg> | null = null;
let folder: string | null = null;

/** The folder of all files that this module makes. */
function getFolder(): string {
  folder ??= tempFolder();
  return folder;
}

/** The ffmpeg that tests use, from `VENC_FFMPEG` and `VENC_FFPROBE` if they are set; opened once per process. */
export function testFfmpeg(): Promise<Ffmpeg> {
  opened ??= openTestFfmpeg('auto');
  return opened;
}

/** The same without a sandbox, for files that tests make anywhere. */
function unconfinedFfmpeg(): Promise<Ffmpeg> {
  unconfined ??= openTestFfmpeg('none');
  return unconfined;
}

/** The folder of answers of programs: that of the whole run, which the runner names, or else one of this process. */
export function programCache(): string {
  const { XDG_CACHE_HOME: shared } = process.env;
  return join(shared ?? getFolder(), 'venc');
}

async function openTestFfmpeg(sandbox: 'auto' | 'none'): Promise<Ffmpeg> {
  const { ffmpeg } = await openFfmpeg({
    ffmpeg: process.env.VENC_FFMPEG ?? null,
    ffprobe: process.env.VENC_FFPROBE ?? null,
    cacheFolder: programCache(),
    sandbox,
  });
  if (ffmpeg === null) throw new Error('tests need ffmpeg and ffprobe');
  return ffmpeg;
}

/** ffmpeg input arguments for a moving test pattern: `size` as `WxH`, frames per second, seconds. */
export function testVideo(size: string, rate: number, seconds: number): readonly string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`];
}

/** ffmpeg input arguments for a tone: seconds, channels. */
export function testTone(seconds: number, channels = 2): readonly string[] {
  const layout = `${channels}c`;
  return [
    '-f',
    'lavfi',
    '-i',
    `sine=duration=${seconds}:sample_rate=44100,aformat=channel_layouts=${layout}`,
  ];
}

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;
const aac = ['-c:a', 'aac', '-b:a', '64k'] as const;

/** A video of a given size (`WxH`) and length: H.264 at 25 frames per second, with AAC audio of the given number of channels. */
export function film(size: string, seconds: number, channels = 2): readonly string[] {
  return [...testVideo(size, 25, seconds), ...testTone(seconds, channels), ...h264, ...aac];
}

const small = testVideo('160x120', 25, 2);

/** Test inputs by file name: the ffmpeg arguments that make each. */
const recipes = {
  /** 2 s, 160x120, 25 fps, H.264 with AAC stereo. */
  'clip.mp4': [...small, ...testTone(2), ...h264, ...aac],
  'clip.mkv': [...small, ...testTone(2), ...h264, ...aac],
  'clip.ts': [...small, ...testTone(2), ...h264, ...aac, '-metadata', 'service_name=Erstes'],
  'clip.webm': [
    ...small,
    ...testTone(2),
    '-c:v',
    'libvpx',
    '-b:v',
    '200k',
    '-deadline',
    'realtime',
    '-c:a',
    'libvorbis',
  ],
  'silent.mp4': [...small, ...h264],
  'audio.mp3': [...testTone(2), '-c:a', 'libmp3lame'],
  /** Pixels are twice as wide as high. */
  'wide.mp4': [...small, '-vf', 'setsar=2', ...h264],
  /** 12 s, 640x360: long enough that tests can interrupt its encode. */
  'long.mp4': [...testVideo('640x360', 25, 12), ...testTone(12), ...h264, ...aac],
  'image.png': [...testVideo('64x48', 1, 1), '-frames:v', '1'],
} as const satisfies Record<string, readonly string[]>;

/** Name of a file that `media` makes. */
type MediaName = keyof typeof recipes;

const made = new Map<string, Promise<string>>();

function once(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const path = join(getFolder(), name);
  const known = made.get(name) ?? make(path).then(() => path);
  made.set(name, known);
  return known;
}

/** Runs ffmpeg for a test with the given arguments, then `path` as the output. */
export async function makeMedia(path: string, args: readonly string[]): Promise<void> {
  const { run } = await unconfinedFfmpeg();
  await run([...args, '-y', path], {
    signal: new AbortController().signal,
    scratch: getFolder(),
    onProgress: () => {},
  });
  await access(path);
}

/** A video with a display matrix of 90 degrees clockwise, written by this function because ffmpeg versions differ in how they set it. */
export function rotatedMedia(): Promise<string> {
  return once('turned.mp4', async (path) => {
    const bytes = await readFile(await media('silent.mp4'));
    // The matrix starts 44 bytes after the name of the box: nine numbers of 32 bits.
    const matrix = bytes.indexOf('tkhd') + 44;
    const rotation = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];
    for (const [index, value] of rotation.entries()) bytes.writeInt32BE(value, matrix + index * 4);
    await writeFile(path, bytes);
  });
}

/** Path of a media file, made at the first call in the process. */
export function media(name: MediaName): Promise<string> {
  return once(name, (path) => makeMedia(path, recipes[name]));
}

const truncated = async () => (await readFile(await media('clip.mp4'))).subarray(0, 4000);
const playlist = async () => {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    '#EXTINF:2,',
    `file://${await media('clip.mp4')}`,
    '#EXT-X-ENDLIST',
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
};

/** Files that are not valid inputs, by name. */
const invalidFiles = {
  'empty.mp4': async () => Buffer.alloc(0),
  'text.mp4': async () => Buffer.from('These are words.\n'.repeat(20)),
  'page.mp4': async () => Buffer.from('<!DOCTYPE html><html><body>Not found</body></html>\n'),
  'zeros.mp4': async () => Buffer.alloc(100_000),
  'truncated.mp4': truncated,
  'playlist.mp4': playlist,
} as const satisfies Record<string, () => Promise<Buffer>>;

/** Path of a file that is rejected as an input, made at the first call in the process. */
export function badMedia(name: keyof typeof invalidFiles): Promise<string> {
  return once(name, async (path) => writeFile(path, await invalidFiles[name]()));
}
