import { join } from 'node:path';
import { execa } from 'execa';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBinaries } from '../../daemon/ffmpeg/find-binaries.js';
import { runCli } from '../cli/run-cli.js';
import { testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { samplesOf } from './decoded-media.js';

const packaged = join(process.cwd(), 'node_modules', '@ffmpeg-binary', 'linux-x64', 'ffmpeg');
const folder = tempFolder();

const options = { cacheFolder: tempFolder(), isFresh: false };
const { ffmpeg } = await findBinaries({ ...options, ffmpeg: null });
const newer = await findBinaries({ ...options, ffmpeg: packaged }).catch(() => null);

/** Whether ffmpeg is a version that cannot decode 32 bits per sample, and the packaged one, which can, is there. */
const isOlder = newer !== null && ffmpeg !== null && /^5\./.test(ffmpeg.version);
const automatic = { env: { VENC_FFMPEG: '' } };

const flac32 = [
  ...['-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '32', '-strict', 'experimental'],
];

/** A file with FLAC of 32 bits per sample, which ffmpeg decodes since version 6. */
async function made(name: string, input: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await execa(packaged, ['-v', 'error', '-y', ...input, ...flac32, path]);
  return path;
}

/** The seconds of the audio of an output, and those of them that are not silent. */
async function audibleSeconds(path: string): Promise<number> {
  const {
    channels: [samples = new Float32Array()],
    sampleRate,
  } = await samplesOf(path);
  return samples.filter((sample) => Math.abs(sample) > 0.005).length / sampleRate;
}

const tone = testTone(2);
const video = [...testVideo('64x48', 25, 2), ...tone, '-c:v', 'libx264', '-pix_fmt', 'yuv420p'];

const cases: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  'tone.flac': [tone, []],
  'tone.mka': [tone, ['--audio-normalize']],
  'film.mkv': [video, []],
};

if (isOlder) {
  for (const [name, [input, flags]] of Object.entries(cases)) {
    test(`${name}, which ffmpeg ${ffmpeg.version} cannot decode, is decoded by the packaged one`, async () => {
      const path = await made(name, input);
      const out = join(folder, `${name}.m4a`);
      const { code, stderr } = await runCli(['run', path, '-o', out, '--skip-video', ...flags], automatic);
      assert.is(code, 0, stderr);
      const warning =
        /was decoded with the packaged ffmpeg 7\.0, because ffmpeg 5\S+ cannot decode its audio \(flac, /;
      assert.match(stderr, warning);
      const seconds = await audibleSeconds(out);
      assert.ok(seconds > 1.7 && seconds < 2.1, `${seconds} s`);
    });
  }

  test('an output without a track that cannot be decoded has no warning of damage', async () => {
    const path = await made('video-only.mkv', video);
    const { code, stderr } = await runCli(
      ['run', path, '-o', join(folder, 'video-only.mp4'), '--skip-audio', '--progress', 'none'],
      automatic,
    );
    assert.is(code, 0, stderr);
    assert.not.match(stderr, 'damaged');
  });

  test('a chosen ffmpeg that cannot decode the input stays, and the error names the packaged one', async () => {
    const path = await made('chosen.flac', tone);
    const words = ['run', path, '-o', join(folder, 'chosen.m4a'), '--ffmpeg', ffmpeg.path];
    const { code, stderr } = await runCli(words, automatic);
    assert.is.not(code, 0);
    assert.match(
      stderr,
      /This ffmpeg \(5\S+\) cannot decode the audio \(flac, .*\)\. It was not tried with the packaged ffmpeg 7\.0/,
    );
    assert.match(stderr, /hint: leave out --ffmpeg and VENC_FFMPEG/);
  });

  test('outputs that need no decoding, or not of this track, are made as well', async () => {
    const path = await made('outputs.mkv', video);
    const request = {
      input: path,
      outputs: [
        { url: join(folder, 'both.mp4') },
        { url: join(folder, 'silent.mp4'), skip_audio: true },
        { url: join(folder, 'copied.mkv'), copy_video: true, audio_codec: 'aac' },
      ],
    };
    const { code, stderr } = await runCli(['run', '-'], { ...automatic, stdin: JSON.stringify(request) });
    assert.is(code, 0, stderr);
    for (const name of ['both.mp4', 'copied.mkv']) {
      const seconds = await audibleSeconds(join(folder, name));
      assert.ok(seconds > 1.7 && seconds < 2.1, `${name}: ${seconds} s`);
    }
  });
}

test.run();
