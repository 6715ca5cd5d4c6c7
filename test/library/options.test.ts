import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configure, encode, InvalidRequestError, plan, VencError } from '../../src/library/index.js';
import { readEncodeOptions } from '../../src/library/work/read-options.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** What a caller in JavaScript may pass. */
const encodeAnything = encode as unknown as (
  input: unknown,
  options?: unknown,
  call?: unknown,
) => Promise<unknown>;

async function rejection(work: PromiseLike<unknown>): Promise<VencError> {
  const error = await work.then(
    () => assert.unreachable('nothing was rejected'),
    (reason: unknown) => reason,
  );
  assert.instance(error, VencError);
  return error as VencError;
}

const out = join(tempFolder(), 'out.mp4');
const stream = () => new PassThrough();

function lockedWritable(): WritableStream {
  const locked = new WritableStream();
  locked.getWriter();
  return locked;
}

const rejected: readonly (readonly [
  string,
  unknown,
  { code?: string; field: string; says: RegExp; hint?: RegExp },
])[] = [
  ['no options', undefined, { field: 'options', says: /must be an object/ }],
  ['no output', {}, { field: 'output', says: /is missing/, hint: /path, a URL or a stream/ }],
  ['a number as the output', { output: 5 }, { field: 'output', says: /is no destination/ }],
  ['a folder as the output', { output: 'out/' }, { field: 'output', says: /names a folder/ }],
  ['an extension of no format', { output: 'a.xyz' }, { field: 'output', says: /^output ends in \.xyz/ }],
  [
    'one of several destinations without keys',
    { outputs: [{ output: out }, { output: 's3://bucket/a.mp4' }] },
    { field: 'outputs[1].output', says: /^outputs\[1\]\.output must have keys/ },
  ],
  [
    'a name that every object has',
    { output: out, constructor: 1, strict: true },
    { field: 'constructor', says: /^constructor is not known/ },
  ],
  [
    'a stream with a writer',
    { output: lockedWritable(), format: 'ts' },
    { field: 'output', says: /has a writer already/, hint: /releaseLock/ },
  ],
  ['url', { output: out, url: 'file:///x' }, { field: 'url', says: /not an option/, hint: /output/ }],
  [
    'base_url',
    { output: out, baseUrl: 's3://b' },
    { field: 'baseUrl', says: /not an option/, hint: /output/ },
  ],
  [
    'filename',
    { outputs: [{ output: out, filename: 'x' }] },
    { field: 'outputs[0].filename', says: /not an option/ },
  ],
  ['input', { output: out, input: 'x' }, { field: 'input', says: /not an option/, hint: /first argument/ }],
  ['notifications', { output: out, notifications: ['http://a'] }, { field: 'notifications', says: /daemon/ }],
  [
    'a text for a number',
    { output: out, width: 'wide' },
    { field: 'width', says: /^width must be a whole number/ },
  ],
  ['camel case', { output: out, videoBitrate: -1 }, { field: 'videoBitrate', says: /^videoBitrate must be/ }],
  [
    'a nested one',
    { output: out, thumbnails: { startAtFirstFrame: 'x' } },
    { field: 'thumbnails.startAtFirstFrame', says: /true or false/ },
  ],
  [
    'one of several',
    { outputs: [{ output: out }, { output: `${out}2.mp4`, audioBitrate: 'x' }] },
    { field: 'outputs[1].audioBitrate', says: /^outputs\[1\]\.audioBitrate must/ },
  ],
  [
    'two spellings',
    { output: out, video_codec: 'vp9', videoCodec: 'hevc' },
    { field: 'videoCodec', says: /another value than video_codec/ },
  ],
  [
    'two nested spellings',
    { output: out, thumbnails: [{ startAtFirstFrame: true, start_at_first_frame: false }] },
    { field: 'thumbnails[0].start_at_first_frame', says: /another value/ },
  ],
  ['a function', { output: out, width: () => 5 }, { field: 'width', says: /must be text, a number/ }],
  ['a bigint', { output: out, width: 5n }, { field: 'width', says: /must be text, a number/ }],
  ['overwrite', { output: out, overwrite: 'yes' }, { field: 'overwrite', says: /true or false/ }],
  ['concurrency', { output: out, concurrency: 0 }, { field: 'concurrency', says: /whole number from 1/ }],
  [
    'output and outputs',
    { output: out, outputs: [{ output: `${out}2.mp4` }] },
    { field: 'output', says: /cannot be combined/ },
  ],
  [
    'a setting next to outputs',
    { outputs: [{ output: out }], videoCodec: 'vp9' },
    { field: 'videoCodec', says: /belongs to an output/, hint: /each of outputs/ },
  ],
  ['no outputs', { outputs: [] }, { field: 'outputs', says: /list of objects/ }],
  [
    'one file twice',
    { outputs: [{ output: out }, { output: out }] },
    { code: 'conflict', field: 'outputs[1].output', says: /Two outputs/ },
  ],
  [
    'a plain MP4 in a stream',
    { output: stream(), format: 'mp4' },
    { field: 'format', says: /cannot be mp4/, hint: /fragmented_mp4/ },
  ],
  ['a stream without a format', { output: stream() }, { field: 'format', says: /is missing/, hint: /mkv/ }],
  [
    'a stream in two passes',
    { output: stream(), format: 'ts', videoBitrate: 300 },
    { field: 'videoBitrate', says: /two passes/ },
  ],
  [
    'a stream and a file',
    { outputs: [{ output: stream(), format: 'ts' }, { output: out }] },
    { field: 'outputs', says: /stream and other/ },
  ],
  [
    'an unknown name with strict',
    { output: out, widht: 5, strict: true },
    { field: 'widht', says: /did you mean width/ },
  ],
];

for (const [what, options, { code = 'invalid_request', field, says, hint }] of rejected) {
  test(`encode rejects ${what} and names the option`, async () => {
    const error = await rejection(encodeAnything(await media('clip.mp4'), options));
    assert.match(error.message, says);
    assert.equal([error.code, error.field], [code, field]);
    if (hint !== undefined) assert.match(error.hint ?? '', hint);
    if (code === 'invalid_request') assert.instance(error, InvalidRequestError);
  });
}

for (const input of [5, null, {}, '', undefined]) {
  test(`encode rejects ${JSON.stringify(input)} as an input`, async () => {
    const error = await rejection(encodeAnything(input, { output: out }));
    assert.equal([error.code, error.field], ['invalid_request', 'input']);
  });
}

test('encode rejects a stream with a reader as an input', async () => {
  const input = new Blob(['abc']).stream();
  input.getReader();
  const error = await rejection(encode(input, { output: out }));
  assert.equal([error.code, error.field], ['invalid_request', 'input']);
  assert.match(error.message, /has a reader already/);
});

test('a signal that is none is rejected', async () => {
  const error = await rejection(encodeAnything('in.mp4', { output: out }, { signal: 5 }));
  assert.equal([error.code, error.field], ['invalid_request', 'signal']);
});

test('an empty stream, one that fails, and one of objects are errors of the input', async () => {
  const failing = async function* () {
    yield Buffer.from('abc');
    throw new Error('cable cut');
  };
  const empty = await rejection(encode(Readable.from([]), { output: out }));
  assert.equal([empty.code, empty.field], ['invalid_request', 'input']);
  for (const [input, says] of [
    [failing(), /cable cut/],
    [Readable.from([{ a: 1 }]), /must be bytes/],
  ] as const) {
    const error = await rejection(encode(input, { output: out }));
    assert.match(error.message, says);
    assert.equal([error.name, error.code, error.field], ['InputError', 'DownloadFailureError', 'input']);
    assert.ok(error.cause !== undefined);
  }
});

test('an existing file, the input itself and another running encode are conflicts', async () => {
  const folder = tempFolder();
  const path = join(folder, 'there.mp4');
  await writeFile(path, 'x');
  const input = await media('clip.mp4');
  const existing = await rejection(encode(input, { output: path }));
  assert.equal([existing.name, existing.code, existing.field], ['OutputError', 'conflict', 'output']);
  assert.match(existing.hint ?? '', /overwrite: true/);
  const same = await rejection(encode(input, { output: input, overwrite: true }));
  assert.match(same.message, /the input itself/);
  const free = join(folder, 'free.mp4');
  const first = encode(input, { output: free, width: 64 });
  const second = await rejection(encode(input, { output: free, width: 64 }));
  assert.equal([second.name, second.code, second.field], ['OutputError', 'conflict', 'output']);
  assert.is((await first).files.length, 1);
  assert.match((await rejection(encode(input, { output: free }))).message, /already exists/);
});

test('addresses in private networks are rejected unless they are allowed, and those of metadata always', async () => {
  const error = await rejection(encode('http://127.0.0.1:1/in.mp4', { output: out }));
  assert.equal([error.name, error.code, error.field], ['InputError', 'ForbiddenAddressError', 'input']);
  assert.match(error.hint ?? '', /allowPrivateNetwork/);
  const metadata = await rejection(
    encode('http://169.254.169.254/in.mp4', { output: out, allowPrivateNetwork: true }),
  );
  assert.is(metadata.code, 'ForbiddenAddressError');
  assert.is(metadata.hint, null);
  const planned = await rejection(plan('http://127.0.0.1:1/in.mp4', { output: out }));
  assert.equal([planned.code, planned.field], ['ForbiddenAddressError', 'input']);
});

test('configure rejects what is no configuration, and changes nothing then', () => {
  for (const [given, field] of [
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: '4' }, 'concurrency'],
    [{ ffmpeg: 5 }, 'ffmpeg'],
    [{ threads: 5 }, 'threads'],
  ] as const)
    try {
      configure(given as object);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, InvalidRequestError);
      assert.is((error as VencError).field, field);
    }
});

test('names in camel case become those of the service, in nested objects too, and equal values agree', () => {
  const { outputs, job } = readEncodeOptions({
    output: 'out.mp4',
    h264Profile: 'high',
    vp62passMinSection: 3,
    width: 64,
    thumbnails: [{ startAtFirstFrame: true, number: 2 }],
    headers: { 'x-amz-acl': 'y', xAmzMeta: 'z' },
    download_connections: 2,
    downloadConnections: 2,
    passThrough: 'text',
  });
  assert.equal(job, { download_connections: 2, pass_through: 'text' });
  assert.equal(outputs[0]?.settings, {
    h264_profile: 'high',
    vp6_2pass_min_section: 3,
    width: 64,
    thumbnails: [{ start_at_first_frame: true, number: 2 }],
    headers: { 'x-amz-acl': 'y', xAmzMeta: 'z' },
  });
});

test.run();
