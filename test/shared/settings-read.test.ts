import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultOutput } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { input, limits, requestOf, settingsOf, validationErrorsFor } from './reading.js';

test('a body that is not an object is one validation error', () => {
  for (const body of [undefined, null, 5, 'text', true, [], [{ input }]]) {
    assert.equal(validationErrorsFor(body), ['The request must be an object with an input']);
  }
});

test('a missing input is reported', () => {
  for (const body of [{}, { input: null }, { outputs: [{}] }]) {
    assert.equal(validationErrorsFor(body), ['input is required: the URL of the file to encode']);
  }
});

test('without outputs a request gets the default output', () => {
  for (const outputs of [undefined, null, []]) {
    assert.equal(requestOf({ input, outputs }).outputs, [defaultOutput]);
    assert.equal(requestOf({ input, output: outputs }).outputs, [defaultOutput]);
  }
});

test('an empty output is one output without settings', () => {
  for (const outputs of [{}, [{}]]) {
    assert.equal(requestOf({ input, outputs }), { input, outputs: [{}] });
    assert.equal(requestOf({ input, output: outputs }), { input, outputs: [{}] });
  }
});

test('each output that is not an object is reported', () => {
  for (const outputs of [5, 'x', true]) {
    assert.equal(validationErrorsFor({ input, outputs }), [
      'outputs must be an array of objects, or one object',
    ]);
  }
  assert.equal(validationErrorsFor({ input, outputs: [{}, null, 5, [{}]] }), [
    'outputs[1] must be an object',
    'outputs[2] must be an object',
    'outputs[3] must be an object',
  ]);
});

test('output together with outputs is a validation error, unless one of them is null', () => {
  assert.equal(validationErrorsFor({ input, output: {}, outputs: [] }), [
    'output and outputs must not both be given: use outputs',
  ]);
  assert.equal(requestOf({ input, output: { speed: 1 }, outputs: null }).outputs, [{ speed: 1 }]);
});

test('a job has at most the configured number of outputs', () => {
  const body = (count: number) => ({ input, outputs: Array(count).fill({}) });
  assert.ok(parseJobRequest(body(50), limits).ok);
  assert.equal(validationErrorsFor(body(51)), ['outputs must have at most 50 entries']);
  assert.not.ok(parseJobRequest(body(2), { maxOutputs: 1 }).ok);
});

test('numbers and booleans may be given as text', () => {
  assert.equal(
    settingsOf({
      width: '640',
      speed: '1',
      frame_rate: '29.97',
      rotate: '90',
      skip_audio: '1',
      upscale: 'false',
      public: 'true',
      start_clip: '1.5',
    }),
    {
      public: true,
      speed: 1,
      width: 640,
      upscale: false,
      skip_audio: true,
      frame_rate: 29.97,
      rotate: 90,
      start_clip: 1.5,
    },
  );
  for (const [given, read] of [
    [1, true],
    [0, false],
    ['1', true],
    ['0', false],
    ['true', true],
    [false, false],
  ]) {
    assert.equal(requestOf({ input, test: given }).test, read);
    assert.equal(requestOf({ input, mock: given }).mock, read);
  }
});

test('choices are read in any letter case, and some under other words of the hosted service', () => {
  assert.equal(settingsOf({ video_codec: 'H264', audio_codec: 'MP3' }), {
    video_codec: 'h264',
    audio_codec: 'mp3',
  });
  assert.equal(settingsOf({ aspect_mode: 'Pad', video_codec: 'WMV2', audio_codec: 'wmav2' }), {
    video_codec: 'wmv',
    audio_codec: 'wma',
    aspect_mode: 'pad',
  });
});

test('times are read as timecodes and as seconds', () => {
  for (const [given, seconds] of [
    ['00:00:05', 5],
    ['00:00:05.5', 5.5],
    ['1:02:03.25', 3723.25],
    ['99:59:59.999', 359_999.999],
    ['90', 90],
    ['0.5', 0.5],
    [0, 0],
    [-0, 0],
    [12.3456789, 12.345679],
    [1e-7, 0],
  ] as const) {
    assert.equal(settingsOf({ start_clip: given }), { start_clip: seconds });
  }
});

test('distances are read in pixels and percent, from either edge', () => {
  for (const [given, value, unit, isFromFarEdge] of [
    [10, 10, 'pixels', false],
    [-10, 10, 'pixels', true],
    ['10', 10, 'pixels', false],
    ['-0', 0, 'pixels', true],
    [-0, 0, 'pixels', true],
    [0, 0, 'pixels', false],
    ['25%', 25, 'percent', false],
    ['-12.5%', 12.5, 'percent', true],
    ['-0%', 0, 'percent', true],
    [8192, 8192, 'pixels', false],
    ['100%', 100, 'percent', false],
  ] as const) {
    const x = { value, unit, isFromFarEdge };
    assert.equal(settingsOf({ watermark: { url: input, x: given } }), { watermark: [{ url: input, x }] });
  }
});

test('the limits of each range are valid values', () => {
  for (const [name, min, max] of [
    ['width', 2, 8192],
    ['speed', 1, 5],
    ['quality', 1, 5],
    ['audio_quality', 1, 5],
    ['video_bitrate', 1, 1_000_000],
    ['bitrate_cap', 1, 1_000_000],
    ['buffer_size', 1, 1_000_000],
    ['audio_sample_rate', 8000, 96_000],
    ['audio_channels', 1, 2],
    ['frame_rate', 0.1, 240],
    ['max_frame_rate', 0.1, 240],
    ['decimate', 1, 1000],
    ['keyframe_interval', 1, 100_000],
    ['clip_length', 0.000001, 359_999.999],
  ] as const) {
    for (const value of [min, max]) assert.equal(settingsOf({ [name]: value }), { [name]: value });
  }
  assert.equal(settingsOf({ thumbnails: { number: 500 } }), { thumbnails: [{ number: 500 }] });
  assert.is(requestOf({ input, download_connections: 25 }).download_connections, 25);
});

test('both spellings of a setting are equivalent', () => {
  for (const [name, spelling, value] of [
    ['onepass', 'one_pass', true],
    ['bitrate_cap', 'decoder_bitrate_cap', 900],
    ['buffer_size', 'decoder_buffer_size', 900],
    ['access_control', 'access_controls', [{ grantee: 'x', permission: ['READ'] }]],
    ['watermark', 'watermarks', [{ url: input }]],
  ] as const) {
    assert.equal(settingsOf({ [spelling]: value }), { [name]: value });
    assert.equal(settingsOf({ [spelling]: value, [name]: value }), { [name]: value });
    assert.equal(settingsOf({ [spelling]: value, [name]: null }), { [name]: value });
  }
  assert.equal(settingsOf({ bitrate_cap: 900, decoder_bitrate_cap: '900' }), { bitrate_cap: 900 });
  assert.equal(validationErrorsFor({ input, outputs: [{ onepass: 1, one_pass: 0 }] }), [
    'outputs[0].onepass and outputs[0].one_pass are the same setting and must have the same value',
  ]);
});

test('a single watermark, grant or set of thumbnails may be given with or without an array', () => {
  const watermark = { url: input };
  const grant = { grantee: 'someone', permissions: ['READ', 'write'] };
  const read = { grantee: 'someone', permission: ['READ', 'WRITE'] };
  for (const wrap of [(value: unknown) => value, (value: unknown) => [value]]) {
    assert.equal(
      settingsOf({
        watermark: wrap(watermark),
        access_control: wrap(grant),
        thumbnails: wrap({ number: 2, access_control: wrap(grant) }),
      }),
      {
        access_control: [read],
        watermark: [watermark],
        thumbnails: [{ number: 2, access_control: [read] }],
      },
    );
  }
  assert.equal(settingsOf({ watermarks: [], access_control: [], thumbnails: [] }), {});
  assert.equal(settingsOf({ thumbnails: {} }), { thumbnails: [{}] });
});

test('size sets width and height, and may agree with them', () => {
  assert.equal(settingsOf({ size: '640x480' }), { width: 640, height: 480 });
  assert.equal(settingsOf({ size: '640X480', width: '640', height: 480 }), { width: 640, height: 480 });
});

test('notifications are one or several, each an object or a URL', () => {
  const url = 'https://me:secret@example.com/done?a=b,c=d';
  const whole = { url, format: 'xml', headers: { 'X-Order': 'a b', authorization: 'Bearer x' } };
  assert.equal(requestOf({ input, notifications: url }).notifications, [{ url }]);
  assert.equal(requestOf({ input, notifications: [whole, url] }).notifications, [whole, { url }]);
  assert.equal(settingsOf({ notifications: { url, format: 'XML', headers: null } }).notifications, [
    { url, format: 'xml' },
  ]);
  assert.equal(settingsOf({ notifications: { url, headers: {} } }).notifications, [{ url, headers: {} }]);
  assert.equal(requestOf({ input, notifications: [], outputs: { notifications: [] } }), {
    input,
    outputs: [{}],
  });
});

const nonHttp = 'notifications must be a URL with the scheme http or https, or an e-mail address';

for (const [notifications, validationErrors] of [
  [[input, input, input, input, input, input], ['notifications must have at most 5 entries']],
  [5, ['notifications must be an object, or the url as a string']],
  [[input, 'mailto:me@example.com'], [nonHttp.replace(' ', '[1] ')]],
  [{ url: 'ftp://example.com/a' }, [nonHttp.replace(' ', '.url ')]],
  [{}, ['notifications.url is required: URL that the notification is posted to']],
  [
    { url: input, headers: { Host: 'a', 'Webhook-Id': 'b', 'X-A': 5, 'X-B': 'c', 'x-b': 'c' } },
    [
      'notifications.headers.Host must be omitted: this header is written by the daemon',
      'notifications.headers.Webhook-Id must be omitted: this header is written by the daemon',
      'notifications.headers.X-A must be a string',
      'notifications.headers.x-b must be given only once',
    ],
  ],
  [
    { url: input, headers: { 'X A': 'b' } },
    [
      'notifications.headers must have valid header names, such as X-Order, of at most 64 characters; that of entry 1 is not',
    ],
  ],
] as const) {
  test(`notifications ${JSON.stringify(notifications)} are rejected with a helpful message`, () => {
    assert.equal(validationErrorsFor({ input, notifications }), validationErrors);
  });
}

test('a header may have a name that every object inherits', () => {
  const headers: unknown = JSON.parse('{"__proto__":"a","constructor":"b"}');
  const [target] = requestOf({ input, notifications: { url: input, headers } }).notifications ?? [];
  assert.equal(Object.entries(target?.headers ?? {}), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
});

test('the valid parts of an invalid request are available for further checks', () => {
  const outputs = [{ size: '64x48' }, { speed: 9, quality: 2 }, { format: 1, quality: 2 }];
  const parseRequest = parseJobRequest({ input, test: 'x', outputs }, limits);
  assert.not.ok(parseRequest.ok);
  assert.equal('validParts' in parseRequest && parseRequest.validParts, {
    job: { input },
    outputs: {
      outputs: [{ width: 64, height: 48 }, { quality: 2 }, { quality: 2 }],
      // Without its format, nothing can be said about other settings.
      withoutCodecs: new Set([2]),
      withoutDestination: new Set(),
    },
  });
});

test.run();
