import { execFile } from 'node:child_process';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';

/* Tags and chapters of outputs, as ffprobe reads them. */

const { ffprobe } = await testFfmpeg();
const title = 'Holi=days; #1 \\ é';
const tags = `title=${title.replace(/[=;#\\]/g, '\\$&')}
artist=Me
date=2020-05-06
track=4/9
mood=good
location=+52.5000+013.4000/
creation_time=2021-02-03T04:05:06.000000Z
`;
const chapter = (start: number, end: number, name: string) =>
  `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\ntitle=${name}\n`;

async function taggedFilm(): Promise<string> {
  const [path, text] = [join(tempFolder(), 'in.mkv'), join(tempFolder(), 'tags.txt')];
  await writeFile(text, `;FFMETADATA1\n${tags}${chapter(0, 500, 'One')}${chapter(500, 1000, 'Two')}`);
  const inputs = [...testVideo('64x48', 25, 1), ...testTone(1), '-f', 'ffmetadata', '-i', text];
  const maps = ['-map', '0', '-map', '1', '-map_metadata', '2', '-map_chapters', '2'];
  await makeMedia(path, [...inputs, ...maps, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac']);
  return path;
}

/** The tags of a file by their names in lower case, and its chapters: title and times in milliseconds. */
async function read(path: string) {
  const args = ['-v', 'error', '-show_format', '-show_streams', '-show_chapters', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  const { format, streams, chapters } = JSON.parse(stdout);
  const owners = format.format_name === 'ogg' ? streams : [format];
  const entries = owners.flatMap(({ tags = {} }) => Object.entries(tags));
  return {
    tags: Object.fromEntries(entries.map(([name, value]: [string, unknown]) => [name.toLowerCase(), value])),
    chapters: chapters.map(
      ({
        start_time,
        end_time,
        tags: { title },
      }: {
        start_time: string;
        end_time: string;
        tags: { title: string };
      }) => `${title} ${Math.round(Number(start_time) * 1000)} ${Math.round(Number(end_time) * 1000)}`,
    ),
    timecode: streams.flatMap(({ tags = {} }: { tags?: { timecode?: string } }) => tags.timecode ?? [])[0],
    ofTracks: streams.flatMap(({ tags = {} }: { tags?: object }) => Object.keys(tags)),
    streams: streams.map(({ codec_type }: { codec_type: string }) => codec_type).join(' '),
  };
}

const names = ['title', 'artist', 'date', 'track', 'mood', 'location', 'creation_time'] as const;
const chapters = ['One 0 500', 'Two 500 1000'];
/** The tags of the film that each container keeps, and whether it has chapters. */
const kept = {
  'a.mp4': [['title', 'artist', 'date', 'track', 'creation_time'], true],
  'a.mov': [['title', 'artist', 'date', 'creation_time'], true],
  'a.mkv': [['title', 'artist', 'date', 'track', 'mood', 'creation_time'], true],
  'a.webm': [['title', 'artist', 'date', 'track', 'mood', 'creation_time'], true],
  'a.ts': [[], false],
  'a.flv': [['title', 'artist', 'date', 'track', 'mood', 'creation_time'], false],
  'a.m4a': [['title', 'artist', 'date', 'track', 'creation_time'], true],
  'a.mp3': [['title', 'artist', 'date', 'track', 'mood', 'creation_time'], true],
  'a.flac': [['title', 'artist', 'date', 'track', 'mood', 'creation_time'], false],
  'a.oga': [['title', 'artist', 'date', 'track', 'mood', 'creation_time'], false],
  'a.wav': [['title', 'artist', 'date', 'track'], false],
  'a.wma': [['title', 'artist', 'date', 'track', 'mood'], true],
} as const;

for (const build of await shippedBuilds()) {
  const test = suite<{ input: string }>(`tags and chapters, ${build.name}`);
  test.before(async (context) => {
    context.input = await taggedFilm();
  });

  for (const settings of [
    ['--speed', '5'],
    ['--copy-video', '--copy-audio'],
  ] as const) {
    test(`each container keeps what it has a place for: ${settings[0]}`, async ({ input }) => {
      const files = settings[0] === '--speed' ? Object.keys(kept) : ['a.mp4', 'a.mkv'];
      const folder = tempFolder();
      const outputs = files.flatMap((name) => ['--output', `filename=${name}`]);
      const args = ['run', input, '-o', `${folder}/`, '--progress', 'none', ...outputs, ...settings];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      for (const name of files) {
        const found = await read(join(folder, name));
        const [keptTags, hasChapters] = kept[name as keyof typeof kept];
        assert.equal(
          names.filter((tag) => tag in found.tags),
          keptTags,
          name,
        );
        if ('title' in found.tags) assert.is(found.tags.title, title, name);
        // Windows Media stores only where a chapter starts.
        const known = name === 'a.wma' ? (text: string) => text.replace(/ \d+$/, '') : String;
        assert.equal(found.chapters.map(known), hasChapters ? chapters.map(known) : [], name);
      }
    });
  }

  test('a timecode is that of the first frame', async () => {
    const input = join(tempFolder(), 'in.mov');
    const film = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=30000/1001:duration=2'];
    const timecode = ['-timecode', '01:00:59;28'];
    await makeMedia(input, [...film, '-c:v', 'libx264', '-g', '1', ...timecode]);
    for (const [name, words, expected] of [
      ['a.mp4', ['--copy-video'], '01:00:59;28'],
      ['a.mov', ['--start-clip', '1.001', '--clip-length', '0.5'], '01:01:01;00'],
      ['b.mov', ['--start-clip', '1.001', '--copy-video'], '01:01:01;00'],
      ['a.mkv', ['--frame-rate', '25'], '01:01:00:00'],
      ['b.mp4', ['--metadata', 'drop', '--copy-video'], undefined],
    ] as const) {
      const output = join(tempFolder(), name);
      const args = ['run', input, '-o', output, '--progress', 'none', '--speed', '5', ...words];
      assert.is((await runCli(args, { env: build.env })).code, 0);
      const found = await read(output);
      assert.equal([found.tags.timecode ?? found.timecode, name], [expected, name]);
    }
  });

  test('a film with a cover image has one track of timecode', async ({ input: film }) => {
    const [cover, output] = [join(tempFolder(), 'cover.png'), join(tempFolder(), 'a.mp4')];
    await makeMedia(cover, ['-f', 'lavfi', '-i', 'color=red:s=64x48', '-frames:v', '1']);
    for (const words of [['--copy'], ['--speed', '5', '--frame-rate', '25']]) {
      const tags = ['--cover', cover, '--metadata', 'timecode=10:00:00:00'];
      const args = ['run', film, '-o', output, '--progress', 'none', '--force', ...tags, ...words];
      assert.is((await runCli(args, { env: build.env })).code, 0);
      const { timecode, streams } = await read(output);
      assert.is(timecode, '10:00:00:00');
      // One track of data has the titles of the chapters.
      assert.is(streams.replaceAll(/[^dv]|(?<=[a-z])[a-z]/g, ''), 'vddv');
    }
  });

  test('chapters in the wrong order are sorted, and empty ones are named', async ({ input: film }) => {
    const [input, text] = [join(tempFolder(), 'in.mp4'), join(tempFolder(), 'wrong.txt')];
    const listed = [chapter(700, 900, 'Last'), chapter(0, 300, 'First'), chapter(300, 700, 'Middle')];
    await writeFile(text, `;FFMETADATA1\n${listed.join('')}`);
    // The list of names (chpl) has the times of the chapters as they were given; the track of text makes others of them.
    const maps = ['-map', '0:v', '-map_chapters', '1', '-c', 'copy'];
    await makeMedia(input, ['-i', film, '-f', 'ffmetadata', '-i', text, ...maps]);
    const given = (await read(input)).chapters;
    for (const name of ['a.mp4', 'a.mkv']) {
      const output = join(tempFolder(), name);
      const args = ['run', input, '-o', output, '--progress', 'none', '--copy'];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      const kept = (await read(output)).chapters;
      const titlesIn = (rows: readonly string[]) => rows.map((row) => row.split(' ')[0] ?? '');
      assert.ok(kept.length > 0);
      for (const title of titlesIn(given))
        assert.ok(
          titlesIn(kept).includes(title) ||
            new RegExp(`without a length were left out: .*${title}`).test(stderr),
          `${title} ${given} ${kept} ${stderr}`,
        );
      const starts: readonly number[] = kept.map((row: string) => Number(row.split(' ')[1]));
      assert.equal(
        starts,
        starts.toSorted((a: number, b: number) => a - b),
      );
    }
  });

  test('a title that ffmpeg cannot read is named', async () => {
    const [input, output] = [join(tempFolder(), 'in.mp3'), join(tempFolder(), 'out.m4a')];
    await makeMedia(input, [...testTone(1), '-id3v2_version', '0', '-write_xing', '0']);
    const frame = (id: string, bytes: readonly number[]) =>
      Buffer.from([...Buffer.from(id), 0, 0, 0, bytes.length, 0, 0, ...bytes]);
    // UTF-16 without a byte order mark, and Latin-1.
    const frames = Buffer.concat([
      frame('TIT2', [1, ...Buffer.from('Holiday', 'utf16le')]),
      frame('TPE1', [0, ...Buffer.from('Me')]),
    ]);
    const head = Buffer.from([...Buffer.from('ID3'), 3, 0, 0, 0, 0, 0, frames.length]);
    await writeFile(input, Buffer.concat([head, frames, await readFile(input)]));
    const args = ['run', input, '-o', output, '--progress', 'none'];
    const { code, stderr } = await runCli(args, { env: build.env });
    assert.is(code, 0, stderr);
    assert.match(stderr, 'Tags of the input that ffmpeg cannot read were left out: title.');
    assert.is((await read(output)).tags.artist, 'Me');
  });

  test('a copy keeps the names of tags, and has none of its tracks', async ({ input: film }) => {
    const folder = tempFolder();
    const [input, song, text] = ['in.mkv', 'in.mp3', 'tags.txt'].map((name) => join(folder, name));
    const given = ['title=Ferien', 'title-fra=Vacances', 'rip-log=a', 'rip-crc=b', 'COLLECTION/TITLE=All'];
    await writeFile(text ?? '', [';FFMETADATA1', ...given].join('\n'));
    const ofTracks = ['-metadata:s', 'mood=x', '-metadata:s', 'BPS=77', '-metadata:s', 'location=+1+2/'];
    const inputs = ['-i', film, '-f', 'ffmetadata', '-i', text ?? '', '-map_metadata', '1'];
    await makeMedia(input ?? '', [...inputs, '-c', 'copy', ...ofTracks]);
    await makeMedia(song ?? '', [...testTone(1), '-metadata', 'TBPM=120', '-metadata', 'TOPE=Me']);
    const copy = async (source: string, output: string) => {
      const args = ['run', source, '-o', join(folder, output), '--progress', 'none', '--copy'];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      return { stderr, ...(await read(join(folder, output))) };
    };
    const copied = await copy(input ?? '', 'out.mkv');
    const { encoder: _, 'title-fre': french, ...others } = copied.tags;
    const names = { title: 'Ferien', 'rip-log': 'a', 'rip-crc': 'b', 'collection/title': 'All' };
    assert.equal([french, others], ['Vacances', names]);
    assert.match(copied.stderr, 'were left out: mood (stream 0), location (stream 0), mood (stream 1)');
    assert.equal(copied.ofTracks, ['DURATION', 'DURATION']);
    const { tbpm, tope } = (await copy(song ?? '', 'out.mp3')).tags;
    assert.equal([tbpm, tope], ['120', 'Me']);
    assert.ok((await readFile(join(folder, 'out.mp3'))).includes('TBPM'));
  });

  test('the location, a title and the modification time', async ({ input }) => {
    await utimes(input, 1_577_934_245, 1_577_934_245);
    const output = join(tempFolder(), 'a.mp4');
    const args = ['run', input, '-o', output, '--progress', 'none', '--speed', '5'];
    const words = ['--metadata', 'title=Mine', '--metadata', 'artist='];
    assert.is((await runCli([...args, ...words], { env: build.env })).code, 0);
    const found = await read(output);
    assert.equal([found.tags.title, found.tags.artist, found.tags.location], ['Mine', undefined, undefined]);
    assert.is((await stat(output)).mtimeMs, 1_577_934_245_000);
    const again = [...args, '--force', '--metadata', 'keep-all'];
    assert.is((await runCli(again, { env: build.env })).code, 0);
    assert.is((await read(output)).tags.location, '+52.5000+013.4000/');
    const dropped = [...args, '--force', '--metadata', 'drop', '--chapters', 'drop'];
    assert.is((await runCli(dropped, { env: build.env })).code, 0);
    const bare = await read(output);
    assert.equal(
      names.filter((tag) => tag in bare.tags),
      [],
    );
    assert.equal([bare.chapters, bare.streams], [[], 'video audio']);
    assert.ok((await stat(output)).mtimeMs > Date.now() - 60_000);
  });
  test.run();
}
