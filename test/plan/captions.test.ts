import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { plan } from '../../daemon/plan/plan.js';
import type { PreparedCaptions } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { overriddenSettings, validateOutput } from '../../src/shared/settings/output-rules.js';
import { mediaFacts, newCapabilities, output, paths, videoFacts } from './facts.js';

const withLibass = { ...newCapabilities, filters: new Set([...newCapabilities.filters, 'ass', 'subtitles']) };

function captions(over: Partial<PreparedCaptions> = {}): PreparedCaptions {
  return {
    captions: {
      syntax: 'other',
      cues: [{ startMs: 5000, endMs: 7000, spans: [{ text: 'text' }] }],
      language: null,
      warnings: [],
    },
    streamIndex: null,
    language: null,
    title: null,
    dispositions: [],
    ...over,
  };
}

const pgs = { streamIndex: 2, codec: 'hdmv_pgs_subtitle', language: 'ger' } as const;
const teletext = { streamIndex: 3, codec: 'dvb_teletext' } as const;
const text = { streamIndex: 4, codec: 'subrip' } as const;

const planned = (
  settings: OutputSettings,
  filename: string,
  prepared: readonly PreparedCaptions[],
  over: Parameters<typeof mediaFacts>[0] = {},
) => plan([{ ...output(settings, filename), captions: prepared }], mediaFacts(over), paths, withLibass);

/** The arguments of the last step between two of them. */
const argsOf = ({ steps }: ReturnType<typeof planned>) => steps.at(-1)?.args.join(' ') ?? '';

test('captions are copied from files into the output, after the first pass', () => {
  const given = captions({ language: 'de', title: 'Titel', dispositions: ['default'] });
  const made = planned({ video_bitrate: 500, onepass: false }, 'film.mp4', [given]);
  assert.equal(
    made.files.map(({ path }) => path),
    ['/scratch/captions-7-file-0.mp4'],
  );
  assert.match(argsOf(made), /-i file:\/scratch\/captions-7-file-0\.mp4 .*-map 1:0 .*-c:s copy/);
  assert.match(
    argsOf(made),
    /-metadata:s:s:0 language=deu -metadata:s:s:0 handler_name=Titel -disposition:s:0 default/,
  );
  assert.not.match(made.steps[0]?.args.join(' ') ?? '', /captions-7/);
  assert.equal(made.products[0]?.captionTracks, [{ dispositions: [] }]);
});

test('only the last default track is the default', () => {
  const one = captions({ dispositions: ['default', 'forced'] });
  const made = planned({}, 'film.mkv', [one, captions(), one]);
  assert.match(
    argsOf(made),
    /-disposition:s:0 forced .*-disposition:s:1 0 .*-disposition:s:2 default\+forced/,
  );
});

test('captions are delayed to a whole millisecond by what is read before the clip', () => {
  const { steps } = planned({ start_clip: 5.0001, skip_audio: true }, 'film.mkv', [captions()], {
    format: 'mpeg-ts',
    video: videoFacts({ isFrameRateVariable: true }),
  });
  assert.match(steps[0]?.args.join(' ') ?? '', /-itsoffset 5\.001 -i file:\/scratch\/captions-7-file-0\.srt/);
});

for (const [name, filename, subtitles, prepared, warnings] of [
  [
    'no tracks',
    'film.ts',
    [text],
    [captions({ streamIndex: 4 })],
    [/^The subtitles of the input were left out: \.ts has/],
  ],
  [
    'images in MP4',
    'film.mp4',
    [pgs],
    [],
    [/stream 2 of the input \(hdmv_pgs_subtitle\) were left out: they are images/],
  ],
  ['unknown text', 'film.mkv', [teletext], [], [/stream 3 of the input \(dvb_teletext\) .* not supported/]],
  ['images in Matroska', 'film.mkv', [pgs], [], []],
] as const) {
  test(`what cannot be kept is a warning: ${name}`, () => {
    const { products } = planned({}, filename, prepared, { subtitles });
    const found = products[0]?.warnings ?? [];
    assert.is(found.length, warnings.length, found.join());
    for (const [index, pattern] of warnings.entries()) assert.match(found[index] ?? '', pattern);
  });
}

const styles: readonly (readonly [
  string,
  PreparedCaptions['captions']['syntax'],
  string,
  string | undefined,
])[] = [
  ['a place', 'ass', '0,{\\pos(1,2)}Hi', undefined],
  ['a style', 'ass', '0,Hi', 'Style: Sign,Comic Sans,20'],
  ['a colour', 'subrip', '<font color="red">Hi</font>', undefined],
  ['a class', 'webvtt', '<c.red>Hi</c>', undefined],
];

for (const [name, syntax, raw, header] of styles) {
  test(`${name} of ${syntax} is kept in .mkv or named`, () => {
    const cues = [{ startMs: 0, endMs: 1000, spans: [{ text: 'Hi' }], raw }];
    const given = { syntax, cues, language: null, warnings: [], ...(header === undefined ? {} : { header }) };
    const warnings = (filename: string) =>
      planned({}, filename, [captions({ captions: given, language: 'de' })]).products[0]?.warnings;
    const lost = (where: string) => [
      `The captions of the request (de) lost colours, fonts or places: in ${where}, only bold, italic and underlined text is kept.`,
    ];
    assert.equal(warnings('film.mp4'), lost('.mp4'));
    assert.equal(warnings('film.mkv'), syntax === 'webvtt' ? lost('.mkv') : []);
    assert.equal(warnings('film.webm'), syntax === 'webvtt' ? [] : lost('.webm'));
  });
}

test('bold and italic text of any syntax, and the styles that ffmpeg writes, are no loss', () => {
  for (const [syntax, raw] of [
    ['ass', '0,{\\i1}Hi{\\i0}'],
    ['subrip', '<font face="Serif" size="18"><i>Hi</i></font>'],
    ['webvtt', '<b>Hi</b>'],
  ] as const) {
    const cues = [{ startMs: 0, endMs: 1000, spans: [{ text: 'Hi' }], raw }];
    const given = { syntax, cues, header: 'Style: Default,Arial,16,', language: null, warnings: [] };
    const made = planned({}, 'film.mp4', [captions({ captions: given })]);
    assert.not.match(made.products[0]?.warnings.join() ?? '', 'lost', syntax);
  }
});

test('an output without video, with skip_captions or subtitles: drop has no captions and no warning', () => {
  for (const settings of [{ skip_video: true }, { skip_captions: true }, { subtitles: 'drop' }] as const) {
    const made = planned(settings, 'film.mp4', [captions()], { subtitles: [pgs] });
    assert.equal(made.files, []);
    assert.equal(made.products[0]?.warnings, []);
  }
});

test('burned captions are drawn by name in the scratch folder', () => {
  const made = planned({ subtitles: 'burn' }, 'film.ts', [captions()]);
  assert.equal(
    made.files.map(({ path }) => path),
    ['/scratch/burned-7.vtt'],
  );
  assert.match(argsOf(made), /,subtitles=burned-7\.vtt,format=yuv420p\[v\]/);
});

for (const [settings, filename, capabilities, error] of [
  [
    { caption_url: [{ url: 'http://x/a.srt' }], subtitles: 'keep' },
    'film.ts',
    withLibass,
    /^output\.subtitles must not be keep: \.ts has no tracks for captions; use sidecar or burn$/,
  ],
  [{ subtitles: 'burn' }, 'film.ts', newCapabilities, /^output\.subtitles must not be burn: .*libass/],
  [{ subtitles: 'burn', caption_url: [{ url: 'http://x/a.srt' }] }, 'film.ts', withLibass, null],
  [{ skip_captions: true, caption_url: [{ url: 'http://x/a.srt' }] }, 'film.ts', withLibass, null],
] as const) {
  test(`${JSON.stringify(settings)} in ${filename} is ${error === null ? 'valid' : 'rejected'}`, () => {
    const result = checkCombination(settings, filename, capabilities, 'output');
    assert.is(result.ok, error === null);
    if (!result.ok && error !== null) assert.match(result.validationErrors.join(), error);
  });
}

test('a caption file has a known language and encoding, and only one is the default', () => {
  const url = 'http://x/a.srt';
  const errors = (files: OutputSettings['caption_url'] = []) =>
    validateOutput({ caption_url: files }, 'o').join();
  assert.is(errors([{ url, language: 'und', encoding: 'Shift_JIS', default: true }, { url }]), '');
  assert.is(errors([{ url }, { url, language: '?' }]), 'o.caption_url[1].language must be a language code');
  assert.match(
    errors([{ url, encoding: 'x' }]),
    /^o\.caption_url\[0\]\.encoding must be the name of an encoding/,
  );
  assert.match(
    errors([
      { url, default: true },
      { url, default: true },
    ]),
    /only one may be the default/,
  );
});

test('settings that omit captions override those that add them', () => {
  const caption_url = [{ url: 'http://x/a.srt' }];
  const fields = (settings: OutputSettings) =>
    overriddenSettings(settings, 'o').map(({ field, message }) => `${field} ${message}`);
  assert.equal(fields({ caption_url, skip_captions: true }), [
    'o.caption_url has no effect with skip_captions',
  ]);
  assert.equal(fields({ caption_url, subtitles: 'drop' }), ['o.caption_url has no effect with subtitles']);
  assert.equal(fields({ subtitles: 'burn', skip_captions: true }), [
    'o.subtitles has no effect with skip_captions',
  ]);
});

test.run();
