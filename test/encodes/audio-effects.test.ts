import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders } from '../plan/encoded.js';
import { samplesOf, strengthOf } from './decoded-media.js';

const input = join(tempFolder(), 'tones.mka');
const seconds = 2;
const hertz = [50, 1000, 8000] as const;
// All three tones are in both channels, with an amplitude of 0.1. Left also has 440 Hz.
const both = hertz.map((one) => `0.1*sin(2*PI*${one}*t)`).join('+');
const graph = `aevalsrc='${both}+0.1*sin(2*PI*440*t)|${both}':c=stereo:s=48000:d=${seconds}`;
const makingInput = makeMedia(input, ['-f', 'lavfi', '-i', graph, '-c:a', 'flac']);

/** Levels in dB against the input, between two times. */
type Change = (tone: number, from?: number, to?: number) => number;

/** Setting, and the range in dB of the change of each tone: 50, 1000 and 8000 Hz. */
type Range = readonly [number, number];
const tones: readonly (readonly [OutputSettings, Range, Range, Range])[] = [
  [{}, [-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]],
  [{ audio_gain: -12 }, [-12.5, -11.5], [-12.5, -11.5], [-12.5, -11.5]],
  [{ audio_gain: 6 }, [5, 6.5], [5, 6.5], [5, 6.5]],
  [{ audio_bass: 10 }, [6, 11], [-1, 1], [-1, 1]],
  [{ audio_treble: -10 }, [-1, 1], [-4, 0], [-11, -6]],
  [{ audio_highpass: 500 }, [-60, -25], [-2, 0.5], [-1, 0.5]],
  [{ audio_lowpass: 2000 }, [-1, 0.5], [-2, 0.5], [-40, -15]],
  [{ audio_lowpass: 24_000 }, [-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]],
  [{ audio_karaoke_mode: true }, [-200, -30], [-200, -30], [-200, -30]],
  // The peak is near -8 dB, so about 20 dB above the threshold remain about 5.
  [{ audio_compression_ratio: 4, audio_compression_threshold: -30 }, [-19, -10], [-19, -10], [-19, -10]],
  // Far above the threshold nothing changes; far below it the audio becomes much quieter.
  [{ audio_expansion_ratio: 3, audio_expansion_threshold: -60 }, [-1, 0.5], [-1, 0.5], [-1, 0.5]],
  [{ audio_expansion_ratio: 4, audio_expansion_threshold: 0 }, [-50, -20], [-50, -20], [-50, -20]],
];

for (const [build, ffmpeg] of await encoders()) {
  const changed = async (settings: OutputSettings): Promise<Change> => {
    await makingInput;
    const all = { skip_video: true, audio_bitrate: 304, ...settings };
    const { channels, sampleRate } = await samplesOf((await encoded(ffmpeg, input, all, 'a.m4a')).path);
    const [, right = new Float32Array()] = channels;
    return (tone, from = 0.8, to = 1.2) => {
      const part = right.subarray(Math.round(from * sampleRate), Math.round(to * sampleRate));
      return 20 * Math.log10(Math.max(1e-9, strengthOf(tone, part, sampleRate)) / reference);
    };
  };
  let reference = 1;
  let original: Promise<Change> | null = null;

  for (const [settings, ...ranges] of tones) {
    test(`${JSON.stringify(settings)} changes the level of tones (${build})`, async () => {
      original ??= changed({});
      reference = 1;
      reference = 10 ** ((await original)(1000) / 20);
      const change = await changed(settings);
      for (const [index, tone] of hertz.entries()) {
        const [low, high] = ranges[index] ?? [0, 0];
        const level = change(tone);
        assert.ok(level >= low && level <= high, `${tone} Hz: ${level} dB`);
      }
    });
  }

  test(`a high gain does not clip (${build})`, async () => {
    await makingInput;
    const settings = { skip_video: true, audio_bitrate: 304, audio_gain: 40 };
    const { channels } = await samplesOf((await encoded(ffmpeg, input, settings, 'a.m4a')).path);
    const peak = Math.max(...(channels[1] ?? []).map(Math.abs));
    assert.ok(peak > 0.85 && peak < 1.1, `peak ${peak}`);
  });

  test(`fades follow the length of a clip (${build})`, async () => {
    const change = await changed({ audio_fade: 0.4, clip_length: 1 });
    reference = 10 ** (change(1000, 0.45, 0.55) / 20) * reference;
    const early = change(1000, 0, 0.1);
    const late = change(1000, 0.9, 1);
    assert.ok(early < -10, `start: ${early} dB`);
    assert.ok(late < -10, `end: ${late} dB`);
  });
}

test.run();
