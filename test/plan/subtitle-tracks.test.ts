import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SubtitleFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { PreparedCaptions } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { ladderOutputs } from '../../src/shared/settings/ladder-outputs.js';
import { overriddenSettings, validateOutput } from '../../src/shared/settings/output-rules.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths, videoFacts } from './facts.js';

const capabilities = {
  ...newCapabilities,
  filters: new Set([...newCapabilities.filters, 'ass', 'subtitles']),
};

const english: SubtitleFacts = {
  streamIndex: 2,
  codec: 'subrip',
  language: 'eng',
  dispositions: ['default'],
};
const forced: SubtitleFacts = { streamIndex: 3, codec: 'subrip', language: 'eng', dispositions: ['forced'] };
const german: SubtitleFacts = { streamIndex: 4, codec: 'subrip', language: 'ger', title: 'Deutsch' };
const images: SubtitleFacts = {
  ...{ streamIndex: 5, codec: 'hdmv_pgs_subtitle', language: 'fre' },
  ...{ width: 1920, height: 1080, dispositions: ['forced'] },
};
const unknown: SubtitleFacts = { streamIndex: 6, codec: 'subrip', dispositions: ['hearing_impaired'] };
const subtitles: readonly SubtitleFacts[] = [english, forced, german, images, unknown];

function prepared({ streamIndex, language, title, dispositions = [] }: SubtitleFacts): PreparedCaptions {
  const cues = [{ startMs: 5000, endMs: 7000, spans: [{ text: 'text' }] }];
  return {
    captions: { syntax: 'other', cues, language: null, warnings: [] },
    ...{ streamIndex, language: language ?? null, title: title ?? null, dispositions },
  };
}

function planned(
  settings: OutputSettings,
  filename = 'a.mkv',
  tracks: readonly SubtitleFacts[] = subtitles,
  over: Parameters<typeof mediaFacts>[0] = {},
) {
  const captions = tracks.filter(({ codec }) => codec === 'subrip').map(prepared);
  const media = mediaFacts({ subtitles: tracks, ...over });
  const made = plan([{ ...output(settings, filename), captions }], media, paths, capabilities);
  const args = made.steps.at(-1)?.args.join(' ') ?? '';
  return {
    ...{ args, warnings: made.products[0]?.warnings ?? [], failure: made.rejections[0]?.failure },
    /** The streams of the input that are tracks, in order. */
    tracks: [...args.matchAll(/captions-7-(\d)\.srt|-map 0:([2-9])/g)].map(([, file, copy]) =>
      Number(file ?? copy),
    ),
    dispositions: [...args.matchAll(/-disposition:s:\d (\S+)/g)].map(([, names]) => names),
    renditions: made.products[0]?.captionRenditions ?? [],
    /** The names of the files to read. */
    files: made.files.map(({ path }) => path.replace('/scratch/', '')),
    graph: /-filter_complex (\S+)/.exec(args)?.[1] ?? '',
  };
}

for (const [selectors, streams] of [
  [undefined, [2, 3, 4, 6, 5]],
  [['all'], [2, 3, 4, 6, 5]],
  [['default'], [2]],
  [['forced'], [3, 5]],
  [
    ['deu', 'eng'],
    [4, 2, 3],
  ],
  [['eng:2'], [3]],
  [
    ['3', 'und', 'de'],
    [4, 6],
  ],
  [['hearing_impaired'], [6]],
  [['fr'], [5]],
] as const) {
  test(`subtitle_tracks ${selectors?.join() ?? 'absent'} keeps the streams ${streams.join()}`, () => {
    // Files are inputs, and images are copied with -map.
    const settings = selectors === undefined ? {} : { subtitle_tracks: selectors };
    const { tracks, warnings } = planned(settings);
    assert.equal(tracks, streams);
    assert.equal(warnings, []);
  });
}

test('the order of tracks is that of the request, and forced and default flags are kept', () => {
  const { args, dispositions } = planned({ subtitle_tracks: ['fr', 'deu', 'eng'] });
  assert.match(args, /-map 0:5 -map 1:0 -map 2:0 -map 3:0/);
  // One of the tracks was the default, so the first of the list is.
  assert.equal(dispositions, ['default+forced', '0', '0', 'forced']);
  assert.equal(planned({ subtitle_tracks: ['deu', 'forced'] }).dispositions, ['0', 'forced', 'forced']);
  assert.equal(planned({}).dispositions, ['default', 'forced', '0', 'forced', 'hearing_impaired']);
});

test('a selector without a match is a warning that names the subtitles, and an error in strict mode', () => {
  const names = '1 (eng), 2 (eng), 3 (ger, Deutsch), 4 (fre), 5 (subrip)';
  const some = planned({ subtitle_tracks: ['deu', 'qqq', '9'] });
  assert.equal(some.tracks, [4]);
  assert.equal(some.warnings, [`subtitle_tracks names qqq, 9, but the subtitles of the input are ${names}.`]);
  const none = planned({ subtitle_tracks: ['qqq'] });
  assert.equal(none.tracks, [2]);
  assert.equal(none.warnings, [
    `subtitle_tracks names qqq, but the subtitles of the input are ${names}, so the default track is used.`,
  ]);
  const strict = planned({ subtitle_tracks: ['deu', 'qqq'], strict: true });
  assert.is(strict.failure?.errorClass, 'NoMediaError');
  const empty = planned({ subtitle_tracks: ['deu'] }, 'a.mkv', []);
  assert.equal(empty.warnings, ['subtitle_tracks names deu, but the input has none.']);
  assert.equal(planned({ subtitle_tracks: ['all'], strict: true }, 'a.mkv', []).warnings, []);
});

test('without a default track, the first one that is not forced is the default', () => {
  assert.equal(planned({ subtitle_tracks: ['default'] }, 'a.mkv', [forced, german]).tracks, [4]);
  assert.equal(planned({ subtitle_tracks: ['default'] }, 'a.mkv', [forced]).tracks, [3]);
  assert.equal(planned({ subtitle_tracks: ['default'] }, 'a.mkv', []).warnings, []);
  const shared = { ...german, streamIndex: 9, language: 'deu' };
  assert.equal(planned({ subtitle_tracks: ['languages'] }, 'a.mkv', [forced, german, shared]).tracks, [3, 4]);
});

test('the first of several default tracks of the input is the default', () => {
  const second: SubtitleFacts = { ...german, dispositions: ['default'] };
  assert.equal(planned({}, 'a.mkv', [english, second]).dispositions, ['default', '0']);
});

test('burned text is the default track, or the first one that the request selects', () => {
  const burned = (settings: OutputSettings, tracks?: readonly SubtitleFacts[]) =>
    planned({ subtitles: 'burn', ...settings }, 'a.mp4', tracks);
  assert.equal(burned({}).files, ['burned-7.vtt']);
  assert.not.match(burned({}).graph, 'overlay');
  assert.match(burned({ subtitle_tracks: ['deu', 'fre'] }).graph, ',subtitles=burned-7.vtt,');
  assert.equal(burned({ subtitle_tracks: ['qqq'] }).warnings.slice(1), [
    'There are no subtitles that can be burned into the video.',
  ]);
});

test('images are burned by an overlay if they are selected, or if there is no text', () => {
  for (const [settings, tracks] of [
    [{ subtitle_tracks: ['fre'] }, subtitles],
    [{ subtitle_tracks: ['fre', 'deu'] }, subtitles],
    [{}, [images]],
  ] as const) {
    const { graph, files, warnings } = planned({ subtitles: 'burn', ...settings }, 'a.mp4', tracks);
    assert.equal([files, warnings], [[], []]);
    const scaled = 'scale=1280:720:out_color_matrix=bt709:out_range=tv:flags=bicubic[^,]*,format=yuva420p';
    assert.match(
      graph,
      new RegExp(
        `^\\[0:0\\].*\\[undrawn\\];\\[0:5\\]${scaled}\\[images\\];\\[undrawn\\]\\[images\\]overlay=x=0:y=0:repeatlast=0:format=yuv420\\[v\\]$`,
      ),
    );
  }
});

for (const [name, canvas, video, settings, area] of [
  ['the frame', [1920, 1080], {}, { width: 640, height: 360 }, 'scale=640:360:.*overlay=x=0:y=0:'],
  [
    'the image between bars',
    [1280, 720],
    {},
    { width: 640, height: 480, aspect_mode: 'pad' },
    'scale=640:360:.*overlay=x=0:y=60:',
  ],
  // A film in 2.4:1 without its bars: the whole screen fits into the middle.
  ['the middle', [1920, 1080], { width: 1920, height: 800 }, {}, 'scale=1422:800:.*overlay=x=248:y=0:'],
  [
    'a cropped image',
    [1280, 720],
    {},
    { width: 480, height: 480, aspect_mode: 'crop' },
    'scale=480:270:.*overlay=x=0:y=104:',
  ],
] as const) {
  test(`the canvas of images is drawn on ${name}`, () => {
    const [width, height] = canvas;
    const { graph } = planned({ subtitles: 'burn', ...settings }, 'a.mp4', [{ ...images, width, height }], {
      video: videoFacts(video),
    });
    assert.match(graph, new RegExp(area));
  });
}

test('outputs that are encoded together each draw the images', () => {
  const media = mediaFacts({ subtitles: [images] });
  const outputs = [640, 320].map((width, index) => ({
    ...output({ subtitles: 'burn', width, watermark: [] }, `${width}.mp4`),
    id: index,
  }));
  const { steps } = plan(outputs, media, paths, capabilities);
  assert.is(steps.length, 1);
  const graph = steps[0]?.args.join(' ') ?? '';
  assert.match(graph, /\[0:5\]scale=640:360:.*\[images0\].*\[0:5\]scale=320:180:.*\[images1\]/);
});

test('images that an output cannot keep are named with what would keep them', () => {
  for (const filename of ['a.mp4', 'a.ts'])
    assert.equal(planned({}, filename, [images]).warnings, [
      `The subtitles in stream 5 of the input (hdmv_pgs_subtitle) were left out: they are images, which ${filename.slice(1)} does not support; .mkv keeps them, and subtitles: burn draws one track.`,
    ]);
  const inFiles = planned({ subtitles: 'sidecar' }, 'a.mkv', [images]).warnings;
  assert.match(inFiles.join(), 'they are images, which WebVTT does not support; .mkv keeps them');
  assert.equal(planned({ subtitle_tracks: ['eng'] }, 'a.mp4').warnings, []);
});

test('a forced track is FORCED in segments if the output speaks its language, or if one is not known', () => {
  const cut = { type: 'segmented' } as const;
  const isForced = (spoken: string | undefined, settings: OutputSettings = {}) =>
    planned({ ...cut, subtitle_tracks: ['2'], ...settings }, 'a.m3u8', subtitles, {
      audio: audioFacts(spoken === undefined ? {} : { language: spoken }),
    }).renditions.map((one) => [one.isForced, one.label]);
  assert.equal(isForced('en'), [[true, 'English']]);
  assert.equal(isForced(undefined), [[true, 'English']]);
  assert.equal(isForced('deu'), [[false, 'English (forced)']]);
  assert.equal(isForced('deu', { audio_language: 'en-US' }), [[true, 'English']]);
  // The audio of a ladder is an output of its own.
  assert.equal(isForced('eng', { skip_audio: true }), [[true, 'English']]);
  const file = { ...prepared(forced), streamIndex: null };
  const made = plan(
    [{ ...output(cut, 'a.m3u8'), captions: [file] }],
    mediaFacts({ audio: audioFacts({ language: 'deu' }) }),
    paths,
    capabilities,
  );
  assert.is(made.products[0]?.captionRenditions?.[0]?.isForced, true);
});

test('settings without subtitles override subtitle_tracks, and all and default stand alone', () => {
  const fields = (settings: OutputSettings) =>
    overriddenSettings(settings, 'o').map(({ field, message }) => `${field} ${message}`);
  const subtitle_tracks = ['deu'];
  assert.equal(fields({ subtitle_tracks, skip_captions: true }), [
    'o.subtitle_tracks has no effect with skip_captions',
  ]);
  assert.equal(fields({ subtitle_tracks, subtitles: 'drop' }), [
    'o.subtitle_tracks has no effect with subtitles',
  ]);
  assert.equal(fields({ subtitle_tracks, subtitles: 'burn' }), []);
  assert.equal(validateOutput({ subtitle_tracks: ['deu', 'all'] }, 'o'), [
    'o.subtitle_tracks must have all alone',
  ]);
  for (const given of [[], Array.from({ length: 51 }, (_, at) => at + 1), ['no language!']]) {
    const outputs = [{ subtitle_tracks: given }];
    assert.is(parseJobRequest({ input: 'http://a/b', outputs }, { maxOutputs: 1 }).ok, false, `${given}`);
  }
});

test('only the rendition of a ladder that has the captions selects them', () => {
  const made = ladderOutputs(
    { subtitle_tracks: ['deu'] },
    { kind: 'cmaf', heights: [720, 360], baseUrl: null },
  );
  assert.equal(
    made.map(({ label, subtitle_tracks }) => [label, subtitle_tracks]),
    [
      ['720p', undefined],
      ['360p', ['deu']],
      ['audio', undefined],
      ['playlist', undefined],
    ],
  );
});

test.run();
