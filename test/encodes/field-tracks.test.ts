import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { probed, samplesOf, strengthOf } from './decoded-media.js';
import { makerIn, type ShippedEncoder, startShipped, warningsOf } from './shipped-run.js';

/* Tracks that begin long after the start of the file, and files with several programmes. */

const folder = tempFolder();
const { ffmpeg } = await testFfmpeg();

const testVideo = (size: string, seconds: number, rate = 5) =>
  ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`] as const;
const tone = (hertz: number, seconds: number) =>
  ['-f', 'lavfi', '-i', `sine=${hertz}:duration=${seconds}:sample_rate=44100`] as const;
const later = (seconds: number) => ['-itsoffset', String(seconds)] as const;
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;
const mpeg2 = ['-c:v', 'mpeg2video', '-r', '25', '-g', '5'] as const;

const made = makerIn(folder);

/** The strength of a tone in half a second of the first audio of a file. */
async function strengthAt(path: string, seconds: number, hertz: number): Promise<number> {
  const { startSeconds, sampleRate, channels } = await samplesOf(path);
  const from = Math.round((seconds - startSeconds) * sampleRate);
  return strengthOf(
    hertz,
    (channels[0] ?? new Float32Array()).subarray(from, from + sampleRate / 2),
    sampleRate,
  );
}

const widthsOf = async (path: string) =>
  (await probed(path, ['-select_streams', 'v', '-show_entries', 'stream=width'])).flat();

const test = suite<{ encoder: ShippedEncoder }>('tracks of field inputs');
test.before(async (context) => {
  context.encoder = await startShipped(ffmpeg.path);
});
test.after(({ encoder }) => encoder.end());

// 64x48 pixels have too few bytes for a probe to stop early; noise has enough.
const noise = ['-vf', 'noise=alls=60:allf=t', ...mpeg2, '-q:v', '2'] as const;

for (const [name, args] of [
  ['audio.ts', [...testVideo('160x120', 12), ...later(10), ...tone(440, 2), ...h264, '-c:a', 'aac']],
  [
    'audio.mpg',
    [...testVideo('64x48', 14), ...later(10), ...tone(440, 2), ...mpeg2, '-c:a', 'mp2', '-f', 'vob'],
  ],
  [
    'unlisted.mpg',
    [...testVideo('160x120', 16), ...later(10), ...tone(440, 2), ...noise, '-c:a', 'mp2', '-f', 'vob'],
  ],
  [
    'unlisted.flv',
    [
      ...[...testVideo('320x240', 13), ...later(10), ...tone(440, 2), '-vf', 'noise=alls=60:allf=t'],
      ...[...h264, '-qp', '0', '-ar', '44100', '-c:a', 'libmp3lame'],
    ],
  ],
] as const) {
  test(`audio that begins after ten seconds is encoded at its time: ${name}`, async ({ encoder }) => {
    const result = await encoder.encoded(await made(name, ...args), { size: '64x48', speed: 5 });
    assert.equal(warningsOf(result), []);
    assert.ok((await strengthAt(result.path, 9, 440)) < 0.01);
    assert.ok((await strengthAt(result.path, 10.5, 440)) > 0.08);
  });
}

test('late audio is copied, measured and cut as well', async ({ encoder }) => {
  const input = await made(
    'late.ts',
    ...testVideo('160x120', 12),
    ...later(10),
    ...tone(440, 2),
    ...h264,
    '-c:a',
    'aac',
  );
  const copy = await encoder.encoded(input, { copy_video: true, copy_audio: true }, 'copy.mkv');
  assert.equal(warningsOf(copy), []);
  const starts = await probed(copy.path, ['-select_streams', 'a', '-show_entries', 'packet=pts_time']);
  assert.ok(Math.abs(Number(starts[0]?.[0]) - 9.98) < 0.1, `${starts}`);
  const loud = await encoder.encoded(input, { audio_loudness_level: -20 });
  assert.ok((await strengthAt(loud.path, 10.5, 440)) > 0.08);
  const clip = await encoder.encoded(input, { start_clip: 9, clip_length: 2 });
  assert.ok((await strengthAt(clip.path, 0.2, 440)) < 0.01);
  assert.ok((await strengthAt(clip.path, 1.3, 440)) > 0.08);
});

test('video that begins after ten seconds is encoded, with its thumbnails', async ({ encoder }) => {
  const input = await made(
    'video.ts',
    ...later(10),
    ...testVideo('160x120', 2),
    ...tone(440, 12),
    ...h264,
    '-c:a',
    'mp2',
  );
  const result = await encoder.encoded(input, { thumbnails: { times: [11] } });
  assert.equal(warningsOf(result), []);
  assert.equal(await widthsOf(result.path), ['160']);
  const [start] = await probed(result.path, ['-select_streams', 'v', '-show_entries', 'stream=start_time']);
  assert.ok(Math.abs(Number(start?.[0]) - 10) < 0.1, `${start}`);
});

test('a second audio track that begins after ten seconds can be selected', async ({ encoder }) => {
  const language = ['-metadata:s:a:1', 'language=deu'];
  const input = await made(
    'second.ts',
    ...testVideo('160x120', 12),
    ...tone(440, 12),
    ...later(10),
    ...tone(880, 2),
    ...['-map', '0', '-map', '1', '-map', '2', ...h264, '-c:a', 'mp2', ...language],
  );
  const first = await encoder.encoded(input);
  assert.match(warningsOf(first).join(' '), /^Audio track 2 \(deu\) of the input was left out/);
  const second = await encoder.encoded(input, { select_audio_language: 'de' });
  assert.equal(warningsOf(second), []);
  assert.ok((await strengthAt(second.path, 10.5, 880)) > 0.08);
});

for (const kind of ['visual_impaired', 'hearing_impaired'] as const) {
  test(`ordinary audio is chosen before a track that is ${kind}`, async ({ encoder }) => {
    const english = ['-metadata:s:a', 'language=eng', '-disposition:a:0', kind];
    const input = await made(
      `${kind}.ts`,
      ...[...testVideo('160x120', 2), ...tone(440, 2), ...tone(880, 2), '-map', '0', '-map', '1'],
      ...['-map', '2', ...h264, '-c:a', 'mp2', ...english],
    );
    const result = await encoder.encoded(input);
    assert.match(warningsOf(result).join(' '), /^Audio track 1 \(eng\) of the input was left/);
    const selected = await encoder.encoded(input, { select_audio_language: 'en' });
    assert.equal(warningsOf(selected), []);
    for (const { path } of [result, selected]) assert.ok((await strengthAt(path, 1, 880)) > 0.08);
  });
}

test('a track that is declared and has no packets is named by a warning', async ({ encoder }) => {
  const whole = await readFile(
    await made('whole.ts', ...testVideo('160x120', 2), ...tone(440, 2), ...h264, '-c:a', 'aac'),
  );
  const packets = Array.from({ length: whole.length / 188 }, (_, at) =>
    whole.subarray(at * 188, at * 188 + 188),
  );
  const input = join(folder, 'without-packets.ts');
  await writeFile(input, Buffer.concat(packets.filter((one) => (one.readUInt16BE(1) & 0x1fff) !== 0x101)));
  const result = await encoder.encoded(input);
  assert.equal(warningsOf(result), [
    'The audio in stream 1 (aac) of the input was left out: no frame of it was found.',
  ]);
});

for (const [name, ...args] of [
  ['empty.mkv', '-c:a', 'flac'],
  ['empty.mp4', '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov'],
] as const) {
  const withoutPackets = [...args, '-bsf:a:0', 'noise=dropamount=1'];

  test(`audio that is declared with all properties and has no packets is left out: ${name}`, async ({
    encoder,
  }) => {
    const video = [...testVideo('160x120', 2), ...tone(440, 2)];
    const alone = await encoder.encoded(await made(name, ...video, ...h264, ...withoutPackets));
    assert.match(
      warningsOf(alone).join(' '),
      /^The audio in stream 1 \(\w+\) of the input was left out: no frame of it was found\.$/,
    );
    const entries = ['-count_frames', '-show_entries', 'stream=codec_type,nb_read_frames'];
    assert.equal(await probed(alone.path, entries), [['video', '10']]);
    const other = [...video, ...tone(880, 2), '-map', '0', '-map', '1', '-map', '2', ...h264];
    const second = await encoder.encoded(await made(`second-${name}`, ...other, ...withoutPackets));
    assert.match(warningsOf(second).join(' '), /^The audio in stream 1 [^,]+ no frame of it was found\.$/);
    assert.ok((await strengthAt(second.path, 1, 880)) > 0.08);
  });
}

test('a file whose only track is audio without packets has no samples', async ({ encoder }) => {
  const fragments = ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-bsf:a', 'noise=dropamount=1'];
  const { job } = await encoder.encoded(await made('only.mp4', ...tone(440, 2), ...fragments));
  assert.match(JSON.stringify(job), /The file has no samples/);
  assert.match(JSON.stringify(job), /NoMediaError/);
});

const twoProgrammes = () =>
  made(
    'two.ts',
    ...[...testVideo('64x48', 2), ...tone(440, 2), ...testVideo('160x120', 2), ...tone(1000, 2)],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...h264, '-c:a', 'mp2'],
    ...['-program', 'title=Erstes:st=0:st=1', '-program', 'title=Zweites:st=2:st=3'],
  );

for (const [name, args, hertz] of [
  [
    'a radio programme is first',
    [
      ...tone(440, 2),
      ...testVideo('160x120', 2),
      ...tone(1000, 2),
      ...['-map', '0', '-map', '1', '-map', '2'],
      ...['-program', 'title=Radio:st=0', '-program', 'title=TV:st=1:st=2'],
    ],
    1000,
  ],
  [
    'they share their audio',
    [
      ...testVideo('64x48', 2),
      ...testVideo('160x120', 2),
      ...tone(1000, 2),
      ...['-map', '0', '-map', '1', '-map', '2'],
      ...['-program', 'title=Small:st=0:st=2', '-program', 'title=TV:st=1:st=2'],
    ],
    1000,
  ],
  [
    'the video begins late',
    [
      ...tone(440, 12),
      ...later(10),
      ...testVideo('160x120', 2),
      ...tone(1000, 12),
      ...[
        '-map',
        '0',
        '-map',
        '1',
        '-map',
        '2',
        '-program',
        'title=Radio:st=0',
        '-program',
        'title=TV:st=1:st=2',
      ],
    ],
    1000,
  ],
  [
    'the chosen one begins later',
    [
      ...testVideo('64x48', 4),
      ...tone(440, 4),
      ...later(2),
      ...testVideo('160x120', 2),
      ...later(2),
      ...tone(1000, 2),
      ...['-map', '0', '-map', '1', '-map', '2', '-map', '3'],
      ...['-program', 'title=First:st=0:st=1', '-program', 'title=TV:st=2:st=3'],
    ],
    1000,
  ],
] as const) {
  test(`video and audio are of one programme if ${name}`, async ({ encoder }) => {
    const result = await encoder.encoded(
      await made('programmes.ts', ...args.slice(0), ...h264, '-c:a', 'mp2'),
    );
    const [warning = '', ...others] = warningsOf(result);
    assert.match(
      warning,
      /^The output has programme 2 \(TV\) of the input; programme 1 \(\w+\) was left out/,
    );
    assert.equal(others, []);
    assert.equal(await widthsOf(result.path), ['160']);
    assert.ok((await strengthAt(result.path, 1, hertz)) > 0.08);
    assert.ok((await strengthAt(result.path, 1, 440)) < 0.01);
  });
}

test('program selects a programme by number or name, and lists them if it is missing', async ({
  encoder,
}) => {
  const input = await twoProgrammes();
  for (const [program, width, hertz] of [
    [1, '64', 440],
    ['zweites', '160', 1000],
  ] as const) {
    const result = await encoder.encoded(input, { program });
    assert.equal(warningsOf(result), []);
    assert.equal(await widthsOf(result.path), [width]);
    assert.ok((await strengthAt(result.path, 1, hertz)) > 0.08);
  }
  const { job } = await encoder.encoded(input, { program: 'Drittes' });
  const [output] = job.output_media_files;
  assert.is(output?.error_class, 'NoMediaError');
  assert.match(
    output?.error_message ?? '',
    /no programme Drittes: its programmes are 1 \(Erstes\), 2 \(Zweites\)/,
  );
});

test.run();
