import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders } from '../plan/encoded.js';
import { probed, samplesOf, strengthOf } from './decoded-media.js';

/* Which channel of an output has which tone: each channel of the inputs has a tone of its own. */

const folder = tempFolder();
/** The tones of FL, FR, FC, LFE, BL and BR. */
const tones = [440, 660, 880, 60, 1100, 1320] as const;
const [FL, FR, FC, LFE, BL, BR] = tones;
const amplitude = 0.2;
const seconds = 2;

const sine = (hertz: number) => `${amplitude}*sin(2*PI*${hertz}*t)`;
const source = (layout: string, channels: readonly number[], length = seconds) => [
  ...['-f', 'lavfi', '-i', `aevalsrc='${channels.map(sine).join('|')}':c=${layout}:s=48000:d=${length}`],
];

const surround = join(folder, 'surround.mov');
const side = join(folder, 'side.mka');
const wide = join(folder, 'wide.mka');
const stereo = join(folder, 'stereo.mka');
const mono = join(folder, 'mono.mka');
/** A film with each channel of 5.1 in a track of its own, in the order FR FL BR BL FC LFE, and a stereo track. */
const tracks = join(folder, 'tracks.mkv');
const order = [FR, FL, BR, BL, FC, LFE] as const;
/** What puts the tracks together. */
const joined = { FL: '2', FR: '1', FC: '5', LFE: '6', BL: '4', BR: '3' } as const;

await Promise.all([
  makeMedia(surround, [...source('5.1', tones), '-c:a', 'pcm_s16le']),
  makeMedia(side, [...source('5.1(side)', tones), '-c:a', 'flac']),
  makeMedia(wide, [...source('7.1', [...tones, 1540, 1760]), '-c:a', 'pcm_s16le']),
  makeMedia(stereo, [...source('stereo', [FL, FR]), '-c:a', 'pcm_s16le']),
  makeMedia(mono, [...source('mono', [FC]), '-c:a', 'pcm_s16le']),
  makeMedia(tracks, [
    ...['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=25:d=${seconds}`],
    // The last track is shorter than the others.
    ...order.flatMap((hertz, at) => source('mono', [hertz], at === 5 ? 1 : seconds)),
    ...source('stereo', [1540, 1760]),
    ...['-map', '0', ...Array.from({ length: 7 }, (_, at) => ['-map', String(at + 1)]).flat()],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le', '-metadata:s:a', 'language=deu'],
  ]),
]);

/** The tone of each channel: the only one that is heard in it, or all that are, joined with `+`. */
async function heardIn(path: string, candidates: readonly number[] = [...tones, 1540, 1760]) {
  const { channels, sampleRate } = await samplesOf(path);
  return channels.map((samples) =>
    candidates.filter((hertz) => strengthOf(hertz, samples, sampleRate) > amplitude / 10).join('+'),
  );
}

const layoutOf = async (path: string) =>
  (await probed(path, ['-select_streams', 'a', '-show_entries', 'stream=codec_name,channel_layout']))[0];

/** Name, codec, the name of the codec in the file. */
const kinds: readonly (readonly [string, NonNullable<OutputSettings['audio_codec']>, string])[] = [
  ['a.mp4', 'aac', 'aac'],
  ['a.mov', 'aac', 'aac'],
  ['a.mkv', 'aac', 'aac'],
  ['a.ts', 'aac', 'aac'],
  ['a.m4a', 'aac', 'aac'],
  ['a.aac', 'aac', 'aac'],
  ['a.flv', 'aac', 'aac'],
  ['a.ac3', 'ac3', 'ac3'],
  ['a.mp4', 'ac3', 'ac3'],
  ['a.mkv', 'ac3', 'ac3'],
  ['a.ts', 'ac3', 'ac3'],
  ['a.ec3', 'eac3', 'eac3'],
  ['a.mp4', 'eac3', 'eac3'],
  ['a.mkv', 'eac3', 'eac3'],
  ['a.mkv', 'opus', 'opus'],
  ['a.webm', 'opus', 'opus'],
  ['a.mp4', 'opus', 'opus'],
  ['a.webm', 'vorbis', 'vorbis'],
  ['a.oga', 'vorbis', 'vorbis'],
  ['a.mkv', 'vorbis', 'vorbis'],
  ['a.wav', 'pcm', 'pcm_s16le'],
  ['a.mov', 'pcm', 'pcm_s16le'],
  ['a.mkv', 'pcm', 'pcm_s16le'],
  ['a.flac', 'flac', 'flac'],
];

for (const [name, ffmpeg] of await encoders()) {
  const test = suite(`channels of audio, ${name}`);
  const heard = async (input: string, settings: OutputSettings, filename = 'a.wav') =>
    heardIn((await encoded(ffmpeg, input, { skip_video: true, ...settings }, filename)).path);

  for (const [filename, codec, inFile] of kinds) {
    test(`5.1 stays 5.1 in ${filename} with ${codec}`, async () => {
      const settings = { skip_video: true, audio_codec: codec, output_audio_channels: ['6'] };
      const { path } = await encoded(ffmpeg, surround, settings, filename);
      assert.equal(await heardIn(path), tones.map(String));
      const [found, layout] = (await layoutOf(path)) ?? [];
      assert.is(found, inFile);
      // Matroska stores no positions of channels of PCM.
      assert.match(layout ?? '', inFile.startsWith('pcm') ? /^(5\.1|unknown|)$/ : /^5\.1(\(side\))?$/);
    });
  }

  test('5.1 with side channels, 7.1, and joined mono tracks become 5.1', async () => {
    assert.equal(await heard(side, { output_audio_channels: ['6'] }), tones.map(String));
    const downmix = await heard(wide, { output_audio_channels: ['6'] });
    assert.equal(downmix, ['440', '660', '880', '60', '1100+1540', '1320+1760']);
    for (const [filename, codec] of kinds.filter(([one]) => /\.(m4a|ac3|ec3|webm|oga|wav|mov)$/.test(one))) {
      const settings = {
        audio_codec: codec,
        input_audio_channels: joined,
        output_audio_channels: ['fl', 'fr', 'fc', 'lfe', 'bl', 'br'],
      };
      assert.equal(await heard(tracks, settings, filename), tones.map(String), `${filename} ${codec}`);
    }
  });

  test('joined tracks are as long as the longest one, also after a cut, and next to the video', async () => {
    const settings = { input_audio_channels: joined, output_audio_channels: ['6'] } as const;
    const { path } = await encoded(ffmpeg, tracks, { ...settings, start_clip: 0.5 }, 'a.mp4');
    const { channels, sampleRate } = await samplesOf(path);
    assert.ok(Math.abs((channels[0]?.length ?? 0) / sampleRate - 1.5) < 0.05);
    const whole = await encoded(ffmpeg, tracks, { ...settings, skip_video: true }, 'a.wav');
    assert.is((await samplesOf(whole.path)).channels[0]?.length, seconds * 48_000);
    const half = (at: number) => channels.map((all) => all.slice(at * sampleRate, (at + 0.4) * sampleRate));
    const loud = (part: readonly Float32Array[]) =>
      part.map((all, at) => strengthOf(tones[at] ?? 0, all, sampleRate) > amplitude / 2);
    assert.equal(loud(half(0)), [true, true, true, true, true, true]);
    assert.equal(loud(half(1)), [true, true, true, false, true, true]);
    const streams = await probed(path, ['-show_entries', 'stream=codec_type,channels:stream_tags=language']);
    assert.equal(
      streams.map((one) => one.join(' ')),
      ['video und', 'audio 6 deu'],
    );
  });

  test('single channels are taken without mixing, and two programmes become left and right', async () => {
    const arrays: readonly (readonly [readonly string[], readonly number[]])[] = [
      [['fc'], [FC]],
      [
        ['fl', 'fr'],
        [FL, FR],
      ],
    ];
    for (const input of [surround, side, wide])
      for (const [names, expected] of arrays)
        assert.equal(await heard(input, { output_audio_channels: names }), expected.map(String));
    const programmes = { DL: '5', DR: '7:2' } as const;
    const dual = { input_audio_channels: programmes, output_audio_channels: ['dl', 'dr'] };
    for (const filename of ['a.wav', 'a.m4a', 'a.mp3'])
      assert.equal(await heard(tracks, dual, filename), ['880', '1760']);
    assert.equal(await heard(tracks, { input_audio_channels: programmes }), ['880', '1760']);
    const swapped = { FL: '1:2', FR: '1:1' };
    assert.equal(await heard(stereo, { input_audio_channels: swapped }), ['660', '440']);
    assert.equal(await heard(tracks, { input_audio_channels: { FC: '7:1' } }), ['1540']);
    assert.equal(await heard(tracks, { input_audio_channels: { FC: '7' } }), ['1540+1760']);
  });

  test('joined channels are mixed as those of one track are, and keep their level', async () => {
    const mixes: readonly (readonly [readonly string[] | undefined, readonly string[]])[] = [
      [undefined, ['440+880+1100', '660+880+1320']],
      [['2'], ['440+880+1100', '660+880+1320']],
      [['1'], ['440+660+880+1100+1320']],
    ];
    for (const [channels, expected] of mixes) {
      const settings = { ...(channels === undefined ? {} : { output_audio_channels: channels }) };
      assert.equal(await heard(surround, settings), expected);
      assert.equal(await heard(tracks, { ...settings, input_audio_channels: joined }), expected);
      const of = async (input: string, more: OutputSettings) => {
        const { path } = await encoded(ffmpeg, input, { skip_video: true, ...settings, ...more }, 'a.wav');
        const [first = new Float32Array(), rate] = [(await samplesOf(path)).channels[0], 48_000];
        return [FL, FC, BL].map((hertz) => strengthOf(hertz, first.slice(0, rate), rate));
      };
      const [one, several] = [await of(surround, {}), await of(tracks, { input_audio_channels: joined })];
      for (const [at, level] of one.entries()) assert.ok(Math.abs(level - (several[at] ?? 0)) < 0.01);
    }
  });

  test('a channel that the input does not have becomes a mix', async () => {
    assert.equal(await heard(stereo, { output_audio_channels: ['6'] }), ['440', '660']);
    assert.equal(await heard(stereo, { output_audio_channels: ['fc'] }), ['440+660']);
    assert.equal(await heard(mono, { output_audio_channels: ['fl', 'fr'] }), ['880', '880']);
    assert.equal(await heard(surround, { output_audio_channels: ['6'] }, 'a.mp3'), [
      '440+880+1100',
      '660+880+1320',
    ]);
  });

  test('effects and normalisation apply to 5.1, of one track and of several', async () => {
    for (const [input, more] of [
      [surround, {}],
      [tracks, { input_audio_channels: joined }],
    ] as const) {
      const settings = {
        ...{ skip_video: true, output_audio_channels: ['6'], audio_normalize: true, audio_gain: -6, ...more },
      };
      const { path } = await encoded(ffmpeg, input, settings, 'a.wav');
      const { channels } = await samplesOf(path);
      const peak = Math.max(...channels.map((all) => all.reduce((most, one) => Math.max(most, one), 0)));
      assert.ok(Math.abs(peak - 0.495) < 0.02, `${peak}`);
      const loud = { ...settings, audio_normalize: false, audio_gain: 0, audio_loudness_level: -20 };
      assert.equal(await heardIn((await encoded(ffmpeg, input, loud, 'a.m4a')).path), tones.map(String));
    }
  });

  test('an encoder for 5.1 opens with every bitrate that is offered', async () => {
    for (const [filename, codec] of [
      ['a.ac3', 'ac3'],
      ['a.ec3', 'eac3'],
      ['a.m4a', 'aac'],
      ['a.webm', 'opus'],
      ['a.oga', 'vorbis'],
    ] as const)
      for (const settings of [
        { audio_bitrate: 16 },
        { audio_bitrate: 640 },
        { audio_quality: 1 },
        { audio_quality: 5 },
      ])
        assert.equal(
          await heard(
            surround,
            { ...settings, audio_codec: codec, output_audio_channels: ['6'] } as OutputSettings,
            filename,
          ),
          tones.map(String),
          `${codec} ${JSON.stringify(settings)}`,
        );
  });

  test.run();
}
