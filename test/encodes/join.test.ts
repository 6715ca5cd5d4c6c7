import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';

const { ffmpeg, ffprobe } = await testFfmpeg();
const run = promisify(execFile);
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** A film with a short tone at each second. */
const film = (size: string, rate: number, seconds: number, sampleRate = 48_000) => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`],
  ...[
    '-f',
    'lavfi',
    '-i',
    `aevalsrc='if(lt(mod(t,1),0.1),0.8*sin(2*PI*1000*t),0)':s=${sampleRate}:d=${seconds}`,
  ],
];

/** The files of the tests, by name. */
const files: Readonly<Record<string, readonly string[]>> = {
  'a.mp4': [...film('160x120', 25, 2), ...x264, '-c:a', 'aac'],
  'b.mp4': [...film('160x120', 25, 3), ...x264, '-vf', 'hue=s=0', '-c:a', 'aac'],
  'a.mkv': [...film('160x120', 25, 2), ...x264, '-bf', '2', '-c:a', 'flac'],
  'other.mkv': [...film('320x180', 30, 2, 44_100), ...x264, '-c:a', 'aac'],
  'silent.mp4': [...film('160x120', 25, 2).slice(0, 4), ...x264],
  'late.ts': [...film('160x120', 25, 2), ...x264, '-c:a', 'aac', '-output_ts_offset', '9'],
  'frames.avi': [...film('160x120', 25, 2), '-c:v', 'mpeg4', '-bf', '2', '-c:a', 'pcm_s16le'],
  'mono.ts': [...film('160x120', 25, 2), ...x264, '-c:a', 'ac3', '-ac', '1'],
  'surround.ts': [...film('160x120', 25, 2), ...x264, '-c:a', 'ac3', '-ac', '6', '-output_ts_offset', '2'],
  'uneven.mkv': [
    ...film('160x120', 25, 2),
    ...x264,
    ...['-vf', "select='not(eq(mod(n,5),2))'", '-vsync', 'vfr', '-c:a', 'aac'],
  ],
  'wide.mkv': [
    ...film('160x120', 25, 1),
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-c:a', 'aac'],
    ...['-color_trc', 'smpte2084', '-color_primaries', 'bt2020', '-colorspace', 'bt2020nc'],
  ],
};

async function hashes(path: string, stream: 'v' | 'a'): Promise<readonly string[]> {
  const args = ['-v', 'error', '-i', path, '-map', `0:${stream}`, '-vsync', '0', '-f', 'framemd5', '-'];
  const { stdout } = await run(ffmpeg.path, args, { maxBuffer: 1e8 });
  return stdout
    .split('\n')
    .flatMap((line) => (/^\d/.test(line) ? [line.slice(line.lastIndexOf(' ') + 1)] : []));
}

/** The samples of the audio, decoded. */
async function samplesOf(path: string): Promise<Buffer> {
  const args = ['-v', 'error', '-i', path, '-map', '0:a', '-ac', '1', '-f', 's16le', '-'];
  return (await run(ffmpeg.path, args, { encoding: 'buffer', maxBuffer: 1e8 })).stdout;
}

/** The times at which tones begin, in seconds. */
async function tonesOf(path: string): Promise<readonly number[]> {
  const { stdout } = await run(ffprobe.path, [
    ...['-v', 'error', '-select_streams', 'a', '-show_entries', 'stream=sample_rate', '-of', 'csv=p=0', path],
  ]);
  const [bytes, rate] = [await samplesOf(path), Number.parseInt(stdout, 10)];
  const loud = Array.from(
    { length: bytes.length / 2 },
    (_, index) => Math.abs(bytes.readInt16LE(index * 2)) > 8000,
  );
  const times = loud.flatMap((isLoud, index) => (isLoud ? [index / rate] : []));
  return times.filter((time, index) => index === 0 || time - (times[index - 1] ?? 0) > 0.3);
}

for (const build of await shippedBuilds()) {
  const test = suite<{ folder: string }>(`venc join, ${build.name}`);
  let folder = '';
  const at = (name: string) => join(folder, name);
  const venc = (...words: readonly string[]) => runCli(words, { env: build.env });
  const joined = async (names: readonly string[], output: string) => {
    const result = await venc('join', ...names.map(at), '-o', at(output));
    assert.is(result.code, 0, result.stderr);
    return result;
  };
  test.before(async () => {
    folder = tempFolder();
    for (const [name, args] of Object.entries(files)) await makeMedia(at(name), [...args]);
    await makeMedia(at('turned.mp4'), ['-display_rotation', '90', '-i', at('a.mp4'), '-c', 'copy']).catch(
      () => makeMedia(at('turned.mp4'), ['-i', at('a.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90']),
    );
    await writeFile(at('broken.mp4'), 'no media');
    for (const [name, second] of [
      ['begins-again.ts', 'mono.ts'],
      ['changes.ts', 'surround.ts'],
    ] as const)
      await writeFile(at(name), Buffer.concat([await readFile(at('mono.ts')), await readFile(at(second))]));
  });

  test('files that agree keep their frames, and their audio stays in step', async () => {
    const { stderr } = await joined(['a.mp4', 'b.mp4', 'a.mp4'], 'copy.mp4');
    assert.match(stderr, 'the video was copied');
    const expected = [];
    for (const name of ['a.mp4', 'b.mp4', 'a.mp4']) expected.push(...(await hashes(at(name), 'v')));
    assert.equal(await hashes(at('copy.mp4'), 'v'), expected);
    const tones = await tonesOf(at('copy.mp4'));
    assert.is(tones.length, 7, tones.join());
    for (const [second, time] of tones.entries()) assert.ok(Math.abs(time - second) < 0.03, tones.join());
  });

  test('FLAC keeps its samples, and the joined file has no others', async () => {
    await joined(['a.mkv', 'a.mkv'], 'flac.mkv');
    const part = await samplesOf(at('a.mkv'));
    assert.ok((await samplesOf(at('flac.mkv'))).equals(Buffer.concat([part, part])));
    assert.equal(await hashes(at('flac.mkv'), 'v'), [
      ...(await hashes(at('a.mkv'), 'v')),
      ...(await hashes(at('a.mkv'), 'v')),
    ]);
  });

  for (const [what, names, reason, frames] of [
    [
      'another size and rate',
      ['a.mp4', 'other.mkv'],
      /other\.mkv has the size 320x180 and .*a\.mp4 160x120/,
      100,
    ],
    ['a rotation', ['a.mp4', 'turned.mp4'], /turned\.mp4 has the rotation/, 100],
  ] as const)
    test(`${what} is encoded, with the size of the first file and audio in step`, async () => {
      const output = `${names[1]}.mp4`;
      const { stderr } = await joined(names, output);
      assert.match(stderr, reason);
      assert.ok(Math.abs((await hashes(at(output), 'v')).length - frames) <= 1);
      const tones = await tonesOf(at(output));
      for (const [second, time] of tones.entries()) assert.ok(Math.abs(time - second) < 0.05, tones.join());
      assert.is(tones.length, 4);
    });

  test('a file without audio is silent, and times that begin late or are uneven stay in step', async () => {
    await joined(['silent.mp4', 'a.mp4'], 'later.mp4');
    const later = await tonesOf(at('later.mp4'));
    assert.ok(Math.abs((later[0] ?? 0) - 2) < 0.03 && later.length === 2, later.join());
    for (const [names, output] of [
      [['late.ts', 'late.ts'], 'late.mp4'],
      [['uneven.mkv', 'uneven.mkv'], 'uneven.mp4'],
      [['frames.avi', 'frames.avi'], 'frames.mp4'],
    ] as const) {
      await joined(names, output);
      const tones = await tonesOf(at(output));
      assert.is(tones.length, 4, `${output}: ${tones.join()}`);
      for (const [second, time] of tones.entries())
        assert.ok(Math.abs(time - second) < 0.06, `${output}: ${tones.join()}`);
    }
  });

  test('what cannot be joined is an error that names the file, and leaves nothing', async () => {
    const before = readdirSync(folder);
    const none = at('none.mp4');
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['a.mp4', 'broken.mp4', '-o', none], /broken\.mp4/],
      [['a.mp4', 'absent.mp4', '-o', none], /absent\.mp4/],
      [
        ['changes.ts', 'changes.ts', '-o', none],
        /changes\.ts cannot be joined: the format of its audio changes/,
      ],
      [['a.mp4', 'begins-again.ts', '-o', none], /begins-again\.ts cannot be joined: its times begin again/],
      [['a.mp4', 'wide.mkv', '-o', none], /wide\.mkv is HDR .*\n.*venc run/],
      [['a.mp4', 'a.mp4', '-o', at('a.mp4'), '--force'], /a\.mp4 is the input itself/],
      [['a.mp4', 'a.mp4', '-o', at('b.mp4')], /b\.mp4 already exists/],
      [['a.mp4', '-o', none], /two or more/],
      [['a.mp4', 'a.mp4'], /-o/],
      [['a.mp4', 'a.mp4', '-o', at('none.mp3')], /mp3 holds no joined videos/],
      [['a.mp4', 'a.mp4', '-o', at('none.xyz')], /cannot be written/],
    ];
    for (const [words, message] of cases) {
      const { code, stderr } = await venc(
        'join',
        ...words.map((word) =>
          word in files || /^(?:broken|absent|changes|begins-again)/.test(word) ? at(word) : word,
        ),
      );
      assert.ok(code === 1 || code === 2, stderr);
      assert.match(stderr, message);
    }
    assert.not(existsSync(none));
    assert.equal(readdirSync(folder), before);
  });

  test.run();
}
