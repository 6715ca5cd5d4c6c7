import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { film, makeMedia, testTone, testVideo } from '../media.js';

const video = testVideo('64x48', 12, 1);
const audio = testTone(1, 1);
const both = [...video, ...audio] as const;
const aac = ['-c:a', 'aac', '-b:a', '32k'] as const;
const mp2 = ['-c:a', 'mp2', '-b:a', '64k'] as const;

/** The ffmpeg arguments of a small file of each kind, by its name. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  'a.mp4': film('64x48', 1),
  'b.mov': [...film('64x48', 1, 1), '-movflags', 'frag_keyframe+empty_moov', '-g', '5'],
  'c.mkv': [...both, '-c:v', 'libx264', '-preset', 'ultrafast', ...aac],
  'd.webm': [...both, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libvorbis'],
  'e.ts': [...both, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...aac],
  'f.m2ts': [
    ...both,
    '-c:v',
    'mpeg2video',
    '-r',
    '25',
    '-c:a',
    'ac3',
    '-mpegts_m2ts_mode',
    '1',
    '-f',
    'mpegts',
  ],
  'g.flv': [...both, '-c:v', 'flv', ...aac],
  'h.avi': [...both, '-c:v', 'mpeg4', '-c:a', 'libmp3lame', '-ar', '44100'],
  'i.mpg': [...both, '-c:v', 'mpeg2video', '-r', '25', ...mp2],
  'j.mxf': [...both, '-c:v', 'mpeg2video', '-r', '25', '-c:a', 'pcm_s16le', '-ar', '48000'],
  'k.wmv': [...both, '-c:v', 'wmv2', '-c:a', 'wmav2'],
  'l.ogv': [...both, '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  'm.3gp': [...testVideo('176x144', 12, 1), ...audio, '-c:v', 'h263', ...aac],
  'n.wav': [...audio, '-c:a', 'pcm_s16le'],
  'o.mp3': [...audio, '-c:a', 'libmp3lame'],
  'p.aac': [...audio, ...aac],
  'q.flac': [...audio, '-c:a', 'flac'],
  'r.gif': [...testVideo('64x48', 5, 1)],
  's.jpg': [...testVideo('64x48', 1, 1), '-frames:v', '1'],
  't.y4m': [...testVideo('32x24', 5, 1), '-pix_fmt', 'yuv420p'],
  'u.dv': [...testVideo('720x576', 25, 0.08), '-pix_fmt', 'yuv420p', '-target', 'pal-dv'],
  'v.nut': [...both, '-c:v', 'ffv1', '-c:a', 'pcm_s16le'],
  'w.caf': [...audio, '-c:a', 'pcm_s16le'],
  'x.mjpeg': [...video, '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'],
};

/** The kinds of images of watermarks. */
const imageRecipes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ['png', 'gif', 'bmp', 'jpg'].map((extension) => [
    `watermark.${extension}`,
    [...testVideo('24x16', 1, 1), '-frames:v', '1'],
  ]),
);

const cueTimes = '00:00:00.100 --> 00:00:00.900';
/** Small files of captions of each kind, by name. */
const captionTexts: Readonly<Record<string, string>> = {
  'captions.srt': `1\n${cueTimes.replaceAll('.', ',')}\n<i>Hello</i>\n\n2\n00:00:01,000 --> 00:00:02,000\nWorld\n`,
  'captions.vtt': `WEBVTT\n\nSTYLE\n::cue { color: red }\n\na\n${cueTimes} line:10% align:start\n<v Bob>Hello</v> &amp; <c.red>all</c>\n`,
  'captions.ass': `[Script Info]\nScriptType: v4.00+\nPlayResX: 384\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,16\n\n[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:00.10,0:00:00.90,Default,{\\i1\\pos(1,2)}Hello\\NWorld\n`,
  'captions.ttml': `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ttp:tickRate="10" xml:lang="en"><body begin="0s"><div><p begin="1t" end="00:00:00.9">Hello<br/><span>World</span></p></div></body></tt>`,
  'captions.smi': `<SAMI><HEAD><STYLE TYPE="text/css"><!-- .EN {lang: en;} --></STYLE></HEAD><BODY><SYNC Start=100><P Class=EN>Hello &nbsp;<SYNC Start=900><P Class=EN>&nbsp;</BODY></SAMI>`,
  'captions.scc': `Scenarist_SCC V1.0\n\n00:00:00:03\t94ae 94ae 9420 9420 9470 9470 c8e5 ecec ef80 942f 942f\n\n00:00:00:22\t942c 942c\n`,
};

/** 25 frames of AMR at 12.2 kbps. Few builds of ffmpeg can encode AMR. */
function amrFile(): Buffer {
  const frame = Buffer.from([0x3c, ...Array.from({ length: 31 }, (_, index) => (index * 37) & 0xff)]);
  return Buffer.concat([Buffer.from('#!AMR\n'), ...Array.from({ length: 25 }, () => frame)]);
}

/** A valid file of a kind, in memory. */
export interface MediaKind {
  readonly name: string;
  readonly use: 'input' | 'watermark' | 'captions';
  readonly bytes: Buffer;
}

/** Makes a small file of every kind in a folder. Kinds that this ffmpeg cannot make are left out. */
export async function makeMediaKinds(folder: string): Promise<readonly MediaKind[]> {
  const kinds: MediaKind[] = [{ name: 'y.amr', use: 'input', bytes: amrFile() }];
  for (const [name, args] of Object.entries({ ...recipes, ...imageRecipes })) {
    const path = join(folder, name);
    const use = name in recipes ? 'input' : 'watermark';
    const isMade = await makeMedia(path, args).then(
      () => true,
      () => false,
    );
    if (isMade) kinds.push({ name, use, bytes: await readFile(path) });
  }
  for (const [name, text] of Object.entries(captionTexts)) {
    await writeFile(join(folder, name), text);
    kinds.push({ name, use: 'captions', bytes: Buffer.from(text) });
  }
  return kinds;
}
