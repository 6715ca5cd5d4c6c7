import { open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testTone } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed } from './decoded-media.js';
import { packets } from './packets.js';
import { shippedBuilds } from './shipped.js';

/* Copies into MP4 that are large enough to reserve space for the index, and are written only once. */

/** The names and sizes of the boxes of a file. */
async function boxes(path: string): Promise<readonly (readonly [name: string, bytes: number])[]> {
  const found: (readonly [string, number])[] = [];
  const file = await open(path);
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, at);
    if (bytesRead < 8) break;
    const size = buffer.readUInt32BE(0);
    found.push([buffer.toString('latin1', 4, 8), size]);
    at += size;
  }
  await file.close();
  return found;
}

/** Films of 16 s and about 40 MB, with B-frames and uneven frames; the tracks of audio have these options. */
async function makeFilm(name: string, ...audio: readonly string[]): Promise<string> {
  const [part, film] = [join(tempFolder(), 'part.mkv'), join(tempFolder(), name)];
  const noise = "testsrc2=s=640x360:r=25:d=2,noise=alls=60:allf=t,select='mod(n,7)'";
  await makeMedia(part, [
    ...['-f', 'lavfi', '-i', noise, ...testTone(2), '-map', '0', ...audio, '-vsync', 'passthrough'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '20M', '-bf', '2', '-pix_fmt', 'yuv420p'],
  ]);
  await makeMedia(film, ['-stream_loop', '7', '-i', part, '-map', '0', '-c', 'copy']);
  return film;
}

const tags = ';FFMETADATA1\ntitle=Film\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=9\ntitle=One\n';

for (const { name, env } of await shippedBuilds()) {
  const test = suite(`reserved index, ${name}`);

  const copy = async (input: string, ...words: readonly string[]) => {
    const path = join(tempFolder(), 'out.mp4');
    const args = ['run', input, '-o', path, '--copy', '--progress', 'none', ...words];
    const { code, stderr } = await runCli(args, { env });
    assert.is(code, 0, stderr);
    return { path, stderr };
  };

  test('the index is in front, with all tracks, tags, chapters and the cover image, and little is empty', async () => {
    const tracks = Array.from({ length: 10 }, () => ['-map', '1']).flat();
    const film = await makeFilm('tracks.mkv', ...tracks, '-c:a', 'aac', '-b:a', '64k');
    const [text, image, input] = ['tags.txt', 'cover.jpg', 'film.mkv'].map((one) =>
      join(tempFolder(), one),
    ) as [string, string, string];
    await writeFile(text, tags);
    await makeMedia(image, ['-f', 'lavfi', '-i', 'testsrc2=s=320x240', '-frames:v', '1']);
    await makeMedia(input, [
      '-i',
      film,
      '-f',
      'ffmetadata',
      '-i',
      text,
      '-map',
      '0',
      '-map_metadata',
      '1',
      '-c',
      'copy',
    ]);
    const { path } = await copy(input, '--audio-tracks', 'all', '--cover', `file://${image}`);
    const found = await boxes(path);
    assert.equal(
      found.map(([type]) => type),
      ['ftyp', 'moov', 'free', 'free', 'mdat'],
    );
    const empty = found.reduce((sum, [type, bytes]) => sum + (type === 'free' ? bytes : 0), 0);
    assert.ok(empty > 100 && empty < (await stat(path)).size / 200, `${empty}`);
    for (const stream of ['v:0', 'a:0'] as const) {
      const sizes = (all: Awaited<ReturnType<typeof packets>>) => all.map(({ bits }) => bits);
      assert.equal(sizes(await packets(path, stream)), sizes(await packets(input, stream)), stream);
    }
    const rows = await probed(path, ['-show_entries', 'format=nb_streams:format_tags=title']);
    assert.equal(rows, [['13', 'Film']], 'ten tracks, the video, the cover and the chapters');
    const chapters = await probed(path, ['-show_entries', 'chapter_tags=title']);
    assert.equal(chapters, [['One']]);
  });

  test('a file whose index is larger than estimated is written again, without an error', async () => {
    const opus = ['-map', '1', '-map', '1', '-c:a', 'libopus', '-frame_duration', '2.5'];
    const { path, stderr } = await copy(await makeFilm('opus.mkv', ...opus));
    const found = await boxes(path);
    assert.equal(
      found.map(([type, bytes]) => (type === 'free' ? bytes : type)),
      ['ftyp', 'moov', 8, 'mdat'],
    );
    assert.not.match(stderr, /index|reserved/);
  });

  test.run();
}
