import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { beepNear, samplesOf, strengthOf } from './decoded-media.js';
import { measure, runShipped, shippedBuilds } from './shipped.js';

const folder = tempFolder();
const known = new Map<string, Promise<string>>();

/** A lossless file with the expression of each channel; made once. */
function made(name: string, layout: string, channels: readonly string[], seconds = 2): Promise<string> {
  const path = join(folder, `${name}.mka`);
  const source = `aevalsrc='${channels.join('|')}':c=${layout}:s=48000:d=${seconds}`;
  const making =
    known.get(name) ?? makeMedia(path, ['-f', 'lavfi', '-i', source, '-c:a', 'pcm_s16le']).then(() => path);
  known.set(name, making);
  return making;
}

/** Integrated loudness of a file in LUFS (ITU-R BS.1770). */
async function loudnessOf(path: string): Promise<number> {
  const { stderr } = await measure('-i', `file:${path}`, '-map', '0:a', '-af', 'ebur128', '-f', 'null', '-');
  return Number(/Summary:[\s\S]*?I:\s+(-?[\d.]+) LUFS/.exec(stderr)?.[1]);
}

async function peakOf(path: string): Promise<number> {
  const { channels } = await samplesOf(path);
  return Math.max(...channels.map((all) => all.reduce((most, one) => Math.max(most, Math.abs(one)), 0)));
}

const noise = (amplitude: number) => `${amplitude}*(2*random(0)-1)`;
const tone = (amplitude: number, hertz: number) => `${amplitude}*sin(2*PI*${hertz}*t)`;

/** A typical film mix by layout: most of it in front, a little in the rear, and loud low-frequency effects. */
const films: Readonly<Record<string, readonly string[]>> = {
  '5.1': [tone(0.1, 440), tone(0.1, 660), tone(0.2, 880), tone(0.9, 50), noise(0.01), noise(0.01)],
  '7.1': [tone(0.1, 440), tone(0.1, 660), tone(0.2, 880), tone(0.9, 50), '0', '0', noise(0.01), noise(0.01)],
  quad: [tone(0.1, 440), tone(0.2, 660), noise(0.01), noise(0.01)],
  hexadecagonal: [tone(0.1, 440), tone(0.2, 660), ...Array.from({ length: 14 }, () => noise(0.005))],
};

for (const build of await shippedBuilds()) {
  const test = suite(`surround audio, ${build.name}`);

  for (const [layout, channels] of Object.entries(films)) {
    test(`${layout} has the same loudness in stereo`, async () => {
      const input = await made(`film-${layout}`, layout, channels);
      const output = await runShipped(build, input, 'a.m4a', ['--audio-quality', '5']);
      const [before, after] = [await loudnessOf(input), await loudnessOf(output)];
      assert.ok(Math.abs(after - before) < 1, `${before} LUFS became ${after}`);
    });
  }

  test('the LFE channel is omitted', async () => {
    const input = await made('film-5.1', '5.1', films['5.1'] ?? []);
    const { channels, sampleRate } = await samplesOf(await runShipped(build, input, 'a.m4a'));
    for (const channel of channels) assert.ok(strengthOf(50, channel, sampleRate) < 0.01);
  });

  for (const [layout, count] of [
    ['5.1', 6],
    ['7.1', 8],
    ['quad', 4],
    ['hexadecagonal', 16],
  ] as const) {
    test(`full scale in all channels of ${layout} does not clip in stereo or mono`, async () => {
      const all = Array.from({ length: count }, () => tone(0.999, 500));
      const input = await made(`loud-${layout}`, layout, all, 1);
      for (const words of [[], ['--audio-channels', '1']]) {
        const output = await runShipped(build, input, 'a.mp3', ['--audio-quality', '5', ...words]);
        const peak = await peakOf(output);
        assert.ok(peak < 0.99 && peak > 0.7, `${words.join(' ')}: ${peak}`);
      }
    });
  }

  for (const rate of [48_000, 44_100]) {
    test(`5.1 is neither delayed nor shortened relative to stereo, to the sample: ${rate} Hz`, async () => {
      // Half a sine of 100 Hz, 5 ms long. Its middle shows shifts of less than a sample.
      const beep = 'between(t,1,1.005)*0.5*sin(2*PI*100*(t-1))';
      const inputs = [
        await made('beep-stereo', 'stereo', [beep, beep]),
        await made('beep-5.1', '5.1', [beep, beep, '0', '0', '0', '0']),
      ];
      const found = [];
      for (const input of inputs) {
        const output = await runShipped(build, input, 'a.m4a', ['--audio-sample-rate', String(rate)]);
        const samples = await samplesOf(output);
        found.push({ ...beepNear(1, 0.02, samples), count: samples.channels[0]?.length ?? 0 });
      }
      const [stereo, surround] = found;
      assert.ok(stereo !== undefined && surround !== undefined);
      const lateSamples = (surround.seconds - stereo.seconds) * rate;
      assert.ok(Math.abs(lateSamples) < 1, `${lateSamples} samples late`);
      assert.is(surround.count, stereo.count);
    });
  }

  test.run();
}
