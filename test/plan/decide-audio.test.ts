import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AudioEncoderName } from '../../daemon/plan/audio-encoders.js';
import { decideAudio } from '../../daemon/plan/decide/decide-audio.js';
import { type AudioCodec, containerOf, type Extension } from '../../daemon/plan/formats.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts } from './facts.js';

const encoderOf = {
  aac: 'aac',
  mp3: 'libmp3lame',
  vorbis: 'libvorbis',
  opus: 'libopus',
  ac3: 'ac3',
  eac3: 'eac3',
  pcm: 'pcm_s16le',
  flac: 'flac',
  wma: 'wmav2',
  amr: 'libopencore_amrnb',
} as const satisfies Record<AudioCodec, AudioEncoderName>;

function decide(
  settings: OutputSettings,
  facts: Parameters<typeof audioFacts>[0],
  codec: AudioCodec = 'aac',
  extension: Extension = '.mp4',
) {
  const chosen = { codec, encoder: encoderOf[codec], container: containerOf(extension) };
  return decideAudio(settings, audioFacts(facts), chosen, null, { lengthSeconds: 10, audioSeconds: 10 });
}

const rates: readonly (readonly [number, AudioCodec, Extension, number])[] = [
  [48_000, 'aac', '.mp4', 48_000],
  [44_100, 'aac', '.mp4', 44_100],
  [96_000, 'aac', '.mp4', 48_000],
  [7350, 'aac', '.mp4', 8000],
  [11_127, 'aac', '.mp4', 12_000],
  [8000, 'mp3', '.mp3', 8000],
  [8000, 'mp3', '.mp4', 16_000],
  [48_000, 'mp3', '.flv', 44_100],
  [44_100, 'opus', '.webm', 48_000],
  [22_050, 'opus', '.webm', 24_000],
  [11_127, 'vorbis', '.webm', 11_127],
  [192_000, 'vorbis', '.webm', 48_000],
  [0, 'aac', '.mp4', 48_000],
];

for (const [input, codec, extension, expected] of rates) {
  test(`audio of ${input} Hz becomes ${codec} of ${expected} Hz in ${extension}`, () => {
    const decided = decide({}, { sampleRate: input }, codec, extension);
    assert.is('audio' in decided ? decided.audio.sampleRate : null, expected);
  });
}

test('the number of channels is kept, up to two, unless it is given', () => {
  const counts = [1, 2, 6, 8].map((channels) => decide({}, { channels }));
  assert.equal(
    counts.map((decided) => 'audio' in decided && decided.audio.channels),
    [1, 2, 2, 2],
  );
  const asked = decide({ audio_channels: 1 }, { channels: 6 });
  assert.is('audio' in asked && asked.audio.channels, 1);
});

test('channels are mixed by their layout, two are averaged to one, and more than eight go by their order', () => {
  const mixing = (channels: number, settings: OutputSettings = {}) => {
    const one = decide(settings, { channels });
    return 'audio' in one ? one.audio.mixing : one.failure;
  };
  const mono = { audio_channels: 1 } as const;
  assert.equal(
    [1, 2, 3, 6, 8].map((channels) => mixing(channels)),
    (['nothing', 'nothing', 'positions', 'positions', 'positions'] as const).map((by) => ({ by })),
  );
  assert.equal(
    [1, 2, 6].map((channels) => mixing(channels, mono)),
    (['nothing', 'average', 'positions'] as const).map((by) => ({ by })),
  );
  assert.equal(mixing(12), { by: 'order', channels: 12 });
});

test('audio_quality takes precedence over audio_bitrate, and without either the quality is 3', () => {
  const decided = [{ audio_quality: 5, audio_bitrate: 64 }, { audio_bitrate: 64 }, {}].map((settings) =>
    decide(settings, {}),
  );
  assert.equal(
    decided.map((one) => 'audio' in one && one.audio.rate),
    [
      { by: 'quality', level: 5 },
      { by: 'bitrate', kbps: 64 },
      { by: 'quality', level: 3 },
    ],
  );
});

/** Settings, input, codec, the bitrate in the output, the reason, and the error in strict mode. */
const corrected: readonly (readonly [
  OutputSettings,
  Parameters<typeof audioFacts>[0],
  AudioCodec,
  number,
  string,
  string,
])[] = [
  [
    { audio_bitrate: 192 },
    { channels: 1 },
    'aac',
    144,
    'mono audio has less than 160 Kbps',
    'must be below 160 for mono audio',
  ],
  [
    { audio_bitrate: 192 },
    { channels: 1 },
    'ac3',
    160,
    'mono audio has less than 160 Kbps',
    'must be below 160 for mono audio',
  ],
  [
    { audio_bitrate: 128 },
    { sampleRate: 8000 },
    'vorbis',
    80,
    'stereo vorbis at 8000 Hz has bitrates from 16 to 80 Kbps',
    'must be from 16 to 80 for stereo vorbis at 8000 Hz',
  ],
  [
    { audio_bitrate: 16 },
    { sampleRate: 44_100 },
    'mp3',
    32,
    'stereo mp3 at 44100 Hz has bitrates from 32 to 320 Kbps',
    'must be from 32 to 320 for stereo mp3 at 44100 Hz',
  ],
  [
    { audio_bitrate: 256 },
    { sampleRate: 22_050 },
    'aac',
    198,
    'stereo aac at 22050 Hz has bitrates from 16 to 198 Kbps',
    'must be from 16 to 198 for stereo aac at 22050 Hz',
  ],
  [
    { audio_bitrate: 304, audio_sample_rate: 16_000 },
    { channels: 1 },
    'aac',
    72,
    'mono audio has less than 160 Kbps',
    'must be below 160 for mono audio',
  ],
  [
    { audio_bitrate: 144 },
    {},
    'ac3',
    160,
    'ac3 has no bitrate of 144 Kbps',
    'must be 160 or another bitrate of ac3',
  ],
];

for (const [settings, facts, codec, kbps, reason, strictError] of corrected) {
  test(`${settings.audio_bitrate} Kbps that ${reason.replace(' has', ' have')} become ${kbps}, or fail in strict mode`, () => {
    const one = decide(settings, facts, codec);
    assert.ok('audio' in one);
    assert.equal(one.audio.rate, { by: 'bitrate', kbps });
    assert.equal(one.warnings, [`audio_bitrate was corrected to ${kbps}: ${reason}.`]);
    assert.equal(decide({ ...settings, strict: true }, facts, codec), {
      failure: { errorClass: 'InvalidAudioSettingsError', message: `audio_bitrate ${strictError}.` },
    });
  });
}

test('a bitrate that is possible is kept without a warning, and so is one that the create has reported', () => {
  for (const [settings, facts, kbps] of [
    [{ audio_bitrate: 192 }, { sampleRate: 22_050 }, 192],
    [{ audio_bitrate: 144 }, { channels: 1 }, 144],
    [{ audio_bitrate: 256, audio_sample_rate: 22_050 }, {}, 198],
  ] as const) {
    const one = decide(settings, facts);
    assert.ok('audio' in one);
    assert.equal([one.audio.rate, one.warnings], [{ by: 'bitrate', kbps }, []]);
  }
});

test.run();
