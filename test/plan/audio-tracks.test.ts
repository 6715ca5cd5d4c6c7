import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plan } from '../../daemon/plan/plan.js';
import type { Plan } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths } from './facts.js';

const track = (streamIndex: number, over: Parameters<typeof audioFacts>[0]) =>
  audioFacts({ streamIndex, channels: 2, ...over });
const english = track(1, { language: 'eng', dispositions: ['default'] });
const german = track(2, { language: 'ger', title: 'Synchron', dispositions: ['dub'] });
const comment = track(4, { language: 'eng', title: 'Director', dispositions: ['comment'] });
const unknown = track(5, { channels: 6 });
const several = mediaFacts({
  audio: english,
  otherAudio: [german, unknown, comment],
  unused: { tracks: [{ streamIndex: 3, kind: 'audio', codec: 'none', reason: 'unknown-codec' }] },
});

const argsOf = ({ steps }: Plan) => steps.map(({ args }) => args.join(' ')).join('\n');

function planned(settings: OutputSettings, filename = 'a.mkv') {
  const made = plan([output(settings, filename)], several, paths, newCapabilities);
  const args = argsOf(made);
  return {
    args,
    streams: [...args.matchAll(/-map 0:(\d+)/g)].map(([, index]) => Number(index)),
    warnings: made.products[0]?.warnings ?? [],
    failure: made.rejections[0]?.failure,
  };
}

for (const [selectors, streams] of [
  [['default'], [1]],
  [['all'], [1, 2, 4, 5]],
  [
    ['deu', 'eng'],
    [2, 1, 4],
  ],
  [
    ['de', 'en-US:1'],
    [2, 1],
  ],
  [['eng:2'], [4]],
  [
    ['commentary', 'eng'],
    [4, 1],
  ],
  [
    ['dub', '1', '2'],
    [2, 1],
  ],
  [['und'], [5]],
  [
    ['4', '5'],
    [4, 5],
  ],
] as const) {
  test(`audio_tracks ${selectors.join()} takes the streams ${streams.join()}`, () => {
    const { streams: found, warnings } = planned({ audio_tracks: selectors });
    assert.equal(found, streams);
    assert.not.match(warnings.join(' '), /names|Audio track/);
  });
}

test('a selector that matches nothing is a warning that names the tracks, and an error in strict mode', () => {
  const names = '1 (eng), 2 (ger, Synchron), 4 (eng, Director), 5 (aac)';
  const some = planned({ audio_tracks: ['deu', 'qqq', '3'] });
  assert.equal(some.streams, [2]);
  assert.ok(
    some.warnings.includes(`audio_tracks names qqq, 3, but the audio tracks of the input are ${names}.`),
  );
  const none = planned({ audio_tracks: ['qqq'] });
  assert.equal(none.streams, [1]);
  assert.match(none.warnings.join(' '), /so the default track is used\./);
  assert.is(planned({ audio_tracks: ['deu', 'qqq'], strict: true }).failure?.errorClass, 'NoMediaError');
});

test('each track is encoded with its own channels, language, title and purpose; the first is the default', () => {
  const { args } = planned({ audio_tracks: ['commentary', 'und', 'deu'], audio_channels: 1 }, 'a.mp4');
  assert.match(args, /-c:a:0 aac .*-ac:a:0 1 .*-c:a:2 aac/);
  assert.match(args, /-metadata:s:a:0 language=eng -metadata:s:a:0 handler_name=Director/);
  assert.match(args, /-disposition:a:0 default\+comment -disposition:a:1 0 .*-disposition:a:2 dub/);
  assert.match(
    planned({ audio_tracks: ['all'] }).args,
    /-disposition:a:0 default .*-disposition:a:2 comment/,
  );
});

test('all tracks: a commentary that is first is not the default, neither of a file nor of segments', () => {
  const first = { ...comment, streamIndex: 1 };
  const ordinary = track(2, { language: 'eng' });
  const media = mediaFacts({ audio: ordinary, otherAudio: [{ ...german, streamIndex: 3 }, first] });
  const tracksOf = (settings: OutputSettings, filename: string, from = media) =>
    argsOf(plan([output(settings, filename)], from, paths, newCapabilities));
  const all = { audio_tracks: ['all'] };
  assert.match(tracksOf(all, 'a.mkv'), /a:0 comment .*-disposition:a:1 default .*-disposition:a:2 dub/);
  // What the input declares is kept.
  const declared = { ...media, otherAudio: [{ ...first, dispositions: ['default', 'comment'] as const }] };
  assert.match(tracksOf(all, 'a.mkv', declared), /a:0 default\+comment .*-disposition:a:1 0/);
  const cut = { ...all, type: 'segmented', packaging: 'cmaf' } as const;
  const orderOf = (settings: OutputSettings) =>
    plan([output(settings, 'a.m3u8')], media, paths, newCapabilities).products[0]?.origins?.audio;
  assert.equal(orderOf(cut), [2, 1, 3]);
  assert.equal(orderOf({ ...cut, audio_tracks: ['1', '2'] }), [1, 2]);
});

test('tracks that are left out are named, unless the request asks for it', () => {
  const others = 'Audio tracks 2 (ger, Synchron), 4 (eng, Director), 5 (aac) of the input were left out';
  const isNamed = (settings: OutputSettings, filename?: string) =>
    planned(settings, filename).warnings.find((one) => one.startsWith(others));
  assert.match(isNamed({}) ?? '', /: an output has one audio track unless audio_tracks names others\.$/);
  assert.match(isNamed({ audio_tracks: ['all'] }, 'a.mp3') ?? '', /: \.mp3 holds one audio track\.$/);
  for (const settings of [
    { audio_tracks: ['default'] },
    { select_audio_language: 'en' },
    { skip_audio: true },
  ])
    assert.is(isNamed(settings), undefined);
});

test('a copy keeps all tracks, and encodes those that the container does not support', () => {
  const media = mediaFacts({ audio: english, otherAudio: [{ ...german, codec: 'qcelp' }, comment] });
  const made = plan([output({ copy_audio: true }, 'a.mkv')], media, paths, newCapabilities);
  assert.match(argsOf(made), /-c:a:0 copy .*-c:a:1 aac .*-c:a:2 copy/);
  assert.equal(made.products[0]?.warnings, [
    'Audio track 2 (ger, Synchron) of the input is encoded: .mkv does not support a copy of qcelp here.',
  ]);
});

test('a region selects only tracks of the region', () => {
  const media = mediaFacts({
    audio: { ...english, language: 'pt-PT' },
    otherAudio: [{ ...german, language: 'pt-BR' }],
  });
  const streamsOf = (selector: string) => {
    const settings = { audio_tracks: [selector] };
    return plan([output(settings, 'a.mkv')], media, paths, newCapabilities).products[0]?.origins?.audio;
  };
  assert.equal(streamsOf('pt-br'), [german.streamIndex]);
  assert.equal(streamsOf('por'), [english.streamIndex, german.streamIndex]);
});

test('the plan says where each track comes from and why others are left out', () => {
  const subtitles = [{ streamIndex: 6, codec: 'hdmv_pgs_subtitle' }];
  const covers = [{ streamIndex: 7, codec: 'png' }];
  const media = {
    ...several,
    subtitles,
    chapters: [{ startSeconds: 0, endSeconds: 5 }],
    covers,
  };
  const made = plan([output({ audio_tracks: ['deu'] }, 'a.ts')], media, paths, newCapabilities);
  const { leftOut = [], ...kept } = made.products[0]?.origins ?? {};
  assert.equal(kept, { video: [0], audio: [2], subtitles: [] });
  assert.equal(
    leftOut.map(({ streamIndex, kind, reason }) => `${streamIndex} ${kind}: ${reason}`),
    [
      '1 audio: the request chooses other tracks',
      '3 audio: ffmpeg does not know its codec',
      '4 audio: the request chooses other tracks',
      '5 audio: the request chooses other tracks',
      '6 subtitle: they are images, which .ts does not support',
      '7 cover: .ts has no place for it',
      'null chapters: .ts has no place for them',
    ],
  );
});

test('--copy copies what the container holds, and encodes the rest and what has settings of its own', () => {
  const media = mediaFacts({ audio: english, otherAudio: [{ ...german, codec: 'flac' }] });
  const copied = (settings: OutputSettings, filename: string) =>
    plan([output({ copy: true, ...settings }, filename)], media, paths, newCapabilities);
  assert.match(argsOf(copied({}, 'a.mkv')), /-c:v copy .*-c:a:0 copy -c:a:1 copy/);
  assert.match(argsOf(copied({}, 'a.mp4')), /-c:v copy .*-c:a:0 copy -filter:a:1 .* -c:a:1 aac/);
  const webm = copied({}, 'a.webm');
  assert.match(argsOf(webm), /-c:v libvpx.*-c:a:0 libvorbis.*-c:a:1 libvorbis/);
  assert.equal(webm.products[0]?.warnings.slice(0, 2), [
    'The video is encoded: .webm does not support a copy of h264 here.',
    'Audio track 1 (eng) of the input is encoded: .webm does not support a copy of aac here.',
  ]);
  assert.match(argsOf(copied({ width: 640 }, 'a.mkv')), /-c:v libx264 .*-c:a:0 copy/);
  assert.match(argsOf(copied({ audio_channels: 1 }, 'a.mkv')), /-c:v copy .*-c:a:0 aac/);
  assert.match(argsOf(copied({ audio_tracks: ['deu'] }, 'a.mkv')), /-map 0:2 -c:v copy -c:a copy/);
});

test('a copy names the channels of audio that is mixed, and the video of segments that is encoded', () => {
  const media = mediaFacts({ audio: { ...english, channels: 6 }, otherAudio: [unknown] });
  const warningsOf = (settings: OutputSettings, filename: string) =>
    plan([output({ copy: true, ...settings }, filename)], media, paths, newCapabilities).products[0]
      ?.warnings;
  assert.equal(warningsOf({}, 'a.webm')?.slice(1), [
    'Audio track 1 (eng) of the input is encoded: .webm does not support a copy of aac here.',
    'Audio track 2 (aac) of the input is encoded: .webm does not support a copy of aac here.',
    'Audio track 1 (eng) of the input is mixed from 5.1 to stereo, as it is not copied.',
    'Audio track 2 (aac) of the input is mixed from 5.1 to stereo, as it is not copied.',
  ]);
  assert.equal(warningsOf({}, 'a.mkv'), []);
  const cut = { type: 'segmented', packaging: 'cmaf', skip_audio: true } as const;
  assert.equal(warningsOf({ ...cut, height: 100 }, 'a.m3u8'), [
    'The video is encoded and not copied: its settings, such as the height of a ladder, need that.',
  ]);
  assert.equal(warningsOf(cut, 'a.m3u8'), []);
});

test('a copy into a container with one track has the default one', () => {
  const media = mediaFacts({ audio: { ...comment, streamIndex: 2 }, otherAudio: [english] });
  const streamsOf = (settings: OutputSettings) =>
    argsOf(plan([output(settings, 'a.flv')], media, paths, newCapabilities));
  assert.match(streamsOf({ copy_audio: true }), /-map 0:2 /);
  assert.match(streamsOf({ copy: true }), /-map 0:2 /);
  assert.match(streamsOf({ audio_tracks: ['all'], copy_audio: true }), /-map 0:1 /);
});

test('the audio of several tracks is copied where it already is as requested', () => {
  const media = mediaFacts({ audio: english, otherAudio: [unknown] });
  const settings = { audio_tracks: ['all'], copy_audio: 'auto' } as const;
  const made = plan([output(settings, 'a.mkv')], media, paths, newCapabilities);
  assert.match(argsOf(made), /-c:a:0 copy -filter:a:1 .*-c:a:1 aac/);
  assert.match(
    made.products[0]?.warnings.join(' ') ?? '',
    /audio of track 2 \(aac\) of the input is encoded, .*: channels/,
  );
});

test.run();
