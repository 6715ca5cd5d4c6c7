import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { ineffectiveSettings } from '../../daemon/plan/ineffective-settings.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Plan } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths } from './facts.js';

function planOf(settings: OutputSettings, filename = 'film.mp4', media = mediaFacts()): Plan {
  return plan([output(settings, filename)], media, paths, newCapabilities);
}

const argsOf = (made: Plan) => made.steps.map(({ args }) => args.join(' ')).join('\n');

/** File, settings, the validation errors and the settings without effect. */
const checked: readonly (readonly [string, OutputSettings, readonly string[], readonly string[]])[] = [
  ['a.mp3', { audio_constant_bitrate: true }, ['audio_constant_bitrate needs audio_bitrate'], []],
  ['a.mp3', { audio_constant_bitrate: true, audio_bitrate: 128 }, [], []],
  ['a.mp3', { audio_constant_bitrate: false }, [], []],
  ['a.wav', { audio_constant_bitrate: true }, [], ['audio_constant_bitrate']],
  ['a.wav', { audio_bitrate: 128 }, [], ['audio_bitrate']],
  ['a.wav', { audio_bit_depth: 24 }, [], []],
  ['a.mp4', { audio_bit_depth: 24 }, [], ['audio_bit_depth']],
  ['a.flac', { audio_bit_depth: 24 }, [], []],
  [
    'a.flac',
    { audio_bitrate: 128, audio_constant_bitrate: true },
    [],
    ['audio_constant_bitrate', 'audio_bitrate'],
  ],
  ['a.mp4', { audio_bit_depth: 16 }, [], []],
  ['a.wav', { audio_bitrate: 128, copy_audio: true }, [], ['audio_bitrate']],
  ['a.mp4', { audio_constant_bitrate: true, audio_bitrate: 96 }, [], []],
  ['a.mp4', { audio_constant_bitrate: true, copy_audio: true }, [], ['audio_constant_bitrate']],
  ['a.mp4', { audio_constant_bitrate: true, skip_audio: true }, [], ['audio_constant_bitrate']],
  ['a.mp4', { force_aac_profile: 'aac-lc' }, [], []],
  [
    'a.mp4',
    { force_aac_profile: 'he-aac-v2' },
    ['force_aac_profile cannot be he-aac-v2: the installed ffmpeg has no encoder for it; omit it for AAC-LC'],
    [],
  ],
  ['a.mp3', { force_aac_profile: 'he-aac' }, [], ['force_aac_profile']],
  ['a.mp4', { force_aac_profile: 'he-aac', copy_audio: true }, [], ['force_aac_profile']],
  ['a.mp3', { audio_language: 'en', select_audio_language: 'en' }, [], ['audio_language']],
  ['a.oga', { audio_language: 'en' }, [], []],
  ['a.mp4', { audio_language: 'en', copy_audio: true }, [], []],
  [
    'a.mp4',
    { audio_language: 'en', select_audio_language: 'en', skip_audio: true },
    [],
    ['audio_language', 'select_audio_language'],
  ],
  ['a.mp4', { audio_loudness_level: -16, copy_audio: true }, [], ['audio_loudness_level']],
];

for (const [name, settings, errors, ineffective] of checked) {
  test(`${name} with ${JSON.stringify(settings)}: ${[...errors, ...ineffective].join() || 'valid'}`, () => {
    const combination = checkCombination(settings, name, newCapabilities, 'outputs[0]');
    assert.equal(
      combination.ok ? [] : combination.validationErrors,
      errors.map((text) => `outputs[0].${text}`),
    );
    if (!combination.ok) return;
    const found = ineffectiveSettings(settings, combination, 'outputs[0]').map(({ field }) => field);
    assert.equal(
      found,
      ineffective.map((one) => `outputs[0].${one}`),
    );
  });
}

test('a bitrate that MP3 lacks is corrected, and an error in strict mode', () => {
  const settings = { audio_bitrate: 144 };
  const made = planOf(settings, 'a.mp3');
  assert.equal(made.products[0]?.warnings, [
    'audio_bitrate was corrected to 128: mp3 has no bitrate of 144 Kbps.',
  ]);
  assert.match(argsOf(made), /-b:a 128k -ar/);
  const [rejection] = planOf({ ...settings, strict: true }, 'a.mp3').rejections;
  assert.is(rejection?.failure.errorClass, 'InvalidAudioSettingsError');
});

test('MP3 has 144 Kbps at low sample rates', () => {
  const made = planOf({ audio_bitrate: 144, audio_sample_rate: 22_050 }, 'a.mp3');
  assert.equal(made.products[0]?.warnings, []);
  assert.match(argsOf(made), /-b:a 144k -ar 22050/);
});

test('audio_quality overrides a constant bitrate', () => {
  const settings = { audio_bitrate: 128, audio_constant_bitrate: true, audio_quality: 4 };
  assert.match(argsOf(planOf(settings, 'a.mp3')), /-q:a 3/);
});

const otherAudio = [audioFacts({ streamIndex: 2, language: 'fre' })];
const bilingual = mediaFacts({ audio: audioFacts({ language: 'eng' }), otherAudio });

test('the language of the track is declared unless another one is given', () => {
  assert.match(argsOf(planOf({}, 'a.mp4', bilingual)), /-metadata:s:a:0 language=eng/);
  assert.match(argsOf(planOf({ audio_language: 'gre' }, 'a.mp4', bilingual)), /language=ell/);
  assert.not.match(argsOf(planOf({ audio_language: 'und' }, 'a.mp4', bilingual)), /language=/);
  assert.not.match(argsOf(planOf({ skip_audio: true, audio_language: 'en' }, 'a.mp4')), /language=/);
  const twoPasses = planOf({ video_bitrate: 500, audio_language: 'en' }).steps;
  assert.equal(
    twoPasses.map(({ args }) => args.includes('language=eng')),
    [false, true],
  );
});

test('a language without a track is a warning, and an error in strict mode', () => {
  const made = planOf({ select_audio_language: 'es' }, 'a.mp4', bilingual);
  assert.equal(made.products[0]?.warnings, [
    'The input has no audio track in the language of select_audio_language, so the default track is used.',
  ]);
  assert.match(argsOf(made), /-map 0:1 /);
  assert.match(argsOf(planOf({ select_audio_language: 'fr' }, 'a.mp4', bilingual)), /-map 0:2 /);
  const [rejection] = planOf({ select_audio_language: 'es', strict: true }, 'a.mp4', bilingual).rejections;
  assert.is(rejection?.failure.errorClass, 'NoMediaError');
});

const loudness = { integratedLufs: -30, truePeakDb: -12, thresholdLufs: -40 };

test('an output asks for one value after the other, until its volume is known', () => {
  const settings = { audio_normalize: true, audio_compression_ratio: 4, start_clip: 10, clip_length: 2 };
  const made = (measured: object) =>
    plan([{ ...output(settings), measured: new Map([[1, measured]]) }], mediaFacts(), paths, newCapabilities);
  const [before] = made({}).measurements;
  assert.is(before?.measurement, 'peakBeforeDynamics');
  assert.not.match(before?.runs[0]?.join(' ') ?? '', /compand/);
  const [after, ...others] = made({ peakBeforeDynamics: -6 }).measurements;
  assert.is(after?.measurement, 'peakAfterDynamics');
  assert.equal(others, []);
  assert.match(
    after?.runs[0]?.join(' ') ?? '',
    /-ss 10 -i .*volume=5.9dB,compand=[^,]*,atrim=start=0:end=2,astats/,
  );
  const known = made({ peakBeforeDynamics: -6, peakAfterDynamics: -10 });
  assert.equal(known.measurements, []);
  assert.match(argsOf(known), /volume=5.9dB,compand=[^,]*,volume=9.9dB/);
  assert.match(argsOf(made({ peakBeforeDynamics: null, peakAfterDynamics: null })), /stereo,compand=[^,]*$/m);
});

test('a loudness takes the place of the second peak', () => {
  const settings = { audio_normalize: true, audio_loudness_level: -16, audio_gain: -3 };
  const [wanted] = planOf(settings).measurements;
  assert.is(wanted?.measurement, 'loudness');
  const made = plan(
    [{ ...output(settings), measured: new Map([[1, { loudness }]]) }],
    mediaFacts(),
    paths,
    newCapabilities,
  );
  const filters =
    /loudnorm=I=-16:TP=-1:LRA=11:measured_I=-30:measured_TP=-12:[^,]*,aresample=48000,volume=-3dB/;
  assert.match(argsOf(made), filters);
});

test('audio that must be repacked is repacked before it is measured', () => {
  const media = mediaFacts({ audio: audioFacts({ codec: 'amr_nb', sampleRate: 8000, channels: 1 }) });
  const [wanted] = planOf({ audio_normalize: true }, 'a.mp4', media).measurements;
  assert.equal(
    wanted?.runs.map((args) => args.at(-1)),
    ['file:/scratch/audio-7-1.amr', '-'],
  );
});

test('FLAC keeps 16 bits of a sample or 24, and is copied only as a whole', () => {
  assert.match(argsOf(planOf({}, 'a.flac')), /-c:a flac .*-sample_fmt s16/);
  for (const audio_bit_depth of [24, 32] as const)
    assert.match(argsOf(planOf({ audio_bit_depth }, 'a.flac')), /-c:a flac .*-sample_fmt s32/);
  const media = mediaFacts({ audio: audioFacts({ codec: 'flac' }) });
  assert.match(argsOf(planOf({ copy: true }, 'a.flac', media)), /-c:a copy/);
  const clip = planOf({ copy: true, clip_length: 2 }, 'a.flac', media);
  assert.match(argsOf(clip), /-c:a flac/);
  assert.match(clip.products[0]?.warnings.join() ?? '', /encoded: \.flac does not support a copy of flac/);
  assert.is(planOf({ copy_audio: true, clip_length: 2 }, 'a.flac', media).rejections.length, 1);
});

test.run();
