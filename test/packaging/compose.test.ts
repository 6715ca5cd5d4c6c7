import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobOutput, RenditionFacts } from '../../daemon/jobs/job.js';
import type { VideoFacts } from '../../daemon/jobs/media.js';
import type { TrackFacts } from '../../daemon/jobs/rendition-facts.js';
import { composeManifest } from '../../daemon/packaging/compose-manifest.js';
import { composePlaylist } from '../../daemon/packaging/compose-playlist.js';
import { composeSmil } from '../../daemon/packaging/compose-smil.js';
import { parsePlaylist } from '../helpers/hls.js';
import { jobIn, media } from '../jobs/sample-job.js';
import { videoFacts } from '../plan/facts.js';

const [sample] = jobIn({ job: 'finished', input: 'finished', outputs: ['finished'] }).outputs;

/** A finished output at an address below `file:///films/`. */
function output(name: string, settings: JobOutput['settings'], facts: Partial<JobOutput> = {}): JobOutput {
  assert.ok(sample !== undefined);
  const url = `file:///films/${name}`;
  return { ...sample, url, destination: url, settings, label: settings.label ?? null, ...facts };
}

function track(kind: TrackFacts['kind'], durations: TrackFacts['durations'], peakBitrate = 8000): TrackFacts {
  const stem = `film-${kind}`;
  return {
    kind,
    codec: kind === 'video' ? 'avc1.64001F' : 'mp4a.40.2',
    language: null,
    peakBitrate,
    averageBitrate: peakBitrate,
    longestSegmentSeconds: 4,
    playlist: `${stem}.m3u8`,
    files: { by: 'segment', header: `${stem}-init.mp4`, stem },
    timescale: 1000,
    startTime: 0,
    durations,
  };
}

function rendition(tracks: readonly TrackFacts[], more: Partial<RenditionFacts> = {}): Partial<JobOutput> {
  const codecOf = (kind: string) => tracks.find((one) => one.kind === kind)?.codec ?? null;
  return {
    media,
    rendition: {
      segments: 2,
      longestSegmentSeconds: 4,
      videoCodec: codecOf('video'),
      audioCodec: codecOf('audio'),
      peakBitrate: 10_000,
      averageBitrate: 9000,
      isIndependent: true,
      tracks,
      ...more,
    },
  };
}

const whole = [[4000, 2]] as const;
const cmaf = { type: 'segmented', packaging: 'cmaf' } as const;
const video = (label: string) =>
  output(`${label}/film.m3u8`, { ...cmaf, label }, rendition([track('video', whole)]));
const audio = (label: string, durations: TrackFacts['durations'] = whole) =>
  output(`${label}/film.m3u8`, { ...cmaf, label }, rendition([track('audio', durations, 1000)]));

test('a manifest has the language, name and default of each audio of the request', () => {
  const outputs = [video('v'), audio('en'), audio('de')];
  const text = composeManifest(
    output('master.mpd', {
      type: 'playlist',
      streams: [{ source: 'v', audio: 'main' }, { source: 'en' }],
      alternate_audio: [
        { group: 'main', source: 'en', language: 'en', autoselect: true },
        { group: 'main', source: 'de', language: 'de', name: 'Deutsch', default: true, autoselect: true },
      ],
    }),
    outputs,
  );
  const sets = text.split('<AdaptationSet').slice(1);
  assert.equal(
    sets.map((set) => [/contentType="(\w+)"/.exec(set)?.[1], /lang="(\w+)"/.exec(set)?.[1]]),
    [
      ['video', undefined],
      ['audio', 'en'],
      ['audio', 'de'],
    ],
  );
  assert.match(sets[2] ?? '', '<Label>Deutsch</Label>');
  assert.equal(
    sets.map((set) => set.includes('value="main"')),
    [false, false, true],
  );
});

test('a manifest has the profile of its sources', () => {
  const dash = { type: 'segmented', streaming_delivery_format: 'dash', label: 'a' } as const;
  const profileOf = (streaming_delivery_profile: 'live' | 'hbbtv_1.5') =>
    /profiles="([^"]+)"/.exec(
      composeManifest(output('m.mpd', { type: 'playlist', streams: [{ source: 'a' }] }), [
        output('a.mpd', { ...dash, streaming_delivery_profile }, rendition([track('video', whole)])),
      ]),
    )?.[1];
  assert.is(profileOf('live'), 'urn:mpeg:dash:profile:isoff-live:2011');
  assert.is(profileOf('hbbtv_1.5'), 'urn:hbbtv:dash:profile:isoff-live:2012');
});

test('captions of the request replace those of the sources, in playlists and in manifests', () => {
  const captions = {
    label: 'Own',
    isDefault: true,
    isForced: false,
    file: 'c.vtt',
    playlist: 'c.m3u8',
  } as const;
  const source = output(
    'v/film.m3u8',
    { ...cmaf, label: 'v' },
    rendition([track('video', whole)], { captions: [{ ...captions, language: 'fr' }] }),
  );
  const playlist = (entries: JobOutput['settings']['captions']) =>
    output('m.m3u8', { type: 'playlist', streams: [{ source: 'v' }], ...(entries && { captions: entries }) });
  const own = playlist(undefined);
  const requested = playlist([
    { source: 'v', language: 'fr', name: 'Mine' },
    { path: 'https://example.com/en.vtt', language: 'en', default: true },
  ]);
  assert.match(composeManifest(own, [source]), /<Label>Own<\/Label>[\s\S]*v\/c\.vtt/);
  const text = composeManifest(requested, [source]);
  assert.equal(
    [...text.matchAll(/<Label>([^<]+)</g)].map(([, label]) => label),
    ['Mine', 'English'],
  );
  assert.match(text, /<BaseURL>v\/c\.vtt<[\s\S]*<BaseURL>https:\/\/example\.com\/en\.vtt</);
  const { media: listed } = parsePlaylist(composePlaylist(requested, [source]).text);
  assert.equal(
    listed.map(({ NAME, URI, DEFAULT }) => [NAME, URI, DEFAULT]),
    [
      ['Mine', 'v/c.m3u8', 'NO'],
      ['English', 'https://example.com/en.vtt', 'YES'],
    ],
  );
});

test('each group of audio has one default, and own audio has a group of another name than those of the request', () => {
  const own = output(
    'both/film.m3u8',
    { ...cmaf, label: 'both' },
    rendition([track('video', whole), track('audio', whole)]),
  );
  const { text } = composePlaylist(
    output('m.m3u8', {
      type: 'playlist',
      streams: [{ source: 'both' }, { source: 'v', audio: 'audio' }],
      alternate_audio: [
        { group: 'audio', source: 'en', language: 'en', autoselect: true },
        { group: 'audio', source: 'de', language: 'de', default: true, autoselect: false },
      ],
    }),
    [own, video('v'), audio('en'), audio('de')],
  );
  const { media: listed, streams } = parsePlaylist(text);
  assert.equal(
    listed.map((one) => [one['GROUP-ID'], one.LANGUAGE, one.DEFAULT, one.AUTOSELECT]),
    [
      ['audio', 'en', 'NO', 'YES'],
      ['audio', 'de', 'YES', 'YES'],
      ['audio-2', undefined, 'YES', 'YES'],
    ],
  );
  assert.equal(
    streams.map(({ AUDIO }) => AUDIO),
    ['audio-2', 'audio'],
  );
});

test('the bandwidth of a stream covers audio whose segments are longer than those of the video', () => {
  const { text } = composePlaylist(
    output('m.m3u8', {
      type: 'playlist',
      streams: [{ source: 'v', audio: 'a' }],
      alternate_audio: [{ group: 'a', source: 'en', language: 'en', autoselect: true }],
    }),
    [
      video('v'),
      audio('en', [
        [4400, 1],
        [3600, 1],
      ]),
    ],
  );
  const [stream] = parsePlaylist(text).streams;
  // 8000 bits per second of video; audio of 4.4 s at 1000 bits per second is loaded with 4 s of video.
  assert.equal([stream?.BANDWIDTH, stream?.['AVERAGE-BANDWIDTH']], ['9100', '9000']);
});

test('keyframes of a video that two streams share are listed once', () => {
  const keyframes = { name: 'k.m3u8', peakBitrate: 5, averageBitrate: 5 };
  const source = output(
    'v/film.m3u8',
    { ...cmaf, label: 'v' },
    rendition([track('video', whole)], { keyframes }),
  );
  const { text } = composePlaylist(
    output('m.m3u8', { type: 'playlist', streams: [{ source: 'v' }, { source: 'v', name: 'again' }] }),
    [source],
  );
  assert.is(parsePlaylist(text).keyframeStreams.length, 1);
});

test('streams and playlists of keyframes declare the range of their video', () => {
  const keyframes = { name: 'k.m3u8', peakBitrate: 5, averageBitrate: 5 };
  const ranges = [undefined, 'bt709', 'smpte2084', 'arib-std-b67'].map((colourTransfer) => {
    const colours = colourTransfer === undefined ? {} : { colourTransfer };
    const source = output(
      'v/film.m3u8',
      { ...cmaf, label: 'v' },
      {
        ...rendition([track('video', whole)], { keyframes }),
        media: { ...media, video: videoFacts(colours) },
      },
    );
    const request = output('m.m3u8', { type: 'playlist', streams: [{ source: 'v' }] });
    const { streams, keyframeStreams } = parsePlaylist(composePlaylist(request, [source]).text);
    return [...streams, ...keyframeStreams].map((one) => one['VIDEO-RANGE']);
  });
  assert.equal(ranges, [
    ['SDR', 'SDR'],
    ['SDR', 'SDR'],
    ['PQ', 'PQ'],
    ['HLG', 'HLG'],
  ]);
});

test('audio with a playlist of its own declares its channels', () => {
  const source = output(
    'v/film.m3u8',
    { ...cmaf, label: 'v' },
    rendition([track('video', whole), { ...track('audio', whole), channels: 6 }]),
  );
  const request = output('m.m3u8', { type: 'playlist', streams: [{ source: 'v' }] });
  assert.match(composePlaylist(request, [source]).text, /#EXT-X-MEDIA:TYPE=AUDIO,.*,CHANNELS="6",URI=/);
});

test('Dolby Vision of profile 8 is another codec of its video', () => {
  const codecsOf = (dolbyVision: NonNullable<VideoFacts['dolbyVision']>) => {
    const video = videoFacts({ colourTransfer: 'smpte2084', dolbyVision });
    const source = output(
      'v/film.m3u8',
      { ...cmaf, label: 'v' },
      { ...rendition([track('video', whole)]), media: { ...media, video } },
    );
    const request = output('m.m3u8', { type: 'playlist', streams: [{ source: 'v' }] });
    return parsePlaylist(composePlaylist(request, [source]).text).streams[0]?.['SUPPLEMENTAL-CODECS'];
  };
  assert.is(codecsOf({ profile: 8, level: 7, compatibility: 1 }), 'dvh1.08.07/db1p');
  assert.is(codecsOf({ profile: 8, level: 10, compatibility: 4 }), 'dvh1.08.10/db4h');
  assert.is(codecsOf({ profile: 5, level: 7, compatibility: 0 }), undefined);
});

test('manifests name what players need for HDR, and other ranges are no alternatives of it', () => {
  const sources = ['smpte2084', 'arib-std-b67', 'bt709'].map((colourTransfer, at) =>
    output(
      `${at}/film.mpd`,
      { ...cmaf, label: `v${at}` },
      { ...rendition([track('video', whole)]), media: { ...media, video: videoFacts({ colourTransfer }) } },
    ),
  );
  const streams = sources.map((_, at) => ({ source: `v${at}` }));
  const sets = composeManifest(output('m.mpd', { type: 'playlist', streams }), sources)
    .split('<AdaptationSet')
    .slice(1);
  const properties = sets.map((text) =>
    [...text.matchAll(/<(\w+)Property schemeIdUri="urn:mpeg:mpegB:cicp:(\w+)" value="(\d+)"/g)].map(
      ([, kind = '', name = '', value = '']) => `${kind} ${name} ${value}`,
    ),
  );
  const essential = ['Essential ColourPrimaries 9', 'Essential MatrixCoefficients 9'];
  assert.equal(properties, [
    [...essential, 'Essential TransferCharacteristics 16'],
    [...essential, 'Essential TransferCharacteristics 14', 'Supplemental TransferCharacteristics 18'],
    [],
  ]);
});

test('a path in SMIL that is the address of an output has its bitrate and size', () => {
  const kbps = { ...media, totalBitrateKbps: 640 };
  const text = composeSmil(output('list.smil', { type: 'playlist', streams: [{ path: 'whole.mp4' }] }), [
    output('whole.mp4', {}, { media: kbps }),
  ]);
  assert.match(text, '<video src="mp4:whole.mp4" system-bitrate="640000"/>');
});

test.run();
