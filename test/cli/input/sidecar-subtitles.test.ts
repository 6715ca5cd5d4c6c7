import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localRequest } from '../../../src/cli/input/job-input.js';
import { readSidecars } from '../../../src/cli/input/sidecar-subtitles.js';
import type { Io } from '../../../src/cli/terminal/io.js';
import { tempFolder } from '../../helpers/temp.js';

function filmWith(names: readonly string[]): string {
  const folder = tempFolder();
  for (const name of ['film.mkv', ...names]) writeFileSync(join(folder, name), '');
  return join(folder, 'film.mkv');
}

function fakeIo(): { readonly io: Io; readonly printed: () => string } {
  let text = '';
  const write = (more: string) => (text += more);
  const io = { env: {}, writeStderr: write, writeInfo: write };
  // Only these members are used.
  return { io: io as unknown as Io, printed: () => text };
}

const inputs = (io = fakeIo().io) => ({ io });

test('subtitle files next to a film are found by their names, with language and purpose, and printed', async () => {
  const film = filmWith([
    ...[
      'film.srt',
      'film.de.srt',
      'film.de.forced.srt',
      'film.pt-BR.VTT',
      'film.en.sdh.ass',
      'film.forced.ssa',
    ],
    // Other films, other files, and words that are no languages.
    ...[
      'film2.srt',
      'film.part2.srt',
      'film.final.srt',
      'film.de.txt',
      'film.de.srt.bak',
      'film.de.other.srt',
    ],
    ...['movie.de.srt', 'film.nfo', 'film.1.srt', 'filmde.srt'],
  ]);
  mkdirSync(join(film, '..', 'film.fr.srt'));
  const { io, printed } = fakeIo();
  const found = await readSidecars(film, io);
  const at = (name: string) => join(film, '..', name);
  assert.equal(found, [
    { url: at('film.de.forced.srt'), language: 'de', label: 'German (forced)', forced: true },
    { url: at('film.de.srt'), language: 'de' },
    { url: at('film.en.sdh.ass'), language: 'en', label: 'English (SDH)', hearing_impaired: true },
    { url: at('film.forced.ssa'), language: 'und', label: 'Subtitles (forced)', forced: true },
    { url: at('film.pt-BR.VTT'), language: 'pt-BR' },
    { url: at('film.srt'), language: 'und' },
  ]);
  assert.is(
    printed(),
    'venc: subtitles for film.mkv: film.de.forced.srt (de, forced), film.de.srt (de), film.en.sdh.ass (en, SDH), film.forced.ssa (und, forced), film.pt-BR.VTT (pt-BR), film.srt (und)\n',
  );
});

test('a film whose name has special characters has subtitle files as well', async () => {
  const folder = tempFolder();
  const names = ['a [1] (2).x.mkv', 'a [1] (2).x.de.srt', 'a 1 2.x.de.srt'];
  for (const name of names) writeFileSync(join(folder, name), '');
  const found = await readSidecars(join(folder, 'a [1] (2).x.mkv'), fakeIo().io);
  assert.equal(
    found.map(({ url }) => url),
    [join(folder, 'a [1] (2).x.de.srt')],
  );
});

test('with --sidecar-subtitles they become caption files of all outputs, after those of --caption-url', async () => {
  const film = filmWith(['film.de.srt', 'extra.vtt']);
  const url = (name: string) => pathToFileURL(join(film, '..', name)).href;
  const args = {
    sidecarSubtitles: true,
    captionUrl: [join(film, '..', 'extra.vtt')],
    output: ['label=a', 'label=b'],
  };
  const { outputs } = await localRequest(film, args, inputs());
  const captions = [url('extra.vtt'), { url: url('film.de.srt'), language: 'de' }];
  assert.equal(outputs, [
    { caption_url: captions, label: 'a' },
    { caption_url: captions, label: 'b' },
  ]);
  assert.equal(await localRequest(film, {}, inputs()), { input: pathToFileURL(film).href });
});

test('no files are said, and an input that is not a local file is an error', async () => {
  const { io, printed } = fakeIo();
  const film = filmWith([]);
  assert.equal(await localRequest(film, { sidecarSubtitles: true }, inputs(io)), {
    input: pathToFileURL(film).href,
  });
  assert.is(printed(), `venc: warning: there are no subtitle files next to ${film}\n`);
  const error = await localRequest(
    'https://example.com/film.mkv',
    { sidecarSubtitles: true },
    inputs(io),
  ).catch((thrown: Error) => thrown);
  assert.instance(error, Error);
  assert.match((error as Error).message, '--sidecar-subtitles needs a local media file.');
});

test.run();
