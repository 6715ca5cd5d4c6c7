import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { cuesOf, subtitleStreams } from './captions-harness.js';
import { buildPaths, startShipped } from './shipped-run.js';

const subrip = `1
00:00:00,250 --> 00:00:01,125
<i>Déjà</i> – vu

2
00:00:01,500 --> 00:00:02,503
a < b & {c}
`;

const ass = `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Big,Arial,40,&H0000FF,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,8,10,10,10,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.25,0:00:01.12,Big,,0,0,0,,{\\i1}Déjà{\\i0} – vu
Dialogue: 0,0:00:01.50,0:00:02.50,Big,,0,0,0,,second\\Nline
`;

const ttml = `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xml:lang="fr" ttp:frameRate="25"><body><div>
<p begin="00:00:00.250" end="1125ms"><span tts:fontStyle="italic">Déjà</span> – vu</p>
<p begin="00:00:01:10" dur="1s">a &lt; b<br/>c</p>
</div></body></tt>`;

const sami = `<SAMI><BODY><SYNC Start=250><P Class=EN><i>D&eacute;j&agrave;</i> – vu<SYNC Start=1125><P Class=EN>&nbsp;
<SYNC Start=1500><P Class=EN>two<br>lines<SYNC Start=2503><P Class=EN>&nbsp;</BODY></SAMI>`;

const windows1252 = Buffer.from(subrip.replaceAll('–', '\u0096'), 'latin1');
const vtt = subrip.replaceAll(/(\d\d),(\d{3})/g, '$1.$2').replace('a < b & {c}', 'a &lt; b &amp; {c}');

type Cues = readonly (readonly [number, number, string])[];
const cues: Cues = [
  [250, 1125, 'Déjà – vu'],
  [1500, 2503, 'a < b & {c}'],
];

/** Ten caption files: name, content, and the cues in it. */
const files: readonly (readonly [string, string | Buffer, Cues])[] = [
  ['plain.srt', subrip, cues],
  ['mark.srt', `\uFEFF${subrip}`, cues],
  ['windows.srt', windows1252, cues],
  ['wide.vtt', Buffer.from(`\uFEFFWEBVTT\n\n${vtt}`, 'utf16le'), cues],
  [
    'styled.txt',
    ass,
    [
      [250, 1120, 'Déjà – vu'],
      [1500, 2500, 'second\nline'],
    ],
  ],
  [
    'film.dfxp',
    ttml,
    [
      [250, 1125, 'Déjà – vu'],
      [1400, 2400, 'a < b\nc'],
    ],
  ],
  [
    'film.smi',
    sami,
    [
      [250, 1125, 'Déjà – vu'],
      [1500, 2503, 'two\nlines'],
    ],
  ],
  [
    'film.scc',
    'Scenarist_SCC V1.0\n\n00:00:00:10\t9420 9420 94ae 94ae 9470 9470 c845 4c4c 4f80 942f 942f\n\n00:00:02:00\t942c 942c\n',
    [[330, 2000, 'HELLO']],
  ],
  ['film.stl', '00:00:01:00 , 00:00:02:00 , one|two\n', [[1000, 2000, 'one\ntwo']]],
  ['film.mpl', '[10][20]one|two\n', [[1000, 2000, 'one\ntwo']]],
];

const messageOf = ({ output_media_files: [output] }: JobRecord) =>
  `${output?.error_class} ${output?.error_message}`;

/**
 * Cues that are as far from the first frame as the expected ones. Builds of 2018 place the video in Matroska up to a frame earlier or later
 * than the audio and the captions.
 */
function aligned(found: Cues, expected: Cues): Cues {
  const shift = (found[0]?.[0] ?? 0) - (expected[0]?.[0] ?? 0);
  return Math.abs(shift) > 40 ? found : found.map(([start, end, text]) => [start - shift, end - shift, text]);
}

for (const [build, path] of await buildPaths()) {
  test(`ten caption files become tracks with their times and texts (${build})`, async () => {
    const folder = tempFolder();
    const input = join(folder, 'in.mp4');
    await makeMedia(input, film('160x120', 3));
    for (const [name, content] of files) await writeFile(join(folder, name), content);
    const urls = files.map(([name]) => `file://${folder}/${name}`);
    const encoder = await startShipped(path);
    try {
      for (const name of ['out.mkv', 'out.mp4', 'out.mov', 'out.webm']) {
        const made = await encoder.encoded(input, { caption_url: urls, speed: 5, width: 64 }, name);
        assert.is(made.job.state, 'finished', messageOf(made.job));
        const streams = await subtitleStreams(made.path);
        assert.is(streams.length, files.length);
        const codec = { mkv: 'subrip', webm: 'webvtt' }[name.slice(4)] ?? 'mov_text';
        const codecs = files.map(([file]) => (codec === 'subrip' && file === 'styled.txt' ? 'ass' : codec));
        assert.equal(
          streams.map((stream) => stream.codec),
          codecs,
        );
        for (const [index, [file, , expected]] of files.entries())
          assert.equal(aligned(await cuesOf(made.path, index), expected), expected, `${name}: ${file}`);
      }
    } finally {
      await encoder.end();
    }
  });
}

test('tracks have the languages, titles and uses of the request, a clip cuts them, and sources pass them on', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('160x120', 3));
  await writeFile(join(folder, 'a.srt'), subrip);
  await writeFile(join(folder, 'b.dfxp'), ttml);
  await writeFile(join(folder, 'c.srt'), '1\n00:10:00,000 --> 00:10:01,000\nlate\n');
  const at = (name: string) => `file://${folder}/${name}`;
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const outputs = [
      {
        url: at('out.mp4'),
        label: 'first',
        start_clip: 1,
        caption_url: [
          { url: at('a.srt'), language: 'de-AT', default: true },
          { url: at('b.dfxp'), label: 'Pour tous', forced: true },
          { url: at('c.srt') },
        ],
      },
      { url: at('again.mkv'), source: 'first', copy_video: true, captions_url: at('a.srt') },
      { url: at('dropped.mp4'), caption_url: at('missing.srt'), skip_captions: true },
    ];
    const id = await daemon.create({ input: at('in.mp4'), outputs });
    const { state, output_media_files: made } = await daemon.waitForJob(id);
    assert.is(state, 'finished', JSON.stringify(made.map(({ error_message }) => error_message)));
    const facts = (await subtitleStreams(join(folder, 'out.mp4'))).map(
      ({ language, title, dispositions }) => [language, title, dispositions.join()],
    );
    assert.equal(facts, [
      ['deu', 'Austrian German', 'default'],
      ['fra', 'Pour tous', 'forced'],
    ]);
    assert.equal(await cuesOf(join(folder, 'out.mp4'), 0), [
      [0, 125, 'Déjà – vu'],
      [500, 1503, 'a < b & {c}'],
    ]);
    const again = await subtitleStreams(join(folder, 'again.mkv'));
    assert.equal(
      again.map(({ language, title }) => [language, title]),
      [
        ['deu', 'Austrian German'],
        ['fra', 'Pour tous'],
        [null, null],
      ],
    );
    // Its source has a length of two seconds.
    const [, last] = await cuesOf(join(folder, 'again.mkv'), 2);
    assert.ok(last !== undefined && last[0] === 1500 && last[1] >= 1900 && last[1] <= 2100, String(last));
    assert.equal(await subtitleStreams(join(folder, 'dropped.mp4')), []);
    assert.equal(made[0]?.warnings, [
      'Only the language was kept of de-AT: .mp4 has no place for the region or script.',
      'Captions after the end of the video were cut.',
      'The captions of the request were left out: none is shown in this part of the video.',
    ]);
  } finally {
    await daemon.stop();
  }
});

for (const [build, path] of await buildPaths()) {
  test(`captions are in time with a clip of a file that is read from before it (${build})`, async () => {
    const folder = tempFolder();
    const input = join(folder, 'in.ts');
    await makeMedia(input, film('160x120', 3));
    await writeFile(join(folder, 'a.srt'), subrip);
    const encoder = await startShipped(path);
    try {
      for (const name of ['out.mkv', 'out.mp4', 'out.webm']) {
        const settings = { caption_url: `file://${folder}/a.srt`, start_clip: 1, speed: 5, width: 64 };
        const made = await encoder.encoded(input, settings, name);
        assert.is(made.job.state, 'finished', messageOf(made.job));
        const found = await cuesOf(made.path, 0);
        assert.equal(
          found.map(([, , text]) => text),
          cues.map(([, , text]) => text),
          name,
        );
        // The clip starts with the first frame after one second.
        for (const [index, [start, end]] of found.entries()) {
          const [givenStart = 0, givenEnd = 0] = cues[index] ?? [];
          const [from, to] = [Math.max(0, givenStart - 1000), givenEnd - 1000];
          assert.ok(Math.abs(start - from) <= 40, `${name}: ${start} for ${from}`);
          assert.ok(Math.abs(end - to) <= 40, `${name}: ${end} for ${to}`);
        }
      }
    } finally {
      await encoder.end();
    }
  });
}

test('a caption file that cannot be used fails its output with one sentence', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('160x120', 1));
  const broken = '1\n00:00:00,250 --> 00:00:xx,125\nx\n';
  const requests: string[] = [];
  const server = createServer(({ url = '', method }, response) => {
    requests.push(`${method} ${url}`);
    if (url === '/gone.srt') response.writeHead(404).end();
    else if (url === '/endless.srt') response.end(Buffer.alloc(21_000_000, 0x31));
    else response.end({ '/a.srt': subrip, '/broken.srt': broken, '/page.srt': '<html></html>' }[url] ?? '');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failures = {
    'gone.srt': /^FileNotFoundError The caption file http\S+gone\.srt cannot be fetched: /,
    'endless.srt':
      /^DownloadFailureError The caption file \S+ cannot be fetched: the file has more than 20 MB/,
    'broken.srt':
      /^CaptionError The caption file \S+ cannot be read: line 2, column 17: the end of the caption is not a time\.$/,
    'page.srt': /^CaptionError The caption file \S+ cannot be read: its format was not recognised\.$/,
    'empty.srt': /^CaptionError The caption file \S+ cannot be read: it is empty\.$/,
  };
  const names = Object.keys(failures);
  const daemon = await startTestDaemon({ filesRoots: [folder], allowPrivateNetwork: true });
  try {
    const to = (name: string) => `file://${folder}/${name}`;
    const id = await daemon.create({
      input: to('in.mp4'),
      outputs: [
        { url: to('good.mp4'), speed: 5, caption_url: `${origin}/a.srt` },
        { url: to('also-good.mkv'), speed: 5, caption_url: `${origin}/a.srt` },
        ...names.map((name, index) => ({ url: to(`bad-${index}.mp4`), caption_url: `${origin}/${name}` })),
      ],
    });
    const { output_media_files: outputs } = await daemon.waitForJob(id);
    assert.equal(
      outputs.map(({ state }) => state),
      ['finished', 'finished', ...names.map(() => 'failed')],
    );
    for (const [index, pattern] of Object.values(failures).entries()) {
      const { error_class, error_message } = outputs[index + 2] ?? {};
      assert.match(`${error_class} ${error_message}`, pattern);
    }
    // Its size is asked for with a request of its own.
    const count = (name: string) => requests.filter((one) => one.endsWith(name)).length;
    assert.is(count('/a.srt'), count('/broken.srt'));
  } finally {
    await daemon.stop();
    server.close();
  }
});

test.run();
