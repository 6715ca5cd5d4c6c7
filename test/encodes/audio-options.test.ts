import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders } from '../plan/encoded.js';
import { probed, samplesOf, strengthOf } from './decoded-media.js';

const folder = tempFolder();
const noise = join(folder, 'noise.mka');
const tracks = join(folder, 'tracks.mkv');

const noiseSeconds = 6;
/** A second of noise, a second of silence, and so on: a variable bitrate follows that. */
const alternating = '(random(0)-0.5)*between(mod(t,2),0,1)|(random(1)-0.5)*between(mod(t,2),0,1)';
const hertzOf = { eng: 400, ger: 800, fra: 1600 } as const;
const languages = Object.entries(hertzOf);
const making = Promise.all([
  makeMedia(noise, [
    ...['-f', 'lavfi', '-i', `aevalsrc='${alternating}':c=stereo:s=44100:d=${noiseSeconds}`, '-c:a', 'flac'],
  ]),
  makeMedia(tracks, [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=1'],
    ...languages.flatMap(([, hertz]) => ['-f', 'lavfi', '-i', `sine=f=${hertz}:r=48000:d=1`]),
    ...['-map', '0:v', '-c:v', 'libx264', '-c:a', 'aac'],
    ...languages.flatMap(([code], index) => [
      ...['-map', `${index + 1}:a`, `-metadata:s:a:${index}`, `language=${code}`],
    ]),
    // The default track is not the first one.
    ...['-disposition:a:0', '0', '-disposition:a:1', 'default'],
  ]),
]);

/** The bitrate in Kbps of each second: a rate that follows the audio is higher in every other one. */
async function secondsOf(path: string): Promise<readonly number[]> {
  const rows = await probed(path, ['-select_streams', 'a', '-show_entries', 'packet=pts_time,size']);
  const kilobits = Array.from({ length: noiseSeconds }, () => 0);
  for (const [seconds, size] of rows) {
    const at = Math.max(0, Math.floor(Number(seconds)));
    kilobits[at] = (kilobits[at] ?? 0) + (Number(size) * 8) / 1000;
  }
  return kilobits.slice(0, noiseSeconds);
}

async function languagesOf(path: string): Promise<readonly string[]> {
  const rows = await probed(path, ['-select_streams', 'a', '-show_entries', 'stream_tags=language']);
  return rows.map(([language = '']) => language);
}

/** File, settings, the bitrate, and how far each second may be from it. */
const constant: readonly (readonly [string, OutputSettings, number, number])[] = [
  ['a.mp3', { audio_bitrate: 128 }, 128, 0.03],
  // MP3 has no 144; as an average it would follow the audio.
  ['a.mp3', { audio_bitrate: 144 }, 128, 0.03],
  ['a.mp3', { audio_bitrate: 208 }, 192, 0.03],
  ['a.webm', { audio_bitrate: 96, audio_codec: 'opus' }, 96, 0.03],
  ['a.ac3', { audio_bitrate: 128 }, 128, 0.05],
  ['a.ec3', { audio_bitrate: 128, audio_codec: 'eac3' }, 128, 0.05],
  ['a.wma', { audio_bitrate: 128 }, 128, 0.05],
  // It evens the rate out over a few seconds.
  ['a.oga', { audio_bitrate: 128 }, 128, 0.3],
];

/** File, settings, and the language in the file. */
const written: readonly (readonly [string, OutputSettings, readonly string[]])[] = [
  ['a.mp4', {}, ['deu']],
  ['a.mp4', { audio_language: 'sv' }, ['swe']],
  ['a.m4a', { audio_language: 'FR-ca' }, ['fra']],
  ['a.mov', { audio_language: 'fre' }, ['fra']],
  ['a.mkv', { audio_language: 'en-US' }, ['eng-US']],
  ['a.webm', { audio_language: 'ja' }, ['jpn']],
  ['a.ts', { audio_language: 'pt' }, ['por']],
  ['a.3gp', { audio_language: 'nl' }, ['nld']],
  ['a.mp4', { audio_language: 'und' }, ['und']],
  ['a.mp4', { copy_audio: true, audio_tracks: ['default'], audio_language: 'da' }, ['dan']],
  ['a.mp4', { copy_audio: true, audio_tracks: ['default'] }, ['deu']],
  ['a.mp4', { copy_audio: true }, ['eng', 'deu', 'fra']],
  ['a.mp4', { copy_audio: true, select_audio_language: 'en' }, ['eng']],
  ['a.mp4', { select_audio_language: 'en', audio_language: 'en-GB', skip_video: true }, ['eng']],
  ['a.oga', { audio_language: 'en', skip_video: true }, ['eng']],
];

/** What is asked for, and the tone of the track that is encoded. */
const selected: readonly (readonly [string | undefined, number])[] = [
  [undefined, hertzOf.ger],
  ['en', hertzOf.eng],
  ['eng', hertzOf.eng],
  ['en-US', hertzOf.eng],
  ['de', hertzOf.ger],
  ['deu', hertzOf.ger],
  ['fre', hertzOf.fra],
  ['es', hertzOf.ger],
];

for (const [build, ffmpeg] of await encoders()) {
  for (const [name, settings, kbps, tolerance] of constant) {
    test(`${name} with ${JSON.stringify(settings)} has a constant bitrate (${build})`, async () => {
      await making;
      const all = { ...settings, audio_constant_bitrate: true, skip_video: true };
      const { path } = await encoded(ffmpeg, noise, all, name);
      const seconds = await secondsOf(path);
      for (const one of seconds) assert.ok(Math.abs(one / kbps - 1) <= tolerance, `${seconds} Kbps`);
    });
  }

  for (const [name, settings, expected] of written) {
    test(`${name} with ${JSON.stringify(settings)} declares its language (${build})`, async () => {
      await making;
      assert.equal(await languagesOf((await encoded(ffmpeg, tracks, settings, name)).path), expected);
    });
  }

  for (const [wanted, hertz] of selected) {
    test(`the language ${wanted} selects the track with ${hertz} Hz (${build})`, async () => {
      await making;
      const settings = { skip_video: true, ...(wanted && { select_audio_language: wanted }) };
      const { path } = await encoded(ffmpeg, tracks, settings, 'a.m4a');
      const { channels, sampleRate } = await samplesOf(path);
      const samples = channels[0] ?? new Float32Array();
      const strengths = Object.values(hertzOf).map((one) => strengthOf(one, samples, sampleRate));
      assert.is(Object.values(hertzOf)[strengths.indexOf(Math.max(...strengths))], hertz);
    });
  }

  test(`aac-lc is AAC-LC (${build})`, async () => {
    await making;
    const settings = { skip_video: true, force_aac_profile: 'aac-lc' } as const;
    const { path } = await encoded(ffmpeg, noise, settings, 'a.m4a');
    assert.equal(await probed(path, ['-show_entries', 'stream=profile']), [['LC']]);
  });
}

test.run();
