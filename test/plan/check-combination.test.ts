import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { canCopy, containerOf } from '../../daemon/plan/formats.js';
import { extensionFor } from '../../src/cli/destinations/output-names.js';
import { audioExtensions } from '../../src/shared/settings/general.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { newCapabilities, oldCapabilities, without } from './facts.js';

/** Settings, file name, then `extension video/encoder audio/encoder`, or the validation errors. */
type Case = readonly [OutputSettings, string | null, string | readonly string[]];

const good: readonly Case[] = [
  [{}, null, '.mp4 h264/libx264 aac/aac'],
  [{}, 'a.MP4', '.mp4 h264/libx264 aac/aac'],
  [{}, 'no-extension', '.mp4 h264/libx264 aac/aac'],
  [{}, '.mp4', '.mp4 h264/libx264 aac/aac'],
  [{}, 'folder.webm/name', '.mp4 h264/libx264 aac/aac'],
  [{}, 'a.webm', '.webm vp8/libvpx vorbis/libvorbis'],
  [{}, 'a.ogv', '.ogv theora/libtheora vorbis/libvorbis'],
  [{}, 'a.ogg', '.ogg theora/libtheora vorbis/libvorbis'],
  [{ format: 'mp3' }, null, '.mp3 - mp3/libmp3lame'],
  [{ format: 'webm' }, 'a.mp4', '.webm vp8/libvpx vorbis/libvorbis'],
  [{ format: 'aac' }, 'file-64k.mp4', '.aac - aac/aac'],
  [{ format: 'mkv' }, 'a.unknown', '.mkv h264/libx264 aac/aac'],
  [{ format: 'ogg', skip_video: true }, null, '.ogg - vorbis/libvorbis'],
  [{}, 'a.mp3', '.mp3 - mp3/libmp3lame'],
  [{}, 'a.m4a', '.m4a - aac/aac'],
  [{}, 'a.aac', '.aac - aac/aac'],
  [{}, 'a.oga', '.oga - vorbis/libvorbis'],
  [{}, 'a.opus', '.opus - opus/libopus'],
  [{}, 'a.mka', '.mka - aac/aac'],
  [{ audio_codec: 'mp3' }, 'a.flv', '.flv h264/libx264 mp3/libmp3lame'],
  [{ video_codec: 'vp8' }, null, '.webm vp8/libvpx vorbis/libvorbis'],
  [{ video_codec: 'theora' }, null, '.ogv theora/libtheora vorbis/libvorbis'],
  [{ video_codec: 'vp9' }, null, '.webm vp9/libvpx-vp9 opus/libopus'],
  [{ video_codec: 'vp9' }, 'a.mp4', '.mp4 vp9/libvpx-vp9 aac/aac'],
  [{ video_codec: 'vp9' }, 'a.mkv', '.mkv vp9/libvpx-vp9 opus/libopus'],
  [{ video_codec: 'hevc' }, null, '.mp4 hevc/libx265 aac/aac'],
  [{ video_codec: 'av1' }, null, '.mp4 av1/libsvtav1 aac/aac'],
  [{ video_codec: 'av1', video_bitrate: 500 }, null, '.mp4 av1/libaom-av1 aac/aac'],
  [{ skip_audio: true }, null, '.mp4 h264/libx264 -'],
  [{ skip_video: true }, null, '.m4a - aac/aac'],
  [{ skip_video: true, audio_codec: 'mp3' }, null, '.mp3 - mp3/libmp3lame'],
  [{ skip_video: true, audio_codec: 'vorbis' }, null, '.oga - vorbis/libvorbis'],
  [{ skip_video: true, audio_codec: 'opus' }, 'a.webm', '.webm - opus/libopus'],
  [{ skip_video: true }, 'a.webm', '.webm - vorbis/libvorbis'],
  [{ skip_video: true }, 'a.mkv', '.mkv - aac/aac'],
  [{ skip_video: true, video_codec: 'vp8' }, null, '.oga - vorbis/libvorbis'],
  [{ skip_video: true, video_codec: 'h264' }, 'a.mp3', '.mp3 - mp3/libmp3lame'],
  [{}, 'a.GIF', '.gif gif/gif -'],
  [{ format: 'webp' }, 'a.mp4', '.webp webp/libwebp_anim -'],
  [{ video_codec: 'gif' }, null, '.gif gif/gif -'],
  [
    { skip_audio: true, clip_length: 60, frame_rate: 50, onepass: false },
    'a.webp',
    '.webp webp/libwebp_anim -',
  ],
  [{ audio_codec: 'flac' }, 'a.mkv', '.mkv h264/libx264 flac/flac'],
  [{ audio_codec: 'flac' }, 'a.oga', '.oga - flac/flac'],
];

for (const [settings, filename, expected] of good) {
  test(`${JSON.stringify(settings)} as ${filename ?? 'any name'} is ${expected}`, () => {
    const found = checkCombination(settings, filename, newCapabilities, 'outputs[0]');
    assert.ok(found.ok, JSON.stringify(found));
    const encoders = [found.video, found.audio].map((one) =>
      one === null ? '-' : `${one.codec}/${one.encoder}`,
    );
    assert.is([found.extension, ...encoders].join(' '), expected);
  });
}

test('a name that contradicts the format is a warning', () => {
  const warningsOf = (format: OutputSettings['format'], filename: string) => {
    const found = checkCombination(
      { filename, ...(format === undefined ? {} : { format }) },
      filename,
      newCapabilities,
      'outputs[0]',
    );
    return found.ok ? found.warnings : [];
  };
  const [warning, ...others] = warningsOf('webm', 'a.mp4');
  assert.is(warning?.field, 'outputs[0].filename');
  assert.match(warning?.message ?? '', 'the file is webm, but its name says otherwise');
  assert.equal(others, []);
  assert.is(warningsOf('mp4', 'a.avi').length, 1);
  for (const [format, filename] of [
    ['mp4', 'a.m4v'],
    ['mp4', 'a.dat'],
    ['mp4', 'a'],
    [undefined, 'a.webm'],
  ] as const)
    assert.equal(warningsOf(format, filename), [], filename);
});

test('audio that the codec lacks at the requested rate is corrected, or rejected in strict mode', () => {
  for (const [settings, filename, field, message, strictError] of [
    [
      { audio_sample_rate: 8000, audio_bitrate: 128 },
      'a.oga',
      'audio_bitrate',
      'was corrected to 80: stereo vorbis at 8000 Hz has bitrates from 16 to 80 Kbps',
      'must be from 16 to 80 for stereo vorbis at 8000 Hz',
    ],
    [
      { audio_sample_rate: 48_000, max_audio_sample_rate: 16_000, audio_bitrate: 304 },
      'a.m4a',
      'audio_bitrate',
      'was corrected to 144: stereo aac at 16000 Hz has bitrates from 16 to 144 Kbps',
      'must be from 16 to 144 for stereo aac at 16000 Hz',
    ],
    [
      { audio_codec: 'amr', audio_bitrate: 16, skip_video: true },
      'a.3gp',
      'audio_bitrate',
      'was corrected to 12: mono amr at 8000 Hz has bitrates from 5 to 12 Kbps',
      'must be from 5 to 12 for mono amr at 8000 Hz',
    ],
    [
      { audio_codec: 'amr', audio_channels: 2, skip_video: true },
      'a.3gp',
      'audio_channels',
      'was corrected to 1: amr has one channel',
      'must be 1 for amr',
    ],
    [
      { audio_codec: 'mp3', max_audio_sample_rate: 8000 },
      'a.flv',
      'max_audio_sample_rate',
      'was corrected to 11025: mp3 has no lower rate in this container',
      'must be at least 11025 for mp3 in this container',
    ],
  ] as const) {
    const found = checkCombination(settings, filename, newCapabilities, 'outputs[1]');
    assert.ok(found.ok);
    assert.equal(found.warnings, [{ field: `outputs[1].${field}`, message, strictError }]);
    const copied = checkCombination({ ...settings, copy_audio: true }, filename, newCapabilities, 'o');
    assert.equal(copied.ok && copied.warnings, []);
  }
});

test('a sample rate that the codec lacks is corrected to the nearest one, or rejected in strict mode', () => {
  for (const [settings, filename, rate] of [
    [{ audio_sample_rate: 12_345 }, 'a.mp4', 12_000],
    [{ audio_sample_rate: 96_000 }, 'a.mp4', 48_000],
    [{ audio_sample_rate: 96_000 }, 'a.oga', 48_000],
    [{ audio_sample_rate: 48_000, audio_codec: 'mp3' }, 'a.flv', 44_100],
  ] as const) {
    const found = checkCombination(settings, filename, newCapabilities, 'outputs[1]');
    assert.ok(found.ok);
    assert.match(found.warnings[0]?.message ?? '', new RegExp(`^was corrected to ${rate}: `));
    assert.match(found.warnings[0]?.strictError ?? '', /^must be (one of|at most)/);
  }
});

const bad: readonly Case[] = [
  [
    { video_codec: 'vp8' },
    'a.mp4',
    ['outputs[1].video_codec vp8 is not supported in .mp4: use h264, hevc, mpeg4, vp9 or av1'],
  ],
  [
    { video_codec: 'h264' },
    'a.mp3',
    ['outputs[1].video_codec h264 is not supported in .mp3: it is audio-only'],
  ],
  [
    { audio_codec: 'vorbis' },
    null,
    ['outputs[1].audio_codec vorbis cannot be combined with h264 in .mp4: use aac, mp3, ac3 or eac3'],
  ],
  [
    { audio_codec: 'mp3' },
    'a.m4v',
    ['outputs[1].audio_codec mp3 cannot be combined with h264 in .m4v: use aac, ac3 or eac3'],
  ],
  [
    { audio_codec: 'mp3' },
    'a.3gp',
    ['outputs[1].audio_codec mp3 cannot be combined with h264 in .3gp: use aac'],
  ],
  [
    { audio_codec: 'opus' },
    'a.webm',
    ['outputs[1].audio_codec opus cannot be combined with vp8 in .webm: use vorbis'],
  ],
  [{ audio_codec: 'aac' }, 'a.mp3', ['outputs[1].audio_codec aac is not supported in .mp3: use mp3']],
  [
    { format: 'mp3', video_codec: 'h264' },
    null,
    ['outputs[1].video_codec h264 is not supported in .mp3: it is audio-only'],
  ],
  [{ format: 'hls' }, null, ['outputs[1].format must not be hls: it is the format of a playlist']],
  [
    { format: 'mxf' },
    null,
    ['outputs[1].format must not be mxf: conformance to broadcast standards cannot be verified'],
  ],
  [{ skip_audio: true }, 'a.mp3', ['outputs[1].skip_audio must not be set for .mp3, which is audio-only']],
  [
    { video_codec: 'vp6', audio_codec: 'vorbis' },
    'a.mp4',
    [
      'outputs[1].video_codec vp6 is not supported in .mp4: use h264, hevc, mpeg4, vp9 or av1',
      'outputs[1].video_codec vp6 cannot be encoded by this ffmpeg: ffmpeg has no VP6 encoder; use h264, which .flv also supports',
    ],
  ],
  [
    {
      video_codec: 'vp6',
      watermark: [
        { url: 'http://h/a.png' },
        { url: 'http://h/b.png', width: { value: 10, unit: 'percent', isFromFarEdge: false } },
      ],
    },
    'a.flv',
    [
      'outputs[1].watermark[1].width must be omitted: vp6 does not scale watermarks',
      'outputs[1].video_codec vp6 cannot be encoded by this ffmpeg: ffmpeg has no VP6 encoder; use h264, which .flv also supports',
    ],
  ],
  [
    { clip_length: 61, frame_rate: 60, video_bitrate: 500, audio_codec: 'aac' },
    'a.gif',
    [
      'outputs[1].audio_codec must not be given for .gif, which has no audio',
      'outputs[1].video_bitrate must not be given for .gif, which has neither a bitrate nor keyframes',
      'outputs[1].clip_length must be at most 60 for .gif',
      'outputs[1].frame_rate must be at most 50 for .gif',
    ],
  ],
  [{ skip_video: true }, 'a.webp', ['outputs[1].skip_video must not be set for .webp, which has no audio']],
  [
    { thumbnails: [{ number: 1 }] },
    'a.webp',
    [
      'outputs[1].thumbnails must not be given for .webp, which ffmpeg does not decode: add them to another output',
    ],
  ],
  [
    { video_codec: 'gif' },
    'a.mp4',
    ['outputs[1].video_codec gif is not supported in .mp4: use h264, hevc, mpeg4, vp9 or av1'],
  ],
  [
    { video_codec: 'vp6' },
    'a.flv',
    [
      'outputs[1].video_codec vp6 cannot be encoded by this ffmpeg: ffmpeg has no VP6 encoder; use h264, which .flv also supports',
    ],
  ],
];

for (const [settings, filename, expected] of bad) {
  test(`${JSON.stringify(settings)} as ${filename ?? 'any name'} is rejected with a full sentence`, () => {
    assert.equal(checkCombination(settings, filename, newCapabilities, 'outputs[1]'), {
      ok: false,
      validationErrors: expected,
    });
  });
}

test('an unknown extension is reported for the setting that gave it, with the supported extensions', () => {
  const named = checkCombination({ filename: 'a.avi' }, 'a.avi', newCapabilities, 'outputs[0]');
  assert.match(
    named.ok ? '' : named.validationErrors.join(),
    /^outputs\[0\]\.filename ends in \.avi, .* use \.mp4, .* or \.webp$/,
  );
  const addressed = checkCombination({ url: 'ftp://h/a.avi' }, 'a.avi', newCapabilities, 'outputs[0]');
  assert.match(addressed.ok ? '' : addressed.validationErrors.join(), /^outputs\[0\]\.url ends in \.avi/);
});

test('a setting that needs a missing encoder is rejected, and one that needs no encoder is accepted', () => {
  const poor = without('libx264', 'aac');
  assert.equal(checkCombination({}, null, poor, 'outputs[0]'), {
    ok: false,
    validationErrors: [
      'outputs[0].video_codec h264 cannot be encoded by this ffmpeg',
      'outputs[0].audio_codec aac cannot be encoded by this ffmpeg',
    ],
  });
  assert.not(checkCombination({ skip_audio: true }, null, poor, 'o').ok);
  assert.ok(checkCombination({ skip_video: true }, 'a.mp3', poor, 'o').ok);
});

test('an animated WebP needs the encoder libwebp_anim, which an error names', () => {
  assert.equal(checkCombination({ format: 'webp' }, null, without('libwebp_anim'), 'outputs[0]'), {
    ok: false,
    validationErrors: ['outputs[0].video_codec webp cannot be encoded by this ffmpeg: it needs libwebp_anim'],
  });
});

test('Theora in Ogg is rejected with ffmpeg 7, which loses the times of repeated frames there', () => {
  const seven = { ...newCapabilities, version: 7 };
  const rejected = checkCombination({ video_codec: 'theora' }, 'a.ogg', seven, 'outputs[0]');
  assert.match(
    rejected.ok ? '' : rejected.validationErrors.join(),
    /^outputs\[0\]\.video_codec theora .*\.ogg.*\.mkv/,
  );
  assert.ok(checkCombination({ video_codec: 'theora' }, 'a.mkv', seven, 'outputs[0]').ok);
  assert.ok(checkCombination({ skip_video: true }, 'a.ogg', seven, 'outputs[0]').ok);
});

test('the better of two encoders is chosen if it is available', () => {
  const rich = { ...newCapabilities, encoders: new Set([...newCapabilities.encoders, 'libfdk_aac']) };
  const found = checkCombination({}, null, rich, 'o');
  assert.is(found.ok && found.audio?.encoder, 'libfdk_aac');
  const old = checkCombination({ video_codec: 'av1' }, null, oldCapabilities, 'o');
  assert.is(old.ok && old.video?.encoder, 'libaom-av1');
});

test('a missing muxer is reported', () => {
  const poor = { ...newCapabilities, muxers: new Set(['webm']) };
  assert.equal(checkCombination({}, null, poor, 'outputs[0]'), {
    ok: false,
    validationErrors: ['outputs[0] cannot be written as .mp4: this ffmpeg has no muxer mp4'],
  });
});

for (const [codec, extension] of Object.entries(audioExtensions)) {
  test(`the file of an output with only ${codec} is named ${extension} and may hold it`, () => {
    assert.ok(containerOf(extension).audioOnlyCodecs.some((one) => one === codec));
    assert.is(extensionFor({ skip_video: true, audio_codec: codec }), extension);
  });
}

test('Ogg holds copies of Opus and FLAC, which it does not hold encoded', () => {
  for (const extension of ['.oga', '.ogg'] as const)
    for (const codec of ['vorbis', 'opus', 'flac'])
      assert.ok(canCopy(containerOf(extension), 'audio', codec), `${codec} in ${extension}`);
});

test.run();
