import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Capabilities, OutputToPlan, Plan } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { matchesGolden } from '../helpers/golden.js';
import {
  audioFacts,
  mediaFacts,
  newCapabilities,
  oldCapabilities,
  output,
  paths,
  videoFacts,
} from './facts.js';

type RequestedOutput = OutputSettings & { readonly filename?: string };

const full = mediaFacts({ video: videoFacts({ width: 1920, height: 1080 }) });

function planned(
  requested: readonly RequestedOutput[],
  media: MediaFacts = full,
  capabilities: Capabilities = newCapabilities,
): Plan {
  const outputs = requested.map(
    ({ filename = 'film.mp4', ...settings }, index): OutputToPlan => ({
      ...output(settings, filename),
      id: index + 1,
    }),
  );
  return plan(outputs, media, paths, capabilities);
}

const ladder: readonly RequestedOutput[] = [{ height: 360 }, { height: 720 }, { height: 480 }];
const mark = { path: '/scratch/watermark-0', demuxer: 'png_pipe', width: 40, height: 20 } as const;

const goldens: Readonly<Record<string, () => Plan>> = {
  'group-ladder': () => planned(ladder),
  'group-ladder-of-2018': () => planned(ladder, full, oldCapabilities),
  'group-in-two-passes': () =>
    planned([
      { height: 720, video_bitrate: 1500 },
      { height: 360, video_bitrate: 500, start_clip: 0 },
    ]),
  'group-rotated-framed-and-marked': () =>
    plan(
      [
        {
          ...output({ width: 200, height: 200, aspect_mode: 'pad', watermark: [{ url: 'http://a/b.png' }] }),
          id: 1,
        },
        { ...output({ width: 200, height: 200, watermark: [{ url: 'http://a/b.png' }] }), id: 2 },
        { ...output({}), id: 3 },
      ].map((one, index) => ({ ...one, watermarks: index < 2 ? [mark] : [] })),
      mediaFacts({ video: videoFacts({ rotationDegrees: 90, fieldOrder: 'top-first' }) }),
      paths,
      newCapabilities,
    ),
};

for (const [name, make] of Object.entries(goldens)) {
  test(`the command lines of "${name}" match their golden file`, () => {
    matchesGolden(
      `plan/${name}.txt`,
      make()
        .steps.map(({ args }) => `${args.join('\n')}\n`)
        .join('\n'),
    );
  });
}

const packed = mediaFacts({ audio: audioFacts({ codec: 'amr_nb', channels: 1, sampleRate: 8000 }) });
const large = { width: 3840, height: 2160, upscale: true };

/** The requested settings, and the outputs of each run. */
const groupings: readonly (readonly [string, readonly RequestedOutput[], readonly string[], MediaFacts?])[] =
  [
    ['sizes of one film are encoded in one run', ladder, ['1,2,3']],
    ['a single output has its own run', [{}], ['1']],
    [
      'other parts of the film have other runs',
      [{}, { start_clip: 5 }, { clip_length: 3 }, {}],
      ['1,4', '2', '3'],
    ],
    ['another rotation is another run', [{}, { rotate: 90 }, {}], ['1,3', '2']],
    ['another deinterlacing is another run', [{}, { deinterlace: 'on' }], ['1', '2']],
    ['another frame rate is another run', [{ frame_rate: 10 }, {}, { frame_rate: 10 }], ['1,3', '2']],
    ['audio has its own run', [{}, { skip_video: true }, {}], ['1,3', '2']],
    ['audio that must be repackaged has its own run', [{}, {}], ['1', '1', '2', '2'], packed],
    ['MP4 and WebM are encoded in one run', [{}, { filename: 'a.webm' }], ['1,2']],
    [
      'a slow encoder has its own run',
      [{}, { video_codec: 'hevc' }, {}, { video_codec: 'hevc' }],
      ['1,3', '2,4'],
    ],
    [
      'two passes are two runs for all outputs that use them',
      [{ video_bitrate: 500 }, {}, { video_bitrate: 300 }, { video_bitrate: 200, onepass: true }],
      ['1,3', '1,3', '2,4'],
    ],
    [
      'at most eight outputs share a run',
      Array.from({ length: 9 }, () => ({ width: 64 })),
      ['1,2,3,4,5,6,7,8', '9'],
    ],
    [
      'the frames of one run are together no larger than the limit for one',
      Array.from({ length: 5 }, () => large),
      ['1,2,3,4', '5'],
    ],
  ];

for (const [name, requested, expected, media] of groupings) {
  test(name, () => {
    const { steps } = planned(requested, media);
    assert.equal(
      steps.map(({ outputIds }) => outputIds.join()),
      expected,
    );
    for (const id of requested.keys()) {
      const shares = steps
        .filter(({ outputIds }) => outputIds.includes(id + 1))
        .map(({ progressWeight: share }) => share);
      assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
    }
  });
}

test('an output with an impossible setting is rejected and the others stay together', () => {
  const made = planned([{}, { start_clip: 99 }, { width: 320 }]);
  assert.equal(
    made.steps.map(({ outputIds }) => outputIds),
    [[1, 3]],
  );
  assert.equal(
    made.rejections.map(({ outputId }) => outputId),
    [2],
  );
});

const nothing: { readonly args: readonly string[] } = { args: [] };

/** Requested sizes, and the size from which each is scaled: `-` is the input itself. */
const sources: readonly (readonly [string, readonly RequestedOutput[], string])[] = [
  ['the largest one', ladder, '720<- 480<720 360<720'],
  [
    'one that is clearly larger',
    [{ height: 400 }, { height: 360 }, { height: 720 }],
    '720<- 400<720 360<720',
  ],
  ['one that was not enlarged', [{ height: 2160, upscale: true }, { height: 360 }], '2160<- 360<-'],
  [
    'one that is cropped later, before the crop',
    [{ width: 700, height: 700, aspect_mode: 'crop' }, { height: 360 }],
    '700<- 360<700',
  ],
];

for (const [name, requested, expected] of sources) {
  test(`a smaller video is scaled from ${name}`, () => {
    const { args } = planned(requested).steps[0] ?? nothing;
    const graph = args[args.indexOf('-filter_complex') + 1] ?? '';
    const chains = graph.split(';').filter((chain) => /scale=\d/.test(chain));
    const heights = new Map(
      chains.map((chain) => [chain.slice(0, 4), /scale=\d+:(\d+)/.exec(chain)?.[1] ?? '']),
    );
    const from = (label: string) =>
      heights.get(chains.find((chain) => chain.slice(4).includes(label))?.slice(0, 4) ?? '') ?? '-';
    assert.is([...heights].map(([label, height]) => `${height}<${from(label)}`).join(' '), expected);
  });
}

test('outputs of one size share its scaling', () => {
  const { args } = planned([{ width: 640 }, { width: 640, quality: 5 }]).steps[0] ?? nothing;
  assert.is(args.join(' ').split(/scale=\d/).length, 2);
});

test.run();
