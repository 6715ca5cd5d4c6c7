import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { parsePlaylist } from '../helpers/hls.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed, samplesOf, strengthOf } from './decoded-media.js';
import { measure, shippedBuilds } from './shipped.js';

/* Several tracks of audio in one output: which tones they have, and what the file declares about them. */

/** The tones of the tracks of the film: English, German, and a commentary in 5.1. */
const tones = [440, 660, 880] as const;

async function filmWithTracks(): Promise<string> {
  const path = join(tempFolder(), 'in.mkv');
  const sines = tones.flatMap((hertz) => ['-f', 'lavfi', '-i', `sine=${hertz}:duration=2:sample_rate=48000`]);
  const labels = [
    ...['-filter:a:1', 'volume=0.3', '-metadata:s:a:0', 'language=eng', '-disposition:a:0', 'default'],
    ...[
      '-metadata:s:a:1',
      'language=ger',
      '-metadata:s:a:1',
      'title=Synchron; = #1',
      '-disposition:a:1',
      '0',
    ],
    ...[
      '-metadata:s:a:2',
      'language=eng',
      '-metadata:s:a:2',
      'title=Director',
      '-disposition:a:2',
      'comment',
    ],
  ];
  const film = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=2'];
  const maps = ['-map', '0', '-map', '1', '-map', '2', '-map', '3'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-ac:a:2', '6'];
  await makeMedia(path, [...film, ...sines, ...maps, ...codecs, ...labels]);
  return path;
}

/** How strong each tone is in a track, in the channel that has most of it. */
async function strengthsOf(path: string, track: number): Promise<readonly number[]> {
  const { channels, sampleRate } = await samplesOf(path, track);
  return tones.map((hertz) => Math.max(...channels.map((one) => strengthOf(hertz, one, sampleRate))));
}

/** The hash of the packets of each track. */
async function packetsOf(path: string): Promise<string> {
  const args = [
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-hash',
    'md5',
    '-',
  ];
  return (await measure(...args)).out.toString();
}

/** A track of audio: the tone that it has by decoding it, its channels, and its language. */
async function tracksOf(path: string): Promise<readonly string[]> {
  const shown = 'stream=index,channels:stream_tags=language';
  const rows = await probed(path, ['-select_streams', 'a', '-show_entries', shown]);
  // A transport stream lists its tracks again, for its programme.
  const tracks = [...new Map(rows.map(([index, ...row]) => [index, row])).values()];
  return await Promise.all(
    tracks.map(async ([channels, language = 'und'], track) => {
      const strengths = await strengthsOf(path, track);
      return `${tones[strengths.indexOf(Math.max(...strengths))]} ${channels} ${language}`;
    }),
  );
}

/** What the containers keep of the title and the purpose of a track, by builds of 2018 and newer ones. */
const lost = {
  'a.mp4': { new: [], old: ['purpose'] },
  'a.mov': { new: ['purpose'], old: ['purpose'] },
  'a.mkv': { new: [], old: ['purpose'] },
  'a.webm': { new: ['purpose'], old: ['purpose'] },
  'a.ts': { new: ['title', 'purpose'], old: ['title', 'purpose'] },
} as const;

for (const build of await shippedBuilds()) {
  const test = suite<{ input: string }>(`tracks of audio, ${build.name}`);
  test.before(async (context) => {
    context.input = await filmWithTracks();
  });
  const run = async (input: string, name: string, ...args: readonly string[]) => {
    const output = join(tempFolder(), name);
    const words = ['run', input, '-o', output, '--progress', 'none', '--speed', '5', ...args];
    const { code, stderr } = await runCli(words, { env: build.env });
    assert.is(code, 0, stderr);
    return { output, stderr };
  };

  for (const [name, { new: lostByNew, old }] of Object.entries(lost)) {
    test(`all tracks are in ${name}, in order, with their languages`, async ({ input }) => {
      const { output, stderr } = await run(input, name, '--audio-tracks', 'all');
      const german = name === 'a.mov' ? 'ger' : 'deu';
      assert.equal(await tracksOf(output), ['440 1 eng', `660 1 ${german}`, '880 2 eng']);
      const found = ['title', 'purpose'].filter((what) => stderr.includes(`The ${what} of audio track`));
      assert.equal(found, build.name === '@ffmpeg-installer' ? old : lostByNew);
    });
  }

  test('tracks come in the order of the request, and a copy keeps them', async ({ input }) => {
    const { output } = await run(input, 'a.mkv', '--audio-tracks', 'commentary,deu', '--copy-video');
    assert.equal(await tracksOf(output), ['880 2 eng', '660 1 deu']);
    for (const words of [['--copy-video', '--copy-audio'], ['--copy']]) {
      const { output: copy } = await run(input, 'b.mkv', ...words);
      assert.equal(await tracksOf(copy), ['440 1 eng', '660 1 deu', '880 6 eng']);
      assert.equal(await packetsOf(copy), await packetsOf(input));
    }
  });

  test('each track has its own loudness', async ({ input }) => {
    const { output } = await run(input, 'a.mkv', '--audio-tracks', '1,2', '--audio-loudness-level', '-20');
    const [first = 0, second = 0] = await Promise.all(
      [0, 1].map(async (track) => Math.max(...(await strengthsOf(output, track)))),
    );
    assert.ok(first > 0.1 && Math.abs(first - second) < 0.02, `${first} ${second}`);
  });

  for (const [words, names, toneOrder] of [
    [[], ['English en', 'Synchron; = #1 de'], [440, 660]],
    [
      ['--audio-tracks', 'commentary,deu,eng'],
      ['Director en', 'Synchron; = #1 de', 'English en'],
      [880, 660, 440],
    ],
  ] as const) {
    test(`a ladder has a rendition of each track: ${words[1] ?? 'each language'}`, async ({ input }) => {
      const out = join(tempFolder(), 'site');
      const args = [
        'run',
        input,
        '--hls',
        out,
        '--ladder',
        '48',
        '--speed',
        '5',
        '--progress',
        'none',
        ...words,
      ];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      const { media, streams } = parsePlaylist(readFileSync(join(out, 'master.m3u8'), 'utf8'));
      assert.equal(
        media.map(({ NAME, LANGUAGE }) => `${NAME} ${LANGUAGE}`),
        names,
      );
      assert.equal(
        media.map(({ DEFAULT }) => DEFAULT),
        ['YES', ...names.slice(1).map(() => 'NO')],
      );
      const found = media.map(async ({ URI = '' }) => {
        const strengths = await strengthsOf(join(out, URI), 0);
        return tones[strengths.indexOf(Math.max(...strengths))];
      });
      assert.equal(await Promise.all(found), toneOrder);
      // The stream of only audio is a list of segments, as all streams are.
      const [audioOnly] = streams.filter(({ RESOLUTION }) => RESOLUTION === undefined);
      assert.is(audioOnly?.uri, media[0]?.URI);
      const manifest = readFileSync(join(out, 'master.mpd'), 'utf8');
      assert.equal(
        [...manifest.matchAll(/contentType="audio".* lang="(\w+)"/g)].map(([, lang]) => lang),
        names.map((name) => name.slice(-2)),
      );
      assert.match(manifest, '<Label>Synchron; = #1</Label>');
      assert.is(/value="commentary"/.test(manifest), words.length > 0);
    });
  }

  test('the details of the job list the tracks, where they come from and what is left out', async ({
    input,
  }) => {
    const output = join(tempFolder(), 'a.mkv');
    const words = ['run', input, '-o', output, '--jsonl', '--progress', 'none', '--audio-tracks', 'deu,1'];
    const { code, stdout, stderr } = await runCli([...words, '--copy-video'], { env: build.env });
    assert.is(code, 0, stderr);
    const { job } = JSON.parse(stdout);
    const listed = ({ number, kind, language, channels, from }: Readonly<Record<string, unknown>>) =>
      [number, kind, language, channels, from].join(' ').trim();
    assert.equal(job.input_media_file.tracks.map(listed), [
      ...['1 video', '2 audio eng 1', '3 audio ger 1', '4 audio eng 6'],
    ]);
    const [{ tracks, left_out }] = job.output_media_files;
    assert.equal(tracks.map(listed), ['1 video   1', '2 audio deu 1 3', '3 audio eng 1 2']);
    assert.equal(left_out, [{ number: 4, kind: 'audio', reason: 'the request chooses other tracks' }]);
  });

  test('a container with one track takes the first one', async ({ input }) => {
    const { output, stderr } = await run(input, 'a.mp3', '--audio-tracks', 'deu,eng');
    assert.equal(await tracksOf(output), ['660 1 und']);
    assert.match(
      stderr,
      /Audio tracks 1 \(eng\), 3 \(eng, Director\) of the input were left out: \.mp3 holds one/,
    );
  });

  test.run();
}
