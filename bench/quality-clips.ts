import { join } from 'node:path';
import { ffmpegOnPath } from './programs.js';

/** How a clip is made, by a command of ffmpeg. Parts of a real film count more than test patterns. */
interface ClipRecipe {
  readonly inputs: readonly string[];
  readonly filter: string;
  readonly seconds: number;
  /** Instead of the usual encoder arguments. */
  readonly args?: readonly string[];
  /** What venc makes of the frames before it encodes them, by filters that were chosen independently. */
  readonly referenceFilters?: readonly string[];
  /** The size at which its outputs are measured, if it is not 1920x1080. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** A clip of the quality benchmarks. */
export interface QualityClip extends Pick<ClipRecipe, 'seconds' | 'referenceFilters' | 'size'> {
  readonly name: string;
  readonly path: string;
}

/** The folder with films that are not part of the project. */
function mediaFile(name: string): string {
  const folder = process.env.VENC_TEST_MEDIA;
  if (folder === undefined) throw new Error(`VENC_TEST_MEDIA must name the folder that has ${name}`);
  return join(folder, name);
}

/** A part of the animated film of 854x480, 24 frames per second. */
const bunny = (start: number, seconds: number) => [
  ...['-ss', String(start), '-t', String(seconds), '-i', mediaFile('big-buck-bunny-480p-30s.mp4')],
];

const made = (source: string) => ['-f', 'lavfi', '-i', source];

/** The first frame, held for ever, at some frames per second. */
const held = (rate: number) => `trim=end_frame=1,loop=-1:1,setpts=N/${rate}/TB,fps=${rate}`;

const text = 'The quick brown fox jumps over the lazy dog 0123456789';
const lines = Array.from({ length: 24 }, (_, line) => `${line} ${text.slice(line)} ${text.slice(0, line)}`);
const drawn = lines.map(
  (line, index) => `drawtext=text='${line}':x=20:y=${20 + index * 28}-t*12:fontsize=18:fontcolor=black`,
);
const written = 'color=c=white:s=854x480:r=8';
/** So that the clips have few frames, and a run takes minutes. */
const slowly = 'fps=8';
const noise = (strength: number) => `noise=alls=${strength}:allf=t:all_seed=7`;
/** Eight seconds of each of four kinds of content, twice. */
const mixture = [
  '[0:v]fps=4,scale=320:180,setsar=1,split=4[a0][b0][c0][d0]',
  '[a0]trim=0:8,setpts=PTS-STARTPTS[a]',
  '[b0]trim=8:16,setpts=PTS-STARTPTS,noise=alls=18:allf=t:all_seed=7[b]',
  '[c0]trim=16:17,trim=end_frame=1,loop=39:1,setpts=N/4/TB[c]',
  '[d0]trim=18:28,setpts=PTS-STARTPTS,eq=brightness=-0.3:contrast=0.6[d]',
  '[a][b][c][d]concat=n=4,loop=1:200,setpts=N/4/TB',
].join(';');

const recipes = {
  'film-brook': () => ({ inputs: bunny(13, 5), filter: slowly, seconds: 4 }),
  'film-title': () => ({ inputs: bunny(24, 5), filter: slowly, seconds: 4 }),
  'film-zoom': () => ({
    inputs: bunny(8, 4),
    filter: `${slowly},zoompan=z=1.2+0.01*on:d=1:s=854x480:fps=8`,
    seconds: 4,
  }),
  'film-letterbox': () => ({
    inputs: bunny(17, 4),
    filter: `${slowly},crop=854:362,pad=854:480:0:59`,
    seconds: 4,
  }),
  'film-denoised': () => ({
    inputs: bunny(10, 5),
    filter: `${slowly},hqdn3d=8,scale=640:360,setsar=1`,
    seconds: 4,
  }),
  'animation-clouds': () => ({ inputs: bunny(1, 5), filter: slowly, seconds: 4 }),
  'animation-flat': () => ({
    inputs: ['-t', '4', '-i', mediaFile('hevc-1080p.mp4')],
    filter: 'fps=10,scale=1280:720,format=yuv420p',
    seconds: 4,
  }),
  'screen-text': () => ({ inputs: made(written), filter: drawn.join(','), seconds: 4 }),
  'screen-window': () => ({
    inputs: [...made(written), ...bunny(20, 5)],
    filter: `[0:v]${drawn.join(',')}[page];[1:v]fps=8,scale=320:180[film];[page][film]overlay=x=40*t:y=30*t:shortest=1`,
    seconds: 4,
  }),
  'sport-shake': () => ({
    inputs: bunny(10, 12),
    filter: "setpts=PTS/4,fps=25,crop=700:394:'77+60*sin(n/3)':'43+30*cos(n/2)',scale=854:480,setsar=1",
    seconds: 2,
  }),
  'sport-pan': () => ({
    inputs: bunny(14, 1),
    filter: `${held(25)},scale=2562:1440,crop=854:480:'mod(n*21,1700)':480`,
    seconds: 2,
  }),
  'grain-strong': () => ({ inputs: bunny(13, 4), filter: `${slowly},${noise(20)}`, seconds: 4 }),
  dark: () => ({
    inputs: bunny(24, 4),
    filter: `${slowly},eq=brightness=-0.35:contrast=0.5`,
    seconds: 4,
  }),
  'dark-noise': () => ({
    inputs: bunny(6, 4),
    filter: `${slowly},eq=brightness=-0.4:contrast=0.4,${noise(6)}`,
    seconds: 4,
  }),
  stills: () => ({
    inputs: bunny(4, 25),
    filter: 'fps=1/6,settb=1/10,setpts=N*15,fps=8',
    seconds: 5,
  }),
  'stills-fade': () => ({
    inputs: bunny(4, 25),
    filter: 'fps=1/6,settb=1/10,setpts=N*15,minterpolate=fps=8:mi_mode=blend:scd=none',
    seconds: 4.5,
  }),
  'rate-50p': () => ({
    inputs: bunny(10, 1),
    filter: `${held(50)},scale=1366:768,setsar=1,crop=854:480:'n*3':'n*2'`,
    seconds: 1,
  }),
  interlaced: () => ({
    inputs: bunny(26, 1),
    filter: `${held(50)},scale=1152:648,crop=720:576:'n*2':'30+20*sin(n/9)',tinterlace=interleave_top,setfield=tff,setsar=1`,
    seconds: 2,
    args: ['-flags', '+ilme+ildct', '-x264opts', 'tff=1'],
    referenceFilters: ['bwdif=mode=send_frame'],
    size: { width: 1350, height: 1080 },
  }),
  'phone-vfr': () => ({
    inputs: bunny(22, 4),
    filter: `select='not(eq(mod(n,3),1))*gt(mod(n,7),0)',crop=270:480,scale=540:960,${noise(4)}`,
    seconds: 3,
    args: ['-vsync', 'vfr', '-enc_time_base', '1:1000'],
    size: { width: 1080, height: 1920 },
  }),
  'phone-h263': () => ({
    inputs: ['-ss', '5', '-i', mediaFile('phone-h263-amr.3gp')],
    filter: 'fps=10,setsar=1',
    seconds: 4,
    size: { width: 1320, height: 1080 },
  }),
  anamorphic: () => ({
    inputs: bunny(14, 4),
    filter: `${slowly},scale=720:576,setsar=64/45`,
    seconds: 4,
    referenceFilters: ['scale=1024:576:flags=bicubic'],
  }),
  rotated: () => ({
    inputs: ['-i', mediaFile('rotated-big-buck-bunny.mp4')],
    filter: '',
    seconds: 1.2,
    size: { width: 1080, height: 1920 },
  }),
  'long-film': () => ({
    inputs: ['-stream_loop', '2', '-i', mediaFile('big-buck-bunny-480p-30s.mp4')],
    filter: 'fps=4,scale=320:180,setsar=1',
    seconds: 66,
  }),
  'long-mixed': () => ({ inputs: bunny(0, 30), filter: mixture, seconds: 68 }),
} as const satisfies Record<string, () => ClipRecipe>;

type ClipName = keyof typeof recipes;

/** Makes the clips whose names begin with one of the words, or all if there is none, in a folder. */
export async function makeQualityClips(
  words: readonly string[],
  folder: string,
): Promise<readonly QualityClip[]> {
  const names = (Object.keys(recipes) as ClipName[]).filter(
    (name) => words.length === 0 || words.some((word) => name.startsWith(word)),
  );
  const clips: QualityClip[] = [];
  for (const name of names) clips.push(await makeClip(name, recipes[name](), folder));
  return clips;
}

/** Makes a film of ten minutes in 1280x720, with few frames, so that its encode takes minutes. */
export function makeLongFilm(folder: string): Promise<QualityClip> {
  const recipe = {
    inputs: ['-stream_loop', '-1', '-i', mediaFile('big-buck-bunny-480p-30s.mp4')],
    ...{ filter: 'fps=5,scale=1280:720,setsar=1', seconds: 601 },
  };
  return makeClip('ten-minutes', recipe, folder);
}

/** Makes a clip, which is hardly compressed and has no audio. */
async function makeClip(
  name: string,
  { inputs, filter, seconds, args = [], ...measured }: ClipRecipe,
  folder: string,
): Promise<QualityClip> {
  const path = join(folder, `${name}.mp4`);
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '6', '-pix_fmt', 'yuv420p', ...args];
  const isCopied = filter === '';
  const graph = isCopied ? [] : [filter.includes('[') ? '-filter_complex' : '-vf', filter];
  const video = isCopied ? ['-map', '0:v:0', '-c', 'copy'] : encoder;
  await ffmpegOnPath([...inputs, ...graph, '-an', '-sn', '-dn', '-t', String(seconds), ...video, path]);
  return { name, path, seconds, ...measured };
}
