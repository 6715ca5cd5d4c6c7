import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';

/* Cover images of outputs, as ffprobe and ffmpeg read them, and files within Matroska. */

const { ffmpeg, ffprobe } = await testFfmpeg();
const run = promisify(execFile);

interface Probed {
  readonly index: number;
  readonly codec_type: string;
  readonly codec_name?: string;
  readonly disposition: { readonly attached_pic: number };
  readonly tags?: { readonly filename?: string; readonly mimetype?: string; readonly title?: string };
}

/** The tracks of a file, the bytes of its cover images, and the names and bytes of the files in it. */
async function read(path: string) {
  const args = ['-v', 'error', '-show_streams', '-of', 'json', path];
  const streams: readonly Probed[] = JSON.parse((await run(ffprobe.path, args)).stdout).streams;
  const isCover = ({ disposition }: Probed) => disposition.attached_pic === 1;
  const covers: Buffer[] = [];
  for (const { index } of streams.filter(isCover)) {
    const to = join(tempFolder(), 'cover');
    const words = ['-map', `0:${index}`, '-c', 'copy', '-frames:v', '1', '-f', 'rawvideo', to];
    await run(ffmpeg.path, ['-nostdin', '-v', 'error', '-i', path, ...words]);
    covers.push(await readFile(to));
  }
  const files: (readonly [string | undefined, Buffer])[] = [];
  for (const { index, tags } of streams.filter(({ codec_type }) => codec_type === 'attachment')) {
    const to = join(tempFolder(), 'file');
    const words = ['-map', '0:a', '-c', 'copy', '-frames:a', '1', '-f', 'null', '-'];
    await run(ffmpeg.path, [
      '-nostdin',
      '-v',
      'error',
      `-dump_attachment:${index}`,
      to,
      '-i',
      path,
      ...words,
    ]);
    files.push([tags?.filename, await readFile(to)]);
  }
  const tracks = streams.filter((one) => !isCover(one) && one.codec_type !== 'attachment');
  const names = streams.filter(isCover).map(({ tags }) => tags?.filename);
  return { tracks: tracks.map(({ codec_type }) => codec_type).join(' '), covers, names, files };
}

/** An image of this size; the JPEG has EXIF data with a GPS directory, and something behind its end. */
async function makeImage(name: string, size = '32x24'): Promise<string> {
  const path = join(tempFolder(), name);
  await makeMedia(path, [...testVideo(size, 1, 1), '-frames:v', '1']);
  if (!name.endsWith('.jpg')) return path;
  const gps = [0, 1, 0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0];
  const latitude = [0, 1, 0, 1, 0, 2, 0, 0, 0, 2, 0x4e, 0, 0, 0, 0, 0, 0, 0];
  const exif = [...Buffer.from('Exif\0\0MM\0*\0\0\0\x08', 'latin1'), ...gps, ...latitude];
  const image = await readFile(path);
  const segment = Buffer.from([0xff, 0xe1, 0, exif.length + 2, ...exif]);
  await writeFile(
    path,
    Buffer.concat([image.subarray(0, 2), segment, image.subarray(2), Buffer.from('end')]),
  );
  return path;
}

/** A font of this machine as one of another family; null if there is none. The first letter of its name becomes X. */
async function makeFont(): Promise<{ readonly path: string; readonly family: string } | null> {
  const root = '/usr/share/fonts';
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const source =
    names.find((name) => /Serif[^/]*Bold[^/]*\.ttf$/.test(name)) ?? names.find((name) => /\.ttf$/.test(name));
  if (source === undefined) return null;
  const font = await readFile(join(root, source));
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  const table = tables.find((at) => font.toString('latin1', at, at + 4) === 'name') ?? 0;
  const start = font.readUInt32BE(table + 8);
  const texts = start + font.readUInt16BE(start + 4);
  let family = '';
  for (let index = 0; index < font.readUInt16BE(start + 2); index += 1) {
    const record = start + 6 + index * 12;
    const [platform, kind] = [font.readUInt16BE(record), font.readUInt16BE(record + 6)];
    const [length, at] = [font.readUInt16BE(record + 8), texts + font.readUInt16BE(record + 10)];
    if (![1, 4, 6, 16].includes(kind)) continue;
    font.write('X', platform === 1 ? at : at + 1, 'latin1');
    if (kind === 1 && platform !== 1)
      family = Buffer.from(font.subarray(at, at + length))
        .swap16()
        .toString('utf16le');
  }
  const path = join(tempFolder(), 'font.ttf');
  await writeFile(path, font);
  return { path, family };
}

const style = `[Script Info]
ScriptType: v4.00+
PlayResX: 160
PlayResY: 120

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Alignment, Encoding
Style: Default,FAMILY,60,&H00FFFFFF,5,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,Qgf
`;

const attach = (index: number, path: string, name: string, type: string) => [
  ...[
    '-attach',
    path,
    `-metadata:s:t:${index}`,
    `filename=${name}`,
    `-metadata:s:t:${index}`,
    `mimetype=${type}`,
  ],
];

interface Inputs {
  readonly film: string;
  readonly jpeg: Buffer;
  readonly cleaned: Buffer;
  readonly png: string;
}

async function makeInputs(): Promise<Inputs> {
  const [jpeg, png] = [await makeImage('a.jpg'), await makeImage('b.png', '40x40')];
  const [film, text] = [join(tempFolder(), 'film.mkv'), join(tempFolder(), 'text.ttf')];
  await writeFile(text, 'a font');
  const files = [
    ...attach(0, jpeg, 'cover.jpg', 'image/jpeg'),
    ...attach(1, png, 'back.png', 'image/png'),
    ...attach(2, text, '-i é.ttf', 'application/x-truetype-font'),
  ];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
  await makeMedia(film, [...testVideo('64x48', 25, 1), ...testTone(1), ...codecs, ...files]);
  const bytes = await readFile(jpeg);
  const cleaned = Buffer.from(bytes);
  // The number of entries, and the only one with what it names.
  const exif = cleaned.indexOf('MM\0*') + 8;
  cleaned.fill(0, exif, exif + 18);
  cleaned.fill(0, exif + 20, exif + 32);
  return { film, jpeg: bytes, cleaned, png };
}

for (const build of await shippedBuilds()) {
  const test = suite<Inputs>(`cover images, ${build.name}`);
  test.before(async (context) => {
    Object.assign(context, await makeInputs());
  });
  const made = async (input: string, name: string, ...words: readonly string[]) => {
    const output = join(tempFolder(), name);
    const args = ['run', input, '-o', output, '--progress', 'none', ...words];
    const { code, stderr } = await runCli(args, { env: build.env });
    assert.is(code, 0, stderr);
    return { ...(await read(output)), stderr };
  };

  test('each container keeps what it has a place for, byte for byte but the location', async ({
    film,
    cleaned,
    png,
  }) => {
    const folder = tempFolder();
    const names = ['a.mp4', 'b.mp4', 'a.m4v', 'a.mkv', 'a.m4a', 'a.mp3', 'a.flac', 'a.mov', 'a.webm'];
    const settings: Readonly<Record<string, string>> = {
      'a.mp4': ',video_bitrate=100',
      'b.mp4': ',video_bitrate=80,width=32',
      'a.mkv': ',video_bitrate=90,width=48',
    };
    const outputs = names.flatMap((name) => ['--output', `filename=${name}${settings[name] ?? ''}`]);
    const args = ['run', film, '-o', `${folder}/`, '--progress', 'none', '--speed', '5', ...outputs];
    const { code, stderr } = await runCli(args, { env: build.env });
    assert.is(code, 0, stderr);
    const bytes = [cleaned, await readFile(png)];
    for (const name of names) {
      const found = await read(join(folder, name));
      const hasPlace = !/mov|webm/.test(name);
      // Builds of 2018 read those of MP3 in the other order.
      const sorted = found.covers.toSorted((a, b) => (b[0] ?? 0) - (a[0] ?? 0));
      assert.equal(
        sorted.map((one) => one.toString('hex')),
        hasPlace ? bytes.map((one) => one.toString('hex')) : [],
        name,
      );
      assert.is(found.tracks, /m4a|mp3|flac/.test(name) ? 'audio' : 'video audio', name);
      assert.equal(found.files, name === 'a.mkv' ? [['-i é.ttf', Buffer.from('a font')]] : [], name);
      if (name === 'a.mkv') assert.equal(found.names, ['cover.jpg', 'back.png']);
      const lost = `${join(folder, name)}: The cover images of the input were left out`;
      assert.is(stderr.includes(lost), !hasPlace, stderr);
    }
    assert.match(stderr, /location in the cover image was left out/);
  });

  test('a copy keeps them, and the location on request', async ({ film, jpeg, png }) => {
    for (const name of ['a.mp4', 'a.mkv']) {
      const { covers, tracks, stderr } = await made(film, name, '--copy', '--metadata', 'keep-all');
      assert.ok(covers[0]?.equals(jpeg) && covers[1]?.equals(await readFile(png)), name);
      assert.is(tracks, 'video audio');
      assert.not.match(stderr, /cover image/);
    }
    const clip = await made(film, 'b.mp4', '--copy', '--start-clip', '0.4');
    assert.is(clip.covers.length, 2);
    const dropped = await made(film, 'c.mkv', '--copy', '--cover', 'drop');
    assert.equal([dropped.covers.length, dropped.files.length], [0, 1]);
    assert.not.match(dropped.stderr, /cover image/);
  });

  test('an image of the request replaces them, in a clip as well', async ({ film, png }) => {
    const clip = ['--start-clip', '0.3', '--clip-length', '0.4', '--speed', '5'];
    const replaced = await made(film, 'a.mp4', '--cover', png, ...clip);
    assert.equal(replaced.covers, [await readFile(png)]);
    const converted = await made(film, 'a.mp3', '--cover', await makeImage('c.gif'));
    assert.equal(
      converted.covers.map((one) => one.toString('latin1', 1, 4)),
      ['PNG'],
    );
    const files = await made(film, 'a.mkv', '--copy', '--cover', png);
    assert.equal([files.names, files.covers], [['cover.png'], [await readFile(png)]]);
  });

  test('images that cannot be used are warnings', async ({ film }) => {
    const text = join(tempFolder(), 'text.jpg');
    await writeFile(text, 'no image');
    // Only its header claims so many pixels.
    const huge = join(tempFolder(), 'huge.png');
    const image = await readFile(await makeImage('d.png'));
    image.writeUInt32BE(10_000, 16);
    image.writeUInt32BE(8000, 20);
    await writeFile(huge, image);
    for (const [cover, reason] of [
      [text, /not a PNG, GIF, JPEG or BMP image/],
      [huge, /more than 36000000 pixels|damaged/],
      ['http://127.0.0.1:9/a.jpg', /refused/],
    ] as const) {
      const { covers, stderr } = await made(film, 'a.m4a', '--cover', cover);
      assert.equal(covers, []);
      assert.match(stderr, /The cover image \S+ was left out: /);
      assert.match(stderr, reason);
    }
    const { stderr } = await made(film, 'a.mov', '--copy', '--cover', text);
    assert.match(stderr, /--cover has no effect: \.mov has no place for a cover image/);
  });

  test('captions are drawn with the fonts in the input', async () => {
    const font = await makeFont();
    if (font === null) return;
    const [text, film] = [join(tempFolder(), 'a.ass'), join(tempFolder(), 'film.mkv')];
    await writeFile(text, style.replace('FAMILY', font.family));
    const source = [
      '-f',
      'lavfi',
      '-i',
      'color=black:s=160x120:r=5:d=0.6',
      '-i',
      text,
      '-map',
      '0',
      '-map',
      '1',
    ];
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:s', 'ass'];
    // Not with makeMedia, which reads no text.
    await run(ffmpeg.path, ['-nostdin', '-v', 'error', ...source, ...codecs, film]);
    const withFont = join(tempFolder(), 'font.mkv');
    const attached = attach(0, font.path, 'x.ttf', 'application/x-truetype-font');
    await makeMedia(withFont, ['-i', film, '-map', '0', '-c', 'copy', ...attached]);
    const frames: string[] = [];
    for (const input of [film, withFont]) {
      const output = join(tempFolder(), 'out.mp4');
      const words = ['--subtitles', 'burn', '--progress', 'none'];
      const { code, stderr } = await runCli(['run', input, '-o', output, ...words], { env: build.env });
      assert.is(code, 0, stderr);
      assert.not.match(stderr, /attached/);
      const raw = join(tempFolder(), 'raw');
      await run(ffmpeg.path, [
        '-nostdin',
        '-v',
        'error',
        '-i',
        output,
        '-frames:v',
        '1',
        '-f',
        'rawvideo',
        raw,
      ]);
      frames.push((await readFile(raw)).toString('latin1'));
    }
    assert.is.not(frames[0], frames[1]);
  });
  test.run();
}
