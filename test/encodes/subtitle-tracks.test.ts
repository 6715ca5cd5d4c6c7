import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders } from '../plan/encoded.js';
import { subtitleStreams } from './captions-harness.js';
import { startShipped, warningsOf } from './shipped-run.js';

/** A film with English audio and four tracks of text: English (default), forced English, German and forced German. */
async function makeFilm(folder: string): Promise<string> {
  const text = join(folder, 'text.srt');
  const film = join(folder, 'film.mkv');
  writeFileSync(text, '1\n00:00:00,500 --> 00:00:01,500\nHello\n');
  const { ffmpeg } = await testFfmpeg();
  const tracks = ['eng', 'eng', 'ger', 'ger'];
  await promisify(execFile)(ffmpeg.path, [
    ...[...testVideo('64x48', 10, 2), ...testTone(2), ...tracks.flatMap(() => ['-i', text])],
    ...['-map', '0', '-map', '1', ...tracks.flatMap((_, at) => ['-map', `${at + 2}`])],
    ...[
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-c:s',
      'srt',
      '-metadata:s:a:0',
      'language=eng',
    ],
    ...tracks.flatMap((code, at) => [`-metadata:s:s:${at}`, `language=${code}`]),
    ...['default', 'forced', 'hearing_impaired', 'forced'].flatMap((name, at) => [
      `-disposition:s:${at}`,
      name,
    ]),
    ...['-y', film],
  ]);
  return film;
}

/** The purposes that a container stores, with builds of 2018 and with later ones. */
const stored = {
  mkv: [['forced'], ['forced', 'hearing_impaired']],
  mp4: [[], ['forced', 'hearing_impaired']],
  mov: [[], []],
  webm: [['forced'], ['forced']],
} as const;

for (const [build, { ffmpeg, capabilities }] of await encoders()) {
  test(`selected subtitles keep their purposes as far as the container stores them (${build})`, async () => {
    const film = await makeFilm(tempFolder());
    const encoder = await startShipped(ffmpeg.path);
    try {
      for (const [extension, selectors, tracks] of [
        ['mkv', ['all'], ['eng default', 'eng forced', 'deu hearing_impaired', 'deu forced']],
        // The default track of the input is in the list, so the first one becomes the default.
        ['mkv', ['deu:1', 'eng'], ['deu default hearing_impaired', 'eng', 'eng forced']],
        ['mp4', ['forced'], ['eng forced', 'deu forced']],
        ['mov', ['3', '2'], ['deu hearing_impaired', 'eng forced']],
        ['webm', ['hearing_impaired', 'forced'], ['deu hearing_impaired', 'eng forced', 'deu forced']],
      ] as const) {
        const kept: readonly string[] = stored[extension][capabilities.hasFpsMode ? 1 : 0];
        const isLost = (word: string) => /^(?:forced|hearing_impaired)$/.test(word) && !kept.includes(word);
        const made = await encoder.encoded(
          film,
          { subtitle_tracks: selectors, speed: 5 },
          `out.${extension}`,
        );
        const warnings = warningsOf(made);
        const found = (await subtitleStreams(made.path)).map(({ language, dispositions }) =>
          [language === 'ger' ? 'deu' : language, ...dispositions]
            .filter((word) => word !== 'default')
            .join(' '),
        );
        const expected = tracks.map((track) => track.split(' ').filter((word) => word !== 'default'));
        assert.equal(
          found,
          expected.map((words) => words.filter((word) => !isLost(word)).join(' ')),
        );
        const lost = expected.flatMap((words, at) =>
          words.filter(isLost).map((word) => `${at + 1} (${word})`),
        );
        assert.equal(
          warnings,
          lost.length === 0
            ? []
            : [
                `The purpose of subtitle track${lost.length === 1 ? '' : 's'} ${lost.join(', ')} of the output was lost: the container does not store it.`,
              ],
        );
        if (extension !== 'mkv') continue;
        const defaults = (await subtitleStreams(made.path)).map(({ dispositions }) =>
          dispositions.includes('default'),
        );
        assert.equal(
          defaults,
          tracks.map((track) => track.includes(' default')),
        );
      }
      const strict = await encoder.encoded(film, { subtitle_tracks: ['fra'], strict: true });
      assert.is(strict.job.output_media_files[0]?.error_class, 'NoMediaError');
    } finally {
      await encoder.end();
    }
  });
}

test('a playlist forces the subtitles that are forced in the language of its audio', async () => {
  const folder = tempFolder();
  await makeFilm(folder);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const cut = { type: 'segmented', segment_seconds: 2, speed: 5 };
    const id = await daemon.create({
      input: `file://${folder}/film.mkv`,
      outputs: [
        { ...cut, url: `file://${folder}/a.m3u8`, label: 'one', subtitle_tracks: ['eng', 'deu'] },
        { type: 'playlist', url: `file://${folder}/b.m3u8`, streams: [{ source: 'one' }] },
      ],
    });
    const { state } = await daemon.waitForJob(id);
    assert.is(state, 'finished');
    const { media } = parsePlaylist(readFileSync(join(folder, 'b.m3u8'), 'utf8'));
    assert.equal(
      media.map(({ NAME, LANGUAGE, DEFAULT, FORCED }) => [NAME, LANGUAGE, DEFAULT, FORCED]),
      [
        ['English', 'en', 'YES', undefined],
        ['English 2', 'en', 'NO', 'YES'],
        ['German', 'de', 'NO', undefined],
        ['German (forced)', 'de', 'NO', undefined],
      ],
    );
  } finally {
    await daemon.stop();
  }
});

test.run();
