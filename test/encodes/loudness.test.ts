import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders } from '../plan/encoded.js';

const folder = tempFolder();
const at = (name: string) => join(folder, name);

const stereo = (left: string, right: string, seconds: number) => [
  ...['-f', 'lavfi', '-i', `aevalsrc='${left}|${right}':c=stereo:s=44100:d=${seconds}`, '-c:a', 'flac'],
];
const tone = (amplitude: number, hertz = 440) => `${amplitude}*sin(2*PI*${hertz}*t)`;

/** The peaks are -14, -20 and -1.4 dB; the third is 12 dB louder in its second half. */
const inputs = {
  'quiet.mka': stereo(tone(0.2), tone(0.1, 660), 3),
  'bass.mka': stereo(tone(0.1, 60), tone(0.1, 60), 3),
  'steps.mka': stereo(`if(lt(t,2),0.25,1)*${tone(0.85)}`, `if(lt(t,2),0.25,1)*${tone(0.85)}`, 4),
  'silence.mka': stereo('0', '0', 2),
} as const;
const making = Promise.all(Object.entries(inputs).map(([name, args]) => makeMedia(at(name), args)));

/** What ffmpeg's filters report about a file; PCM, so that an encoder changes nothing. */
async function measure(path: string): Promise<{ readonly peak: number; readonly loudness: number }> {
  const { ffmpeg } = await testFfmpeg();
  const filters = 'volumedetect,ebur128=peak=true';
  const args = ['-hide_banner', '-nostats', '-i', path, '-af', filters, '-f', 'null', '-'];
  const { stderr } = await promisify(execFile)(ffmpeg.path, args, { maxBuffer: 2 ** 24 });
  return {
    peak: Number(/max_volume: (\S+) dB/.exec(stderr)?.[1]),
    loudness: Number([...stderr.matchAll(/\bI:\s+(\S+) LUFS/g)].at(-1)?.[1]),
  };
}

/** Input, settings, and the range of the peak in dB. */
const peaks: readonly (readonly [keyof typeof inputs, OutputSettings, number, number])[] = [
  ['quiet.mka', {}, -14.1, -13.9],
  ['quiet.mka', { audio_normalize: true }, -0.2, 0],
  ['quiet.mka', { audio_pre_normalize: true }, -0.2, 0],
  ['quiet.mka', { audio_post_normalize: true }, -0.2, 0],
  ['quiet.mka', { audio_normalize: true, audio_sample_rate: 22_050, audio_channels: 1 }, -0.2, 0],
  // Boosted beyond full scale before it is measured.
  ['steps.mka', { audio_normalize: true, audio_treble: 10, audio_bass: 10 }, -0.2, 0],
  ['bass.mka', { audio_post_normalize: true, audio_bass: 10 }, -0.2, 0],
  // Only the first half, which is quieter, is measured.
  ['steps.mka', { audio_normalize: true, clip_length: 1.5 }, -0.2, 0],
  ['steps.mka', { audio_normalize: true, start_clip: 2.5 }, -0.2, 0],
  // The gain follows the normalisation.
  ['quiet.mka', { audio_normalize: true, audio_gain: -6 }, -6.3, -5.9],
  // At full scale before compression, 19.9 dB above the threshold become about 5.
  ['quiet.mka', { audio_pre_normalize: true, audio_compression_ratio: 4 }, -18, -12],
  ['quiet.mka', { audio_normalize: true, audio_compression_ratio: 4 }, -0.2, 0],
  ['silence.mka', { audio_normalize: true }, -100, -80],
  ['silence.mka', { audio_loudness_level: -16 }, -100, -80],
];

const levels: readonly (readonly [keyof typeof inputs, OutputSettings, number])[] = [
  ['quiet.mka', { audio_loudness_level: -16 }, -16],
  ['quiet.mka', { audio_loudness_level: -23 }, -23],
  ['quiet.mka', { audio_loudness_level: -40, audio_channels: 1 }, -40],
  ['steps.mka', { audio_loudness_level: -24 }, -24],
  ['steps.mka', { audio_loudness_level: -24, clip_length: 1.5 }, -24],
  ['bass.mka', { audio_loudness_level: -20, audio_highpass: 50, audio_compression_ratio: 2 }, -20],
  ['quiet.mka', { audio_loudness_level: -20, audio_gain: 3 }, -17],
];

for (const [build, ffmpeg] of await encoders()) {
  const measured = async (name: string, settings: OutputSettings) => {
    await making;
    const all = { skip_video: true, ...settings };
    const { path, facts } = await encodedAndProbed(ffmpeg, at(name), all, 'a.wav');
    return { ...(await measure(path)), facts };
  };

  for (const [name, settings, low, high] of peaks) {
    test(`the peak of ${name} with ${JSON.stringify(settings)} (${build})`, async () => {
      const { peak } = await measured(name, settings);
      assert.ok(peak >= low && peak <= high, `${peak} dB`);
    });
  }

  for (const [name, settings, expected] of levels) {
    test(`the loudness of ${name} with ${JSON.stringify(settings)} (${build})`, async () => {
      const { loudness, peak, facts } = await measured(name, settings);
      assert.ok(Math.abs(loudness - expected) <= 0.5, `${loudness} LUFS`);
      assert.ok(peak <= -1, `${peak} dB`);
      assert.is(facts.audio?.sampleRate, 44_100);
    });
  }
}

test('a job measures the audio of its outputs and encodes them together', async () => {
  await making;
  const input = at('film.mkv');
  const video = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=320x180:r=25:d=3',
    '-i',
    at('quiet.mka'),
    '-c:v',
    'libx264',
  ];
  await makeMedia(input, [...video, '-c:a', 'flac']);
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const wanted = [
      { width: 160, audio_normalize: true },
      { width: 320, audio_normalize: true },
      { width: 240, audio_loudness_level: -20 },
      { width: 280 },
    ];
    const outputs = wanted.map((settings, index) => ({
      ...settings,
      // AAC raises the peak of pure tones by up to 4 dB.
      audio_codec: 'ac3',
      url: pathToFileURL(at(`film-${index}.mp4`)).href,
    }));
    const job = await daemon.waitForJob(await daemon.create({ input: pathToFileURL(input).href, outputs }));
    assert.is(job.state, 'finished');
    const all = await Promise.all(wanted.map((_, index) => measure(at(`film-${index}.mp4`))));
    const [first, second, third, last] = all;
    for (const one of [first, second]) assert.ok(Math.abs(one?.peak ?? -99) <= 1, `${one?.peak} dB`);
    assert.ok(Math.abs((third?.loudness ?? 0) + 20) <= 0.7, `${third?.loudness} LUFS`);
    assert.ok(Math.abs((last?.peak ?? 0) + 14) <= 1, `${last?.peak} dB`);
  } finally {
    await daemon.stop();
  }
});

test.run();
