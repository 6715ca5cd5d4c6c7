import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders } from '../plan/encoded.js';
import { contentsOf, probed, type Samples, samplesOf, strengthOf } from './decoded-media.js';

const folder = tempFolder();
const seconds = 3;

const known = new Map<string, Promise<string>>();

/** A lossless file with the output of a filter graph; made once. */
function made(name: string, graph: string): Promise<string> {
  const path = join(folder, name);
  const making =
    known.get(name) ?? makeMedia(path, ['-f', 'lavfi', '-i', graph, '-c:a', 'flac']).then(() => path);
  known.set(name, making);
  return making;
}

/** A tone in each channel. */
function tones(hertz: readonly number[], layout: string, sampleRate: number, amplitude: number): string {
  const each = hertz.map((one) => `${amplitude}*sin(2*PI*${one}*t)`).join('|');
  return `aevalsrc='${each}':c=${layout}:s=${sampleRate}:d=1`;
}

// Different pink noise in each channel with a rising tone: as hard to encode as loud music.
const noise = (seed: number) => `anoisesrc=d=${seconds}:c=pink:a=0.4:s=${seed}:r=48000`;
const rising = `aevalsrc='0.3*sin(2*PI*t*(200+300*t))':d=${seconds}:s=48000,asplit[t1][t2]`;
const music = `${noise(1)}[n1];${noise(2)}[n2];${rising};[n1][t1]amix[l];[n2][t2]amix[r];[l][r]amerge`;

/** Audio bitrate of a file in kbps. */
async function kbpsOf(path: string): Promise<number> {
  const sizes = await probed(path, ['-select_streams', 'a', '-show_entries', 'packet=size']);
  return (sizes.reduce((sum, [size]) => sum + Number(size), 0) * 8) / 1000 / seconds;
}

/** The strengths of tones in each channel, measured in the middle of the file. */
function strengths({ channels, sampleRate }: Samples, hertz: readonly number[]): readonly number[][] {
  return channels.map((all) => {
    const middle = all.subarray(Math.floor(all.length * 0.3), Math.floor(all.length * 0.7));
    return hertz.map((one) => strengthOf(one, middle, sampleRate));
  });
}

const codecs = [
  ['aac', 'a.m4a'],
  ['mp3', 'a.mp3'],
  ['vorbis', 'a.oga'],
  ['opus', 'a.webm'],
] as const;

/** Maximum bitrates at low sample rates, which are also the requested ones: rate, channels, kbps. */
const lowRates: Readonly<Record<(typeof codecs)[number][0], readonly (readonly [number, 1 | 2, number])[]>> =
  {
    aac: [
      [22_050, 2, 192],
      [16_000, 2, 144],
      [22_050, 1, 96],
      [8000, 2, 64],
    ],
    mp3: [],
    vorbis: [
      [22_050, 2, 96],
      [16_000, 1, 64],
      [44_100, 1, 128],
      [8000, 2, 80],
    ],
    opus: [],
  };

for (const [build, ffmpeg] of await encoders()) {
  const encodedAudio = async (input: string, settings: OutputSettings, name = 'a.m4a') =>
    (await encoded(ffmpeg, input, { skip_video: true, ...settings }, name)).path;

  for (const [codec, name] of codecs) {
    test(`${build}: audio_quality 1 to 5 rises in bitrate with ${codec}, about 112 kbps in the middle`, async () => {
      const input = await made('music.mkv', music);
      const found: number[] = [];
      for (const level of [1, 2, 3, 4, 5]) {
        found.push(
          await kbpsOf(await encodedAudio(input, { audio_quality: level, audio_codec: codec }, name)),
        );
      }
      assert.ok(
        found.every((kbps, at) => kbps > (found[at - 1] ?? 0) * 1.1),
        found.join(),
      );
      assert.ok((found[2] ?? 0) > 85 && (found[2] ?? 0) < 160, found.join());
    });

    for (const kbps of [64, 128, 192]) {
      test(`${build}: audio_bitrate ${kbps} is met with ${codec}`, async () => {
        const path = await encodedAudio(
          await made('music.mkv', music),
          { audio_bitrate: kbps, audio_codec: codec },
          name,
        );
        const found = await kbpsOf(path);
        assert.ok(Math.abs(found - kbps) < kbps * 0.1, `${found}`);
      });
    }

    for (const [audio_sample_rate, audio_channels, audio_bitrate] of lowRates[codec]) {
      const what = `${audio_bitrate} kbps at ${audio_sample_rate} Hz in ${audio_channels === 1 ? 'mono' : 'stereo'}`;
      test(`${build}: ${what} are met with ${codec}, within 10 %`, async () => {
        const settings = { audio_bitrate, audio_codec: codec, audio_sample_rate, audio_channels };
        const found = await kbpsOf(await encodedAudio(await made('music.mkv', music), settings, name));
        assert.ok(Math.abs(found - audio_bitrate) < audio_bitrate * 0.1, `${found}`);
      });
    }

    test(`${build}: a tone is unchanged with ${codec}, at the supported sample rates and with the channels of the input`, async () => {
      for (const [inputRate, asked, expected] of [
        [96_000, undefined, 48_000],
        [48_000, 24_000, 24_000],
        [24_000, undefined, 24_000],
        [44_100, undefined, codec === 'opus' ? 48_000 : 44_100],
      ] as const) {
        const input = await made(`tone-${inputRate}.mkv`, tones([1000], 'mono', inputRate, 0.5));
        const settings = asked === undefined ? {} : { audio_sample_rate: asked };
        const samples = await samplesOf(await encodedAudio(input, { ...settings, audio_codec: codec }, name));
        // Opus always decodes at 48000.
        assert.is(samples.sampleRate, codec === 'opus' ? 48_000 : expected);
        assert.is(samples.channels.length, 1);
        const [[tone = 0, other = 0] = []] = strengths(samples, [1000, 1500]);
        assert.ok(Math.abs(tone - 0.5) < 0.03 && other < 0.02, `${inputRate}: ${tone}, ${other}`);
      }
    });
  }

  const six = [400, 600, 900, 80, 1300, 1700] as const;
  test(`${build}: every channel of 5.1 except LFE is audible in stereo, on its side, without clipping`, async () => {
    const input = await made('six.mkv', tones(six, '5.1', 48_000, 0.9));
    for (const [codec, name] of codecs) {
      const samples = await samplesOf(
        await encodedAudio(input, { audio_codec: codec, audio_quality: 5 }, name),
      );
      const audible = strengths(samples, six).map((channel) => channel.map((strength) => strength > 0.05));
      assert.equal(
        audible,
        [
          [true, false, true, false, true, false],
          [false, true, true, false, false, true],
        ],
        codec,
      );
      const peaks = samples.channels.map((all) => all.reduce((max, one) => Math.max(max, Math.abs(one)), 0));
      assert.ok(Math.max(...peaks) < 1, `${codec}: ${peaks.join()}`);
    }
  });

  test(`${build}: audio_channels 1 contains all channels of 5.1 except LFE, and both channels of stereo at the same strength`, async () => {
    const settings = { audio_channels: 1, audio_quality: 5 } as const;
    const [of6 = []] = strengths(
      await samplesOf(await encodedAudio(await made('six.mkv', tones(six, '5.1', 48_000, 0.9)), settings)),
      six,
    );
    assert.equal(
      of6.map((strength) => strength > 0.05),
      [true, true, true, false, true, true],
    );
    const same = await made('same.mkv', tones([500, 500], 'stereo', 48_000, 0.9));
    const mono = await samplesOf(await encodedAudio(same, settings));
    assert.is(mono.channels.length, 1);
    const [[tone = 0] = []] = strengths(mono, [500]);
    assert.ok(Math.abs(tone - 0.9) < 0.03, `${tone}`);
  });

  test(`${build}: a tone at full scale in both channels is not louder in mono`, async () => {
    const input = await made('loud-stereo.mkv', tones([500, 500], 'stereo', 48_000, 0.999));
    // As MP3, because ffmpeg's AAC encoder keeps tones below 0.95 and would hide one that is too loud.
    const settings = { audio_channels: 1, audio_quality: 5 } as const;
    const { channels } = await samplesOf(await encodedAudio(input, settings, 'a.mp3'));
    assert.is(channels.length, 1);
    const [mono = new Float32Array()] = channels;
    // Without the start and end, where the tone stops abruptly and the encoder adds artifacts.
    const middle = mono.subarray(mono.length * 0.2, mono.length * 0.8);
    const peak = middle.reduce((max, one) => Math.max(max, Math.abs(one)), 0);
    const [strength = 0] = [strengthOf(500, middle, 48_000)];
    assert.ok(peak > 0.99 && peak < 1.01, `${peak}`);
    assert.ok(Math.abs(strength - 0.999) < 0.01, `${strength}`);
  });

  test(`${build}: audio_channels 2 copies a single channel to both sides`, async () => {
    const input = await made('tone-48000.mkv', tones([1000], 'mono', 48_000, 0.5));
    const [left = [], right = []] = strengths(
      await samplesOf(await encodedAudio(input, { audio_channels: 2 })),
      [1000],
    );
    assert.ok((left[0] ?? 0) > 0.3 && (right[0] ?? 0) > 0.3, `${left}, ${right}`);
  });

  test(`${build}: skip_audio and skip_video omit audio and video, and an input without one of them still encodes the other`, async () => {
    const clip = await media('clip.mp4');
    const left = async (input: string, settings: OutputSettings, name: string) =>
      (await contentsOf((await encoded(ffmpeg, input, settings, name)).path)).split(' ').slice(1).join(' ');
    assert.is(await left(clip, { skip_audio: true }, 'a.mp4'), 'h264');
    assert.is(await left(clip, { skip_video: true }, 'a.mp4'), 'aac');
    assert.is(await left(await media('silent.mp4'), { audio_quality: 5 }, 'a.mp4'), 'h264');
    assert.is(await left(await media('audio.mp3'), {}, 'a.mp4'), 'aac');
  });

  test(`${build}: a bitrate that is too high for mono audio is met as 144 kbps`, async () => {
    const input = await made(
      'mono.mkv',
      `${noise(1)}[n];aevalsrc='0.3*sin(2*PI*t*(200+300*t))':d=${seconds}:s=48000[t];[n][t]amix`,
    );
    const path = await encodedAudio(input, { audio_bitrate: 304 }, 'a.m4a');
    assert.is((await samplesOf(path)).channels.length, 1);
    const found = await kbpsOf(path);
    assert.ok(Math.abs(found - 144) < 14.4, `${found}`);
  });

  const lacks = [
    ['silent.mp4', {}, 'a.mp3', 'The output has no video, and the input has no audio.'],
    ['silent.mp4', { skip_video: true }, 'a.mp4', 'The output has no video, and the input has no audio.'],
    ['audio.mp3', { skip_audio: true }, 'a.mp4', 'The output has no audio, and the input has no video.'],
  ] as const;
  for (const [name, settings, filename, message] of lacks) {
    test(`${build}: ${name} with ${JSON.stringify(settings)} as ${filename} fails with NoMediaError`, async () => {
      const input = await media(name);
      const [output, paths] = [
        { id: 7, settings, filename, isTest: false },
        { input, scratch: folder },
      ];
      const { steps, rejections } = plan([output], await ffmpeg.probe(input), paths, ffmpeg.capabilities);
      assert.equal(steps, []);
      assert.equal(rejections, [{ outputId: 7, failure: { errorClass: 'NoMediaError', message } }]);
    });
  }
}

test.run();
