import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MasteringDisplay, VideoFacts } from '../../daemon/jobs/media.js';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Capabilities } from '../../daemon/plan/plan-types.js';
import { parseFlags } from '../../src/shared/settings/flags.js';
import { type OutputSettings, outputTable } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { checkSupport } from '../../src/shared/settings/support.js';
import { mediaFacts, newCapabilities, oldCapabilities, output, paths, videoFacts, without } from './facts.js';

const mastering: MasteringDisplay = {
  red: { x: 0.708, y: 0.292 },
  green: { x: 0.17, y: 0.797 },
  blue: { x: 0.131, y: 0.046 },
  whitePoint: { x: 0.3127, y: 0.329 },
  luminance: { min: 0.0001, max: 1000 },
};
const lightLevels = { maxContent: 1000, maxAverage: 400 };
const { whitePoint: white_point, ...primaries } = mastering;
const master_display = { ...primaries, white_point };
const pq = {
  pixelFormat: 'yuv420p10le',
  colourTransfer: 'smpte2084',
  hdr: { mastering, lightLevels },
} as const;
const capabilities: Capabilities = {
  ...newCapabilities,
  filters: new Set([...newCapabilities.filters, 'zscale', 'tonemap']),
};

/** The arguments of an output, and its warnings; or why it cannot be made. */
function planned(settings: OutputSettings, video: Partial<VideoFacts> = pq, given = capabilities) {
  const media = mediaFacts({ video: videoFacts(video) });
  const { steps, products, rejections } = plan([output(settings, 'film.mp4')], media, paths, given);
  return {
    args: steps.flatMap(({ args }) => args),
    warnings: products.flatMap(({ warnings }) => warnings),
    failure: rejections[0]?.failure.message,
  };
}

/** The validation errors of a request with one output, as the service reports them. */
function errorsOf(settings: object, name = 'film.mp4', given = capabilities): readonly string[] {
  const request = { input: 'http://a/b', outputs: [settings] };
  const parsed = parseJobRequest(request, { maxOutputs: 1 });
  if (!parsed.ok) return parsed.validationErrors;
  const { validationErrors } = checkSupport(outputTable, { ...parsed.request.outputs[0] }, 'outputs[0]');
  if (validationErrors.length > 0) return validationErrors;
  const checked = checkCombination(parsed.request.outputs[0] ?? {}, name, given, 'outputs[0]');
  return checked.ok ? [] : checked.validationErrors;
}

const main10 = { video_codec: 'hevc', video_codec_profile: 'main10' } as const;
const hdr10 = { ...main10, hdr_format: 'hdr10' } as const;

/** Settings, and the error. */
const rejected: readonly (readonly [object, RegExp])[] = [
  [
    { hdr_format: 'hdr10' },
    /^outputs\[0\]\.hdr_format needs video_codec hevc and video_codec_profile main10/,
  ],
  [
    { video_codec: 'hevc', hdr_format: 'pq' },
    /hdr_format needs video_codec hevc and video_codec_profile main10/,
  ],
  [{ video_codec: 'vp9', preserve_hdr_metadata: true }, /preserve_hdr_metadata needs video_codec hevc/],
  [{ video_codec: 'av1', video_bit_depth: 8, hdr_format: 'hlg' }, /hdr_format needs .* av1 with 10 bits/],
  [{ ...main10, hdr_format: 'dv5' }, /hdr_format must not be dv5: Dolby Vision is not supported/],
  [{ ...main10, hdr_format: 'dv8.1' }, /hdr_format must not be dv8.1: Dolby Vision is not supported/],
  [{ ...main10, hdr_format: 'hdr11' }, /hdr_format must be one of hdr10, pq, hlg/],
  [{ ...hdr10, hdr: 'tone-map' }, /hdr_format must not be given with hdr tone-map/],
  [{ ...hdr10, color_metadata: 'discard' }, /hdr_format must not be given with color_metadata discard/],
  [{ ...hdr10, watermark: { url: 'http://a/b.png' } }, /hdr_format must not be given with watermark/],
  [{ ...hdr10, subtitles: 'burn' }, /hdr_format must not be given with subtitles burn/],
  [
    { video_codec: 'hevc', hdr: 'keep', video_bit_depth: 8 },
    /hdr keep needs 10 bits: leave out video_bit_depth/,
  ],
  [
    { video_codec: 'hevc', hdr: 'keep', video_codec_profile: 'main' },
    /hdr keep needs 10 bits: leave out the pro/,
  ],
  [{ ...main10, hdr_format: 'pq', master_display }, /master_display needs hdr_format hdr10/],
  [
    { ...hdr10, max_content_light_level: 1000 },
    /max_content_light_level needs max_frame_average_light_level/,
  ],
  [
    { ...hdr10, max_frame_average_light_level: 400 },
    /max_frame_average_light_level needs max_content_light_level/,
  ],
  [
    { ...hdr10, max_frame_average_light_level: 4 },
    /max_frame_average_light_level must be .* from 5 to 10000/,
  ],
  [
    { ...hdr10, master_display: { ...master_display, red: { x: 0.75, y: 0.3 } } },
    /master_display\.red\.x must be a number from 0.0001 to 0.74/,
  ],
  [
    { ...hdr10, master_display: { ...master_display, red: { x: 0.7 } } },
    /master_display\.red\.y is required/,
  ],
  [{ ...hdr10, master_display: { ...primaries } }, /master_display\.white_point is required/],
  [
    { ...hdr10, master_display: { ...master_display, luminance: { min: 0, max: 1000 } } },
    /master_display\.luminance\.min must be a number from 0.0001 to 5/,
  ],
  [
    { ...hdr10, master_display: { ...master_display, blue: { x: '0.1:crf=0', y: 0.1 } } },
    /master_display\.blue\.x must be a number/,
  ],
  [{ ...hdr10, master_display: 'G(1,2):pools=8' }, /master_display must be an object/],
];

for (const [settings, error] of rejected) {
  test(`${JSON.stringify(settings)} is rejected`, () => {
    assert.match(errorsOf(settings).join(), error);
  });
}

test('other spellings of the metadata are accepted, and so is text on the command line', () => {
  const { green: greeen, luminance: luminence, ...others } = master_display;
  assert.equal(errorsOf({ ...hdr10, master_display: { ...others, greeen, luminence } }), []);
  const words =
    'red=0.708/0.292,green=0.17/0.797,blue=0.131/0.046,white_point=0.3127/0.329,luminance=0.0001/1000';
  assert.equal(parseFlags({ masterDisplay: words }).outputFlags, { master_display });
  assert.throws(() => parseFlags({ masterDisplay: 'red=0.708' }), /master-display: red must be x\/y/);
});

test('HDR10 in AV1 needs SVT-AV1, which is preferred for its metadata', () => {
  const settings = { video_codec: 'av1', hdr_format: 'hdr10' } as const;
  const error =
    'outputs[0].hdr_format hdr10 cannot be encoded for av1 by this ffmpeg: it has no encoder libsvtav1';
  assert.equal(errorsOf(settings, 'film.mp4', without('libsvtav1')), [error]);
  assert.equal(errorsOf({ ...settings, hdr_format: 'hlg' }, 'film.mp4', without('libsvtav1')), []);
  const both = checkCombination({ ...settings, video_bitrate: 500 }, 'film.mp4', capabilities, 'o');
  assert.is(both.ok && both.video?.encoder, 'libsvtav1');
  const other = checkCombination({ video_codec: 'av1', video_bitrate: 500 }, 'film.mp4', capabilities, 'o');
  assert.is(other.ok && other.video?.encoder, 'libaom-av1');
});

test('the encoders get the metadata of the input as numbers', () => {
  const x265 = planned({ video_codec: 'hevc', hdr: 'keep' }).args.join(' ');
  assert.match(x265, / format=yuv420p10le|,format=yuv420p10le,/);
  assert.match(
    x265,
    /:master-display=G\(8500,39850\)B\(6550,2300\)R\(35400,14600\)WP\(15635,16450\)L\(10000000,1\):max-cll=1000,400:/,
  );
  assert.match(x265, /-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc/);
  const svt = planned({ video_codec: 'av1', hdr: 'keep' }).args.join(' ');
  assert.match(
    svt,
    /mastering-display=G\(0\.17000000,0\.79700000\)B.*L\(1000\.00000000,0\.00010000\):content-light=1000,400/,
  );
});

test('metadata of the input that is out of range is left out by name', () => {
  const wrong = { ...mastering, red: { x: 0.9, y: 0.3 }, luminance: { min: 0.01, max: 1e8 } };
  const video = { ...pq, hdr: { mastering: wrong, lightLevels: { maxContent: 1e6, maxAverage: 3 } } };
  const { args, warnings } = planned({ video_codec: 'hevc', hdr: 'keep' }, video);
  assert.equal(warnings, [
    'The mastering display of the input was left out: red.x 0.9, luminance.max 100000000 is out of range.',
    'The light level of the input was left out: maxContent 1000000 is out of range.',
  ]);
  assert.not.match(args.join(' '), /master-display|max-cll/);
});

/** Settings, the input, and the only warning; null for none. */
const expectedWarnings: readonly (readonly [OutputSettings, Partial<VideoFacts>, RegExp | null])[] = [
  [{}, pq, /^The HDR of the input was converted to standard range/],
  [{ hdr: 'tone-map' }, pq, null],
  [{ hdr: 'keep' }, {}, null],
  [{ hdr: 'keep' }, pq, /^hdr was corrected to tone-map: h264 does not keep HDR/],
  [{ video_codec: 'hevc', hdr: 'keep' }, pq, null],
  [{ ...main10, preserve_hdr_metadata: true }, {}, /^preserve_hdr_metadata had no effect/],
  [hdr10, {}, /^hdr_format had no effect, because the input is not HDR/],
  [hdr10, { pixelFormat: 'yuv422p10le' }, null],
  [{ ...main10, hdr_format: 'hlg' }, pq, /^hdr_format was corrected to hdr10: the input is PQ/],
  [{ video_codec: 'hevc', hdr: 'keep' }, { ...pq, hdr: { hasHdr10Plus: true } }, /^The HDR10\+ metadata/],
  [{ copy: true, hdr: 'keep' }, pq, null],
];

for (const [settings, video, warning] of expectedWarnings) {
  test(`${JSON.stringify(settings)} for ${JSON.stringify(video)} warns of ${warning}`, () => {
    const { warnings } = planned(settings, video);
    if (warning === null) assert.equal(warnings, []);
    else assert.match(warnings.join('|'), warning);
    assert.ok(warnings.length <= 1, warnings.join());
  });
}

test('strict fails where HDR cannot be kept', () => {
  const { failure } = planned({ hdr: 'keep', strict: true });
  assert.match(failure ?? '', /^hdr would be corrected to tone-map, but strict is set/);
});

test('a video with watermarks or drawn captions is tone-mapped', () => {
  const settings = { video_codec: 'hevc', hdr: 'keep', subtitles: 'burn' } as const;
  assert.equal(planned(settings).warnings, []);
  const cues = [{ startMs: 0, endMs: 1000, spans: [{ text: 'a' }] }];
  const captions = [
    {
      captions: { syntax: 'other', cues, language: null, warnings: [] } as const,
      ...{ streamIndex: 2, language: null, title: null, dispositions: [] },
    },
  ];
  const filters = new Set([...capabilities.filters, 'ass', 'subtitles']);
  const one = { ...output(settings, 'film.mp4'), captions };
  const media = mediaFacts({ video: videoFacts(pq) });
  const made = plan([one], media, paths, { ...capabilities, filters });
  assert.match(made.products[0]?.warnings.join() ?? '', /watermarks and drawn captions have standard range/);
});

test('outputs with and without HDR are not encoded in one run', () => {
  const settings = [{ hdr: 'keep' }, { hdr: 'tone-map' }, { hdr: 'keep' }] as const;
  const outputs = settings.map((one, id) => ({
    ...{ id, filename: `${id}.mp4`, isTest: false },
    settings: { ...main10, ...one },
  }));
  const media = mediaFacts({ video: videoFacts(pq) });
  const { steps } = plan(outputs, media, paths, capabilities);
  assert.equal(
    steps.map(({ outputIds }) => outputIds),
    [[0, 2], [1]],
  );
});

/** Codec, profile, the pixel format of the input, and that of the output with `video_bit_depth: auto`. */
const depths = [
  ['hevc', undefined, 'yuv420p10le', 'yuv420p10le'],
  ['hevc', undefined, 'yuv422p12le', 'yuv420p10le'],
  ['hevc', undefined, 'p010le', 'yuv420p10le'],
  ['hevc', undefined, 'yuv420p', 'yuv420p'],
  ['hevc', 'main', 'yuv420p10le', 'yuv420p'],
  ['hevc', 'main12', 'yuv420p10le', 'yuv420p12le'],
  ['av1', undefined, 'yuv420p10le', 'yuv420p10le'],
  ['vp9', undefined, 'yuv420p10le', 'yuv420p10le'],
  ['h264', undefined, 'yuv420p10le', 'yuv420p'],
  ['h264', undefined, 'rgb24', 'yuv420p'],
  ['hevc', undefined, 'rgb48be', 'yuv420p10le'],
] as const;

for (const [video_codec, profile, from, to] of depths) {
  test(`${video_codec} ${profile ?? ''} of ${from} is ${to} with video_bit_depth auto`, () => {
    const settings = { video_codec, video_bit_depth: 'auto' } as const;
    const given = profile === undefined ? settings : { ...settings, video_codec_profile: profile };
    assert.equal(errorsOf(given), []);
    const { args } = planned(given, { pixelFormat: from });
    assert.match(args.join(' '), new RegExp(`format=${to}[,[]`));
  });
}

test('Dolby Vision that only its decoders display is copied, or fails', () => {
  const only = { ...pq, codec: 'hevc', dolbyVision: { profile: 5, compatibility: 0 } };
  assert.match(planned({ video_codec: 'hevc' }, only).failure ?? '', /^The video is Dolby Vision profile 5/);
  for (const copied of [{ copy: true }, { copy_video: true }, { copy_video: 'auto' }] as const) {
    const { args } = planned(copied, only, { ...capabilities, version: 7 });
    assert.match(args.join(' '), /-c:v copy -tag:v dvh1 .*-strict unofficial/, JSON.stringify(copied));
  }
  const { warnings } = planned({ copy_video: true, thumbnails: [{ number: 1 }] }, only);
  assert.match(warnings.join(), /^The thumbnails have wrong colours/);
  const tenWithBase = { ...only, dolbyVision: { profile: 10, compatibility: 1 } };
  assert.is(planned({ video_codec: 'hevc' }, tenWithBase).failure, undefined);
});

test('old builds are not asked for side data that they do not know', () => {
  const filters = new Set([...oldCapabilities.filters, 'zscale', 'tonemap']);
  const { args } = planned({ video_codec: 'hevc' }, pq, { ...oldCapabilities, filters });
  assert.match(args.join(' '), /nullsink/);
  assert.not.match(args.join(' '), /sidedata/);
});

test.run();
