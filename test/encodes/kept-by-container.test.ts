import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { makeHdr } from '../helpers/hdr.js';
import { testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { imageSubtitle } from './captions-harness.js';
import { type ShippedBuild, shippedBuilds } from './shipped.js';

/*
 * What each container keeps of a film with everything, as ffprobe reads it: all else is named by a warning. The table is
 * that of docs/encoding.md, which UPDATE_GOLDEN=1 writes.
 */

const document = join(process.cwd(), 'docs', 'encoding.md');
const run = promisify(execFile);
const { ffmpeg, ffprobe } = await testFfmpeg();

/** The columns, and the outputs that are measured. */
const containers = {
  MP4: 'a.mp4',
  MOV: 'a.mov',
  MKV: 'a.mkv',
  WebM: 'a.webm',
  TS: 'a.ts',
  FLV: 'a.flv',
  M4A: 'a.m4a',
  MP3: 'a.mp3',
  'HLS, TS': 'ts/master.m3u8',
  'HLS, fMP4': 'hls/master.m3u8',
  DASH: 'dash/master.mpd',
} as const;
type Container = keyof typeof containers;

const isAudio = (container: Container) => /^(?:M4A|MP3)$/.test(container);

/** An output as ffprobe reads it, its playlist or manifest, and its warnings. */
interface Output {
  readonly streams: readonly {
    readonly codec_type: string;
    readonly codec_name?: string;
    readonly color_transfer?: string;
    readonly tags?: Readonly<Record<string, string>>;
    readonly disposition: Readonly<Record<string, number>>;
  }[];
  readonly chapters: readonly { readonly tags?: { readonly title?: string } }[];
  readonly format: { readonly tags?: Readonly<Record<string, string>> };
  readonly text: string;
  readonly warnings: string;
}

const ofType = ({ streams }: Output, type: string) =>
  streams.filter(({ codec_type, disposition }) => codec_type === type && disposition.attached_pic !== 1);

/** A tag by its name in small letters: Matroska has capitals. */
function tagOf({ tags = {} }: Output['format'], name: string): string | undefined {
  return Object.entries(tags).find(([its]) => its.toLowerCase() === name)?.[1];
}

interface Feature {
  readonly name: string;
  /** Whether the output has it. */
  readonly isKept: (output: Output) => boolean;
  readonly warning: RegExp;
  readonly ofVideo?: true;
}

const features: readonly Feature[] = [
  {
    name: 'all audio tracks',
    isKept: (output) =>
      ofType(output, 'audio').length === 3 ||
      output.text.match(/TYPE=AUDIO|contentType="audio"/g)?.length === 3,
    warning: /Audio tracks 2 .* were left out/,
  },
  {
    name: 'languages of audio',
    isKept: (output) =>
      ofType(output, 'audio').every(({ tags }) => /^(?:eng|ger|deu)$/.test(tags?.language ?? '')) ||
      (/LANGUAGE="de"|lang="de"/.test(output.text) && /LANGUAGE="en"|lang="en"/.test(output.text)),
    warning: /language of (?:the audio|audio track)/,
  },
  {
    name: 'titles of audio',
    isKept: (output) =>
      ofType(output, 'audio').some(({ tags }) => Object.values(tags ?? {}).includes('Deutsch')) ||
      /NAME="Deutsch"|<Label>Deutsch/.test(output.text),
    warning: /title of audio track|Audio tracks 2/,
  },
  {
    name: 'purposes of audio, such as commentary',
    isKept: (output) =>
      ofType(output, 'audio').some(({ disposition }) => disposition.comment === 1) ||
      /NAME="Commentary"|value="commentary"/.test(output.text),
    warning: /purpose of audio track|Audio tracks 2/,
  },
  {
    name: 'text subtitles',
    isKept: (output) =>
      ofType(output, 'subtitle').filter(({ codec_name }) => codec_name !== 'hdmv_pgs_subtitle').length ===
        2 || output.text.match(/TYPE=SUBTITLES|contentType="text"/g)?.length === 2,
    warning: /The subtitles of the input were left out/,
    ofVideo: true,
  },
  {
    name: 'forced subtitles',
    isKept: (output) =>
      ofType(output, 'subtitle').some(({ disposition }) => disposition.forced === 1) ||
      /FORCED=YES|value="forced/.test(output.text),
    warning: /purpose of subtitle track|The subtitles of the input were left out/,
    ofVideo: true,
  },
  {
    name: 'subtitles that are images',
    isKept: (output) =>
      ofType(output, 'subtitle').some(({ codec_name }) => codec_name === 'hdmv_pgs_subtitle'),
    warning: /hdmv_pgs_subtitle.* were left out: they are images/,
    ofVideo: true,
  },
  {
    name: 'chapters',
    isKept: ({ chapters }) => chapters.map(({ tags }) => tags?.title).join() === 'Beginning,End',
    warning: /chapters of the input were left out/,
  },
  {
    name: 'tags, such as title and artist',
    isKept: ({ format }) => tagOf(format, 'title') === 'A Film' && tagOf(format, 'artist') === 'Someone',
    warning: /tags of the input were left out: .*title/,
  },
  {
    name: 'cover image',
    isKept: ({ streams }) => streams.some(({ disposition }) => disposition.attached_pic === 1),
    warning: /cover image of the input was left out/,
  },
  {
    name: 'attached fonts',
    isKept: (output) => ofType(output, 'attachment').length === 1,
    warning: /file attached to the input was left out/,
  },
  {
    name: 'timecode',
    isKept: ({ streams, format }) =>
      [...streams, format].some((owner) => tagOf(owner, 'timecode') === '01:02:03:04'),
    warning: /timecode/,
    ofVideo: true,
  },
];

const hdr: Feature = {
  name: 'HDR10 with `hdr: keep`',
  isKept: (output) => ofType(output, 'video').some((one) => one.color_transfer === 'smpte2084'),
  warning: /HDR|standard range/,
  ofVideo: true,
};

/** A film of 3 s with three tracks of audio, text and images as subtitles, chapters, tags, a cover and a font. */
async function makeFilm(folder: string): Promise<string> {
  const at = (name: string) => join(folder, name);
  const cue = (text: string) => `1\n00:00:00,200 --> 00:00:01,500\n${text}\n`;
  const chapter = (from: number, to: number, title: string) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${from}\nEND=${to}\ntitle=${title}\n`;
  await writeFile(at('en.srt'), cue('Hello'));
  await writeFile(at('forced.srt'), cue('Moin'));
  await writeFile(at('a.sup'), imageSubtitle(1000, 2000, { x: 4, y: 4, imageWidth: 24, imageHeight: 8 }));
  await writeFile(at('font.ttf'), 'a font');
  const parts = [chapter(0, 1000, 'Beginning'), chapter(1000, 3000, 'End')];
  await writeFile(at('meta'), `;FFMETADATA1\ntitle=A Film\nartist=Someone\n${parts.join('')}`);
  const make = (...args: readonly string[]) => run(ffmpeg.path, ['-nostdin', '-v', 'error', ...args]);
  await make(...testVideo('64x48', 1, 1), '-frames:v', '1', at('cover.jpg'));
  const subtitles = ['en.srt', 'forced.srt'].flatMap((name) => ['-i', at(name)]);
  const inputs = [...testTone(3), ...testTone(3), ...testTone(3), ...subtitles];
  const others = ['-itsoffset', '1', '-i', at('a.sup'), '-f', 'ffmetadata', '-i', at('meta')];
  const maps = [0, 1, 2, 3, 4, 5, 6].flatMap((index) => ['-map', `${index}`]);
  const labels = [
    ...[
      'a:0 language=eng',
      'a:1 language=ger',
      'a:1 title=Deutsch',
      'a:2 language=eng',
      'a:2 title=Commentary',
    ],
    ...['s:0 language=eng', 's:1 language=eng', 's:2 language=fre', 'v:0 timecode=01:02:03:04'],
  ].flatMap((label) => [`-metadata:s:${label.slice(0, 3)}`, label.slice(4)]);
  const flags = ['a:0 default', 'a:1 0', 'a:2 comment', 's:0 0', 's:1 forced', 's:2 0'];
  const dispositions = flags.flatMap((flag) => [`-disposition:${flag.slice(0, 3)}`, flag.slice(4)]);
  const attached = [
    ...['-attach', at('cover.jpg'), '-metadata:s:t:0', 'mimetype=image/jpeg'],
    ...['-metadata:s:t:0', 'filename=cover.jpg'],
    ...['-attach', at('font.ttf'), '-metadata:s:t:1', 'mimetype=application/x-truetype-font'],
    ...['-metadata:s:t:1', 'filename=font.ttf'],
  ];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-c:s', 'srt', '-c:s:2', 'copy'];
  await make(
    ...[
      ...testVideo('64x48', 25, 3),
      ...inputs,
      ...others,
      ...maps,
      '-map_metadata',
      '7',
      '-map_chapters',
      '7',
    ],
    ...[...codecs, ...labels, ...dispositions, ...attached, at('film.mkv')],
  );
  return at('film.mkv');
}

/** Makes all outputs of an input with `venc run`, and reads them. */
async function outputsOf(build: ShippedBuild, input: string, ...words: readonly string[]) {
  const folder = tempFolder();
  const warnings = new Map<string, string>();
  const encode = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCli(
      ['run', input, '--json', '--progress', 'none', ...words, ...args],
      { env: build.env },
    );
    assert.is(code, 0, stderr);
    for (const { job } of JSON.parse(stdout) as readonly { readonly job: JobRecord }[])
      for (const { url, ...file } of job.output_media_files) {
        const name = (url ?? '').slice(`file://${folder}/`.length);
        // The tracks of a ladder have the warnings of its master playlist.
        const [root = ''] = /^(?:hls|dash|ts)/.exec(name) ?? [name];
        warnings.set(root, [warnings.get(root), ...(file.warnings ?? [])].join('\n'));
      }
  };
  const isHdr = words.includes('--hdr');
  const codecOf = (name: string) => (name === 'a.webm' ? 'av1' : 'hevc');
  const codec = (name: string) => (isHdr && name !== 'a.flv' ? `,video_codec=${codecOf(name)}` : '');
  const names = (Object.keys(containers) as Container[])
    .filter((container) => !(isHdr && isAudio(container)))
    .map((container) => containers[container])
    .filter((name) => name.startsWith('a.'));
  await encode(
    ...['-o', `${folder}/`, ...names.flatMap((name) => ['--output', `filename=${name}${codec(name)}`])],
    ...['--output', `label=ts,filename=ts/film.m3u8,type=segmented${codec('ts')}`],
    ...[
      '--output',
      '{"filename":"ts/master.m3u8","type":"playlist","streams":[{"source":"ts","path":"film.m3u8"}]}',
    ],
  );
  const ladderCodec = isHdr ? ['--video-codec', 'hevc'] : [];
  await encode('--hls', join(folder, 'hls'), ...ladderCodec);
  await encode('--dash', join(folder, 'dash'), ...ladderCodec);
  return async (container: Container): Promise<Output> => {
    const name = containers[container];
    const path = join(folder, name);
    const words = ['-v', 'error', '-show_streams', '-show_chapters', '-show_format', '-of', 'json'];
    const [root = name] = /^(?:hls|dash|ts)/.exec(name) ?? [];
    const texts = /m3u8|mpd/.test(name) ? await readFile(path, 'utf8') : '';
    return {
      ...JSON.parse((await run(ffprobe.path, [...words, await mediaOf(path)])).stdout),
      ...{ text: texts, warnings: warnings.get(root) ?? '' },
    };
  };
}

/** The media file to read for an output: itself, a segment, or the video track of a ladder. */
async function mediaOf(path: string): Promise<string> {
  if (!/\.(?:m3u8|mpd)$/.test(path)) return path;
  const folder = join(path, '..');
  const names = (await readdir(folder, { recursive: true })).toSorted();
  const segment = names.find((name) => name.endsWith('.ts'));
  const playlist = names.find((name) => /^\d+p\/.*\.m3u8$/.test(name) && !name.includes('captions'));
  const first = names.find((name) => /^\d+p\/.*init\.mp4$/.test(name));
  return join(folder, segment ?? playlist ?? first ?? '');
}

/** The cells of a row: `yes` if the output has it, `warning` if it says that it has not. */
async function row(
  { name, isKept, warning, ofVideo }: Feature,
  read: (container: Container) => Promise<Output>,
): Promise<Readonly<Record<Container, string>>> {
  const cells: [string, string][] = [];
  for (const container of Object.keys(containers) as Container[]) {
    if (ofVideo === true && isAudio(container)) {
      cells.push([container, '–']);
      continue;
    }
    const output = await read(container);
    const isFound = isKept(output);
    assert.is(warning.test(output.warnings), !isFound, `${name} in ${container}: ${output.warnings}`);
    cells.push([container, isFound ? 'yes' : 'warning']);
  }
  return Object.fromEntries(cells) as Record<Container, string>;
}

test('what a container does not keep is named, and the table of the documentation is right', async () => {
  const folder = tempFolder();
  const film = await makeFilm(folder);
  const source = join(folder, 'hdr.mp4');
  await makeHdr(source, { range: 'pq', hasData: true });
  const rows = new Map<string, Readonly<Record<Container, string>>[]>();
  const builds = (await shippedBuilds()).filter(({ name }) => name !== '@ffmpeg-installer');
  for (const build of builds) {
    const read = await outputsOf(build, film, '--audio-tracks', 'all', '--speed', '5');
    const readHdr = await outputsOf(build, source, '--hdr', 'keep', '--speed', '5');
    for (const feature of [...features, hdr]) {
      const cells = await row(feature, feature === hdr ? readHdr : read);
      rows.set(feature.name, [...(rows.get(feature.name) ?? []), cells]);
    }
  }
  if (builds.length < 2 || !/ 5\.1/.test(builds[0]?.name ?? '')) return;
  const names = Object.keys(containers) as Container[];
  const table = [
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...[...rows].map(([name, [first, second]]) => {
      const cells = names.map((container) => {
        const [one, other] = [first?.[container], second?.[container]];
        return one === other ? one : `${one}, with 7.0 ${other}`;
      });
      return `| ${name} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
  const text = await readFile(document, 'utf8');
  const pattern = /^\| \| MP4 \|.*\n(?:\|.*\n)*/m;
  if (process.env.UPDATE_GOLDEN === '1')
    await writeFile(
      document,
      text.replace(pattern, () => `${table}\n`),
    );
  else assert.is(pattern.exec(text)?.[0], `${table}\n`);
});

test.run();
