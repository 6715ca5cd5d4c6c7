import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const run = promisify(execFile);

/** A subtitle track of a file, as ffprobe reports it. */
export interface SubtitleStream {
  readonly codec: string;
  readonly language: string | null;
  readonly title: string | null;
  readonly dispositions: readonly string[];
}

interface Probed {
  readonly streams: readonly {
    readonly codec_name: string;
    readonly tags?: Readonly<Record<string, string>>;
    readonly disposition: Readonly<Record<string, number>>;
  }[];
}

/** The subtitle tracks of a file, in order. */
export async function subtitleStreams(path: string): Promise<readonly SubtitleStream[]> {
  const { ffprobe } = await testFfmpeg();
  const args = ['-v', 'error', '-select_streams', 's', '-show_streams', '-of', 'json', path];
  const { stdout } = await run(ffprobe.path, args);
  // The format is known, and a wrong assumption fails the test.
  const { streams } = JSON.parse(stdout) as Probed;
  return streams.map(({ codec_name, tags = {}, disposition }) => ({
    codec: codec_name,
    language: tags.language === undefined || tags.language === 'und' ? null : tags.language,
    title: tags.title ?? tags.handler_name ?? null,
    dispositions: Object.entries(disposition).flatMap(([name, value]) => (value === 1 ? [name] : [])),
  }));
}

/** A cue as ffmpeg reads it back: start and end in milliseconds from the first frame of the video, and text without styles. */
export type ReadCue = readonly [number, number, string];

const tracksRead = new Map<string, Promise<readonly (readonly ReadCue[])[]>>();

/** The cues of a subtitle track, read back by ffmpeg, which reads all tracks of the file at once. */
export async function cuesOf(path: string, track: number): Promise<readonly ReadCue[]> {
  const key = `${path} ${(await stat(path)).mtimeMs}`;
  const reading = tracksRead.get(key) ?? readTracks(path);
  tracksRead.set(key, reading);
  const cues = (await reading)[track];
  if (cues === undefined) throw new Error(`${path} has no subtitle track ${track}`);
  return cues;
}

async function readTracks(path: string): Promise<readonly (readonly ReadCue[])[]> {
  const { ffmpeg } = await testFfmpeg();
  const folder = tempFolder();
  const files = (await subtitleStreams(path)).map((_, track) => join(folder, `${track}.srt`));
  const outputs = files.flatMap((file, track) => ['-map', `0:s:${track}`, '-f', 'srt', file]);
  await run(ffmpeg.path, ['-v', 'error', '-copyts', '-i', path, ...outputs]);
  const startMs = Math.round((await videoStart(path)) * 1000);
  return Promise.all(files.map(async (file) => parseCues(await readFile(file, 'utf8'), path, startMs)));
}

function parseCues(text: string, path: string, startMs: number): readonly ReadCue[] {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n\n(?=\d+\n)/)
    .flatMap((block) => {
      const found = /^\d+\n(\S+) --> (\S+)\n([\s\S]*)$/.exec(block.trim());
      if (found === null) return [];
      const [, start = '', end = '', words = ''] = found;
      const withoutTags = words.replaceAll(/<\/?(?:i|b|u|font)(?: [^>]*)?>|\{\\an\d\}/g, '').trim();
      // The WebVTT decoder of ffmpeg escapes braces, and its SubRip encoder does not undo that.
      const plain = path.endsWith('.webm') ? withoutTags.replaceAll(/\\([{}])/g, '$1') : withoutTags;
      return [[milliseconds(start) - startMs, milliseconds(end) - startMs, plain] as const];
    });
}

function milliseconds(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(',', '.').split(':').map(Number);
  return Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000);
}

async function videoStart(path: string): Promise<number> {
  const { ffprobe } = await testFfmpeg();
  const fields = ['-select_streams', 'v:0', '-show_entries', 'stream=start_time', '-of', 'csv=p=0'];
  const { stdout } = await run(ffprobe.path, ['-v', 'error', ...fields, path]);
  return Number(stdout.trim().split('\n')[0]);
}

/** The captions within the video of a file (CEA-608), as the decoder of ffmpeg reads them; empty if there are none. */
export async function captionsInVideo(path: string): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const input = ['-f', 'lavfi', '-i', `movie=${path}[out0+subcc]`, '-map', 's'];
  const { stdout } = await run(ffmpeg.path, ['-v', 'error', ...input, '-f', 'srt', '-']);
  return stdout.replaceAll(/<[^>]*>|\{[^}]*\}/g, '').trim();
}

/** The control codes of CEA-608 that show HELLO, one pair of bytes for each frame. */
const hello = ['9420', '9420', '94ae', '94ae', '9470', '9470', 'c845', '4c4c', '4f80', '942f', '942f'];
const clear = '942c';
const nothing = '8080';

/**
 * Adds captions to an H.264 elementary stream whose frames have one slice each and are in display order: HELLO from frame 15 to frame 60.
 * Each frame gets an SEI message with the data of CEA-608 (ATSC A/53, part 4).
 */
export function withCaptionsInVideo(stream: Buffer): Buffer {
  const starts: number[] = [];
  for (let at = stream.indexOf('000001', 0, 'hex'); at >= 0; at = stream.indexOf('000001', at + 3, 'hex'))
    starts.push(at + 3);
  const startCode = Buffer.from([0, 0, 0, 1]);
  let frame = 0;
  const units = starts.flatMap((start, index) => {
    const next = starts[index + 1];
    const unit = stream.subarray(start, next === undefined ? stream.length : next - 3);
    const type = (unit[0] ?? 0) & 31;
    if (type !== 1 && type !== 5) return [startCode, unit];
    const pair = frame === 60 || frame === 61 ? clear : (hello[frame - 5] ?? nothing);
    frame += 1;
    const data = Buffer.from(`b50031474139340341fffc${pair}ff`, 'hex');
    return [startCode, Buffer.from([6, 4, data.length]), data, Buffer.from([0x80]), startCode, unit];
  });
  return Buffer.concat(units);
}

/** A PGS file with one white image between two times, in milliseconds. Its sides are below 64 pixels. */
export function imageSubtitle(
  startMs: number,
  endMs: number,
  { width = 160, height = 120, x = 10, y = 10, imageWidth = 8, imageHeight = 2 } = {},
): Buffer {
  const segment = (ms: number, type: number, content: readonly number[]): Buffer => {
    const head = Buffer.alloc(13);
    head.write('PG');
    head.writeUInt32BE(ms * 90, 2);
    head.writeUInt8(type, 10);
    head.writeUInt16BE(content.length, 11);
    return Buffer.concat([head, Buffer.from(content)]);
  };
  const video = [width >> 8, width & 255, height >> 8, height & 255, 0x10];
  const at = [x >> 8, x & 255, y >> 8, y & 255];
  const size = [0, imageWidth, 0, imageHeight];
  const window = [0, ...at, ...size];
  const lines = Array.from({ length: imageHeight }, () => [0, 0x80 | imageWidth, 1, 0, 0]).flat();
  const object = [0, 0, 0, 0xc0, 0, 0, 4 + lines.length, ...size, ...lines];
  return Buffer.concat([
    segment(startMs, 0x16, [...video, 0, 1, 0x80, 0, 0, 1, 0, 0, 0, 0, ...at]),
    segment(startMs, 0x17, [1, ...window]),
    segment(startMs, 0x14, [0, 0, 1, 235, 128, 128, 255]),
    segment(startMs, 0x15, object),
    segment(startMs, 0x80, []),
    segment(endMs, 0x16, [...video, 0, 2, 0, 0, 0, 0]),
    segment(endMs, 0x17, [1, ...window]),
    segment(endMs, 0x80, []),
  ]);
}
