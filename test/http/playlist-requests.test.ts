import * as assert from 'uvu/assert';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { daemonSuite } from '../helpers/daemon.js';

const input = 'http://127.0.0.1/in.mp4';

const test = daemonSuite('requests of playlists', { allowPrivateNetwork: true });

const rejected: readonly (readonly [readonly object[], string])[] = [
  [[{}, { type: 'playlist' }], 'outputs[1].streams must name at least one stream'],
  [
    [{ type: 'playlist', streams: [{ path: 'a', bandwidth: 1 }] }],
    'outputs must have one that is not a playlist or captions',
  ],
  [
    [{}, { type: 'playlist', streams: [{ source: 'x' }] }],
    'outputs[1].streams[0].source names no output of this job',
  ],
  [
    [{ label: 'x' }, { type: 'playlist', streams: [{ source: 'x' }] }],
    'outputs[1].streams[0].source must name a segmented output',
  ],
  [
    [{}, { type: 'playlist', streams: [{ bandwidth: 3 }] }],
    'outputs[1].streams[0].path must be given if there is no source',
  ],
  [
    [{}, { type: 'playlist', streams: [{ path: 'a' }] }],
    'outputs[1].streams[0].bandwidth must be given if there is no source',
  ],
  [
    [{}, { type: 'playlist', streams: [{ path: 'a b', bandwidth: 1 }] }],
    'outputs[1].streams[0].path must be a URI',
  ],
  [
    [{}, { type: 'playlist', playlist_format: 'dash', streams: [{ path: 'a', bandwidth: 1 }] }],
    'outputs[1].streams[0].source must be given for dash and cmaf',
  ],
  [
    [{}, { type: 'playlist', format: 'mp4', streams: [{ path: 'a', bandwidth: 1 }] }],
    'outputs[1].format must be hls, m3u8 or dash',
  ],
  [
    [{}, { type: 'playlist', filename: 'a.mpd', streams: [{ path: 'a', bandwidth: 1 }] }],
    'outputs[1].streams[0].source must be given for dash and cmaf',
  ],
  [
    [{}, { type: 'playlist', filename: 'a.ism', streams: [{ path: 'a', bandwidth: 1 }] }],
    'outputs[1].filename must end in .m3u8, .mpd or .smil',
  ],
  [
    [
      { type: 'segmented', label: 'x' },
      { type: 'playlist', playlist_format: 'mpd', streams: [{ source: 'x' }] },
    ],
    'outputs[1].streams[0].source must name an output with segments for dash or cmaf',
  ],
  [
    [
      { type: 'segmented', label: 'x', format: 'm4f' },
      { type: 'playlist', packaging: 'cmaf', streams: [{ source: 'x' }] },
    ],
    'outputs[1].streams[0].source must name an output with packaging cmaf',
  ],
  [
    [
      { type: 'segmented', label: 'x', streaming_delivery_format: 'dash' },
      { type: 'playlist', streams: [{ source: 'x' }] },
    ],
    'outputs[1].streams[0].source must name an output with a playlist of HLS',
  ],
  [
    [
      { type: 'segmented', label: 'x' },
      {
        type: 'playlist',
        streams: [{ source: 'x', audio: 'a' }],
        alternate_audio: { a: [{ source: 'y', language: 'en' }] },
      },
    ],
    'outputs[1].alternate_audio.source names no output of this job',
  ],
  [
    [
      { type: 'segmented', label: 'x' },
      { type: 'playlist', streams: [{ source: 'x' }], alternate_audio: { a: { source: 'x' } } },
    ],
    'outputs[1].alternate_audio.a.language is required',
  ],
  [
    [{ type: 'segmented', packaging: 'cmaf', format: 'ts' }],
    'outputs[0].format must be m4f for packaging cmaf',
  ],
  [
    [{ type: 'segmented', packaging: 'cmaf', streaming_delivery_format: 'dash' }],
    'outputs[0].streaming_delivery_format must be omitted with packaging cmaf',
  ],
  [
    [{ type: 'segmented', streaming_delivery_format: 'dash', encryption_key: '0'.repeat(32) }],
    'outputs[0].encryption_key must be omitted',
  ],
  [
    [
      { type: 'segmented', label: 'x', streaming_delivery_format: 'dash' },
      {
        ...{ type: 'segmented', label: 'y', streaming_delivery_format: 'dash' },
        streaming_delivery_profile: 'hbbtv_1.5',
      },
      { type: 'playlist', playlist_format: 'dash', streams: [{ source: 'x' }, { source: 'y' }] },
    ],
    'outputs[2].streams must have sources of one streaming_delivery_profile',
  ],
  [
    [
      { type: 'segmented', label: 'x', packaging: 'cmaf' },
      {
        type: 'playlist',
        packaging: 'cmaf',
        streams: [{ source: 'x' }],
        alternate_audio: { a: { path: 'a.m3u8', language: 'en' } },
      },
    ],
    'outputs[1].alternate_audio.source must be given for dash and cmaf',
  ],
  [
    [
      { type: 'segmented', label: 'x' },
      { type: 'playlist', streams: [{ source: 'x' }], captions: [{ language: 'en' }] },
    ],
    'outputs[1].captions[0].path must be given if there is no source',
  ],
  [
    [
      { type: 'segmented', label: 'x', url: 'ftp://127.0.0.1/x.m3u8', packaging: 'cmaf' },
      { type: 'playlist', url: 'ftp://127.0.0.1/m.m3u8', packaging: 'cmaf', streams: [{ source: 'x' }] },
      { type: 'playlist', url: 'ftp://127.0.0.1/m.mpd', streams: [{ source: 'x' }] },
    ],
    'outputs[1].url would write the same files as outputs[2], such as m.mpd',
  ],
  [
    [
      { type: 'segmented', filename: 'x.m3u8', label: 'x', packaging: 'cmaf' },
      {
        type: 'segmented',
        filename: 'y.m3u8',
        generate_keyframe_manifest: true,
        keyframe_manifest_filename: 'x.m3u8',
      },
      { type: 'playlist', streams: [{ source: 'x' }] },
    ],
    'outputs[1].keyframe_manifest_filename would write the same files as outputs[0], such as x.m3u8',
  ],
  [
    [
      {
        type: 'segmented',
        filename: 'x.m3u8',
        generate_keyframe_manifest: true,
        keyframe_manifest_filename: 'x.m3u8',
      },
    ],
    'outputs[0].keyframe_manifest_filename must not be x.m3u8, which is another file of the output',
  ],
  [
    [{}, { type: 'playlist', playlist_format: 'ism', streams: [{ path: 'a', bandwidth: 1 }] }],
    'outputs[1].playlist_format is not supported: use hls or dash instead of Smooth Streaming',
  ],
  [
    [{ type: 'segmented', format: 'm4f', max_hls_protocol_version: 4 }],
    'outputs[0].max_hls_protocol_version must be at least 6 for m4f',
  ],
  [
    [{}, { type: 'playlist', streams: [{ path: 'a', bandwidth: 1, audio: 'x' }] }],
    'outputs[1].streams[0].audio names no group of alternate_audio',
  ],
  ...(
    [
      [{ g: [{ source: 'x' }] }, 'outputs[1].alternate_audio.g[0].language is required'],
      [{ g: { source: 'x' } }, 'outputs[1].alternate_audio.g.language is required'],
      [
        { g: [{ source: 'x', language: 'en' }, 1] },
        'outputs[1].alternate_audio must have an object, or an array of objects, for each group',
      ],
      [{ g: 'x' }, 'outputs[1].alternate_audio must have an object, or an array of objects, for each group'],
      [[{ group: 'g', source: 'x' }], 'outputs[1].alternate_audio[0].language is required'],
      [
        { g: { source: 'x', language: 'en' }, 'a b': [{ source: 'x' }] },
        'outputs[1].alternate_audio."a b"[0].language is required',
      ],
    ] as const
  ).map(
    ([alternate_audio, message]) =>
      [
        [
          { type: 'segmented', label: 'x' },
          { type: 'playlist', streams: [{ source: 'x', audio: 'g' }], alternate_audio },
        ],
        message,
      ] as const,
  ),
  [
    [{ type: 'playlist', label: 'p', streams: [{ path: 'a', bandwidth: 1 }] }, { source: 'p' }],
    'outputs[1].source names a playlist, which cannot be a source',
  ],
];

for (const [outputs, message] of rejected) {
  test(`${JSON.stringify(outputs)} is rejected`, async ({ daemon }) => {
    const body = JSON.stringify({ input, outputs, mock: true });
    const response = await daemon.request('/v2/jobs', { method: 'POST', body });
    const { errors = [] } = (await response.json()) as Partial<ErrorsRecord>;
    assert.is(response.status, 422);
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.ok(errors[0]?.includes(message), errors[0]);
  });
}

test('playlists without a name are called by their format', async ({ daemon }) => {
  const outputs = [
    { type: 'segmented', label: 'x', packaging: 'cmaf' },
    { type: 'playlist', streams: [{ source: 'x' }] },
    { type: 'playlist', playlist_format: 'dash', streams: [{ source: 'x' }] },
  ];
  const body = JSON.stringify({ input, outputs });
  const response = await daemon.request('/v2/jobs', { method: 'POST', body });
  assert.is(response.status, 201);
  const { outputs: created } = (await response.json()) as { outputs: readonly { url?: string }[] };
  assert.equal(
    created.slice(1).map(({ url = '' }) => url.replace(/^.*\//, '')),
    ['master.m3u8', 'manifest.mpd'],
  );
});

test('a playlist as the format of a segmented output means transport streams', async ({ daemon }) => {
  const outputs = [{ type: 'segmented', format: 'm3u8', filename: 'film.m3u8' }];
  const response = await daemon.request('/v2/jobs', {
    method: 'POST',
    body: JSON.stringify({ input, outputs, mock: true }),
  });
  assert.is(response.status, 201, await response.text());
});

test('settings of HLS are warnings for dash', async ({ daemon }) => {
  const cut = { type: 'segmented', streaming_delivery_format: 'dash', hls_protocol_version: 6 };
  const body = JSON.stringify({ input, outputs: [{ ...cut, generate_keyframe_manifest: true }], mock: true });
  const response = await daemon.request('/v2/jobs', { method: 'POST', body });
  const { warnings } = (await response.json()) as { warnings: readonly { field: string; message: string }[] };
  assert.equal(warnings.map(({ field, message }) => `${field} ${message}`).toSorted(), [
    'outputs[0].generate_keyframe_manifest has no effect for dash',
    'outputs[0].hls_protocol_version has no effect for dash',
  ]);
});

test('settings that a playlist does not use are warnings, and so are streams of another output', async ({
  daemon,
}) => {
  const outputs = [
    { streams: [{ path: 'a', bandwidth: 1 }] },
    { type: 'playlist', width: 64, segment_seconds: 4, streams: [{ path: 'a', bandwidth: 1, height: 3 }] },
  ];
  const response = await daemon.request('/v2/jobs', {
    method: 'POST',
    body: JSON.stringify({ input, outputs, mock: true }),
  });
  const { warnings } = (await response.json()) as { warnings: readonly { field: string; message: string }[] };
  assert.equal(warnings.map(({ field, message }) => `${field} ${message}`).toSorted(), [
    'outputs[0].streams has no effect: only an output of type playlist has streams',
    'outputs[1].segment_seconds has no effect: the output is a playlist',
    'outputs[1].streams[0].height has no effect: the playlist is not a SMIL file',
    'outputs[1].width has no effect: the output is a playlist',
  ]);
});

test.run();
