import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { PresetListRecord, PresetRecord } from '../../src/shared/records.js';
import { shippedPresetNames } from '../../src/shared/settings/presets.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';

interface Context {
  served: ServedContext;
  /** The key of another account. */
  strangerKey: string;
}

const test = suite<Context>('presets of a daemon');

test.before.each(async (context) => {
  context.served = await serveContext();
  context.strangerKey = (await createAccount(openFolderSetup(context.served.dataFolder), 'studio')).key;
});
test.after.each(({ served }) => served.close());

const input = 'http://127.0.0.1:9/a.mov';

interface Sent {
  readonly body?: unknown;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(
  { request, key }: ServedContext,
  method: string,
  path: string,
  { body, as = key, headers = {} }: Sent = {},
): Promise<{ readonly status: number; readonly text: string; readonly record: unknown }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await request(path, {
    method,
    headers: { ...headers, 'Service-Api-Key': as },
    ...(body === undefined ? {} : { body: text }),
  });
  const answer = await response.text();
  return { status: response.status, text: answer, record: answer === '' ? null : JSON.parse(answer) };
}

async function save(served: ServedContext, name: string, body: unknown, as?: string): Promise<void> {
  const { status, text } = await send(served, 'PUT', `/v2/presets/${name}`, {
    body,
    ...(as === undefined ? {} : { as }),
  });
  assert.is(status, 200, text);
}

/** Creates a job. Resolves to the stored settings of its outputs. */
async function settingsOf(served: ServedContext, body: object): Promise<readonly unknown[]> {
  const created = await send(served, 'POST', '/v2/jobs', { body: { input, ...body } });
  assert.is(created.status, 201, created.text);
  const job = await served.appContext.store.get(Number((created.record as { id: string }).id));
  return (job?.outputs ?? []).map(({ settings }) => settings);
}

/** The errors of a create. */
async function errorsOf(served: ServedContext, body: object, as = served.key): Promise<string> {
  const { status, text } = await send(served, 'POST', '/v2/jobs', { body: { input, ...body }, as });
  assert.is(status, 422, text);
  return text;
}

test('a preset is saved, listed, shown and removed, and a restart keeps it', async (context) => {
  const settings = { grouping: 'films', output: { height: 480, video_codec: 'h264' } };
  await save(context.served, 'mine.v2.json', settings);
  await context.served.close();
  context.served = await serveContext(context.served.dataFolder);
  const { served } = context;
  const shown = (await send(served, 'GET', '/v2/presets/mine.v2.json')).record as PresetRecord;
  assert.equal(shown, { name: 'mine.v2.json', source: 'account', summary: null, settings });
  const { presets } = (await send(served, 'GET', '/v2/presets')).record as PresetListRecord;
  assert.equal(
    presets.map(({ name, source }) => `${name} ${source}`),
    ['mine.v2.json account', ...shippedPresetNames.map((name) => `${name} shipped`)],
  );
  assert.is((await send(served, 'DELETE', '/v2/presets/mine.v2.json')).status, 204);
  assert.is((await send(served, 'DELETE', '/v2/presets/mine.v2.json')).status, 404);
  assert.is((await send(served, 'GET', '/v2/presets/mine.v2.json')).status, 404);
});

test('the request overrides a preset, which is resolved when the job is created', async ({ served }) => {
  await save(served, 'small', { output: { size: '640x360', quality: 2, audio_codec: 'aac' } });
  const resolved = { width: 640, height: 360, quality: 2, audio_codec: 'aac' };
  assert.equal(await settingsOf(served, { preset: 'small' }), [resolved]);
  assert.equal(await settingsOf(served, { preset: 'small', outputs: [{ label: 'a' }, { quality: 5 }] }), [
    { ...resolved, label: 'a' },
    { ...resolved, quality: 5 },
  ]);
  assert.equal(await settingsOf(served, { output: { preset: 'small', width: 320 } }), [
    { ...resolved, width: 320 },
  ]);
  const both = await settingsOf(served, { preset: 'phone', outputs: [{ preset: 'small' }, {}] });
  assert.equal(
    both.map((one) => (one as { quality: number }).quality),
    [2, 3],
    'the preset of an output overrides that of the job',
  );
  assert.is((both[0] as { width: number }).width, 640);
  await save(served, 'small', { output: { height: 100 } });
  assert.equal(await settingsOf(served, { preset: 'small' }), [{ height: 100 }]);
});

test('an own preset hides the shipped one of its name until it is removed', async ({
  served,
  strangerKey,
}) => {
  const source = async (as = served.key) =>
    ((await send(served, 'GET', '/v2/presets/web', { as })).record as PresetRecord).source;
  assert.is(await source(), 'shipped');
  assert.is((await send(served, 'DELETE', '/v2/presets/web')).status, 409, 'it comes with venc');
  await save(served, 'web', { output: { height: 100 } });
  assert.equal([await source(), await source(strangerKey)], ['account', 'shipped']);
  assert.is((await send(served, 'DELETE', '/v2/presets/web')).status, 204);
  assert.is(await source(), 'shipped');
});

test('presets belong to their account, and a read-only key cannot use them', async ({
  served,
  strangerKey,
}) => {
  await save(served, 'house', { output: { height: 100 } });
  assert.match(
    await errorsOf(served, { preset: 'house' }, strangerKey),
    'preset names no preset of this account',
  );
  assert.is((await send(served, 'GET', '/v2/presets/house', { as: strangerKey })).status, 404);
  assert.is((await send(served, 'DELETE', '/v2/presets/house', { as: strangerKey })).status, 404);
  assert.not.match((await send(served, 'GET', '/v2/presets', { as: strangerKey })).text, 'house');
  const setup = openFolderSetup(served.dataFolder);
  const { key: readOnly } = await createKey(setup, 'default', 'read-only');
  await served.appContext.accounts.refresh();
  for (const [method, path] of [
    ['GET', '/v2/presets'],
    ['GET', '/v2/presets/house'],
    ['PUT', '/v2/presets/house'],
    ['DELETE', '/v2/presets/house'],
  ] as const) {
    const body = method === 'PUT' ? { body: { output: { height: 2 } } } : {};
    assert.is((await send(served, method, path, { as: readOnly, ...body })).status, 403, `${method} ${path}`);
  }
  assert.equal(await settingsOf(served, { preset: 'house' }), [{ height: 100 }]);
});

test('an unknown name is rejected with the nearest one', async ({ served }) => {
  await save(served, 'cinema', { output: { height: 100 } });
  assert.match(
    await errorsOf(served, { preset: 'cinma' }),
    /preset names no preset of this account; did you mean cinema\?/,
  );
  assert.match(
    await errorsOf(served, { outputs: [{}, { preset: 'pone' }] }),
    /outputs\[1\]\.preset names no preset .* phone\?/,
  );
  for (const preset of [7, true, ['web'], { name: 'web' }])
    assert.match(await errorsOf(served, { preset }), 'preset must be the name of a preset');
  for (const name of ['constructor', '__proto__', ''])
    assert.match(await errorsOf(served, { preset: name }), 'names no preset');
  assert.equal(await settingsOf(served, { preset: null, output: { preset: null, width: 64 } }), [
    { width: 64 },
  ]);
});

test('a preset with several outputs, or with fields of the job, is for the job', async ({ served }) => {
  await save(served, 'pair', {
    outputs: [
      { label: 'a', width: 64 },
      { label: 'b', width: 128 },
    ],
  });
  await save(served, 'grouped', { grouping: 'films', output: { width: 64 } });
  assert.match(
    await errorsOf(served, { output: { preset: 'pair' } }),
    'outputs[0].preset must not name pair, which has several outputs',
  );
  assert.match(
    await errorsOf(served, { output: { preset: 'hls' } }),
    'must not name hls, which has several outputs',
  );
  assert.match(await errorsOf(served, { output: { preset: 'grouped' } }), 'which sets grouping of the job');
  assert.equal(await settingsOf(served, { preset: 'pair', outputs: [{ height: 32 }] }), [
    { label: 'a', width: 64, height: 32 },
    { label: 'b', width: 128 },
  ]);
  assert.is((await settingsOf(served, { preset: 'hls' })).length, 9);
});

test('errors and warnings about a preset name it', async ({ served }) => {
  await save(served, 'wide', { output: { width: 640, video_codec: 'vp9' } });
  assert.match(
    await errorsOf(served, { preset: 'wide', output: { format: 'm4a' } }),
    /video_codec .*; video_codec is that of the preset wide/,
  );
  assert.match(
    await errorsOf(served, { preset: 'wide', output: { width: 1 } }),
    /outputs\[0\]\.width must be [^;]*"/,
  );
  const created = await send(served, 'POST', '/v2/jobs', {
    body: { input, preset: 'wide', output: { skip_video: true, filename: 'a.mp3' } },
  });
  assert.is(created.status, 201, created.text);
  assert.match(
    created.text,
    /"field":"outputs\[0\]\.width","message":"[^"]*; width is that of the preset wide"/,
  );
});

test('invalid presets are rejected by name, and nothing is saved', async ({ served }) => {
  for (const [body, message] of [
    [{}, 'the preset must have a setting'],
    ['[]', 'the preset must be an object'],
    [{ input, output: {} }, 'input must not be in a preset'],
    [{ api_key: served.key, output: {} }, 'api_key must not be in a preset'],
    [{ preset: 'web' }, 'preset must not be in a preset'],
    [{ outputs: [{}, { preset: 'web' }] }, 'outputs[1].preset must not be in a preset'],
    [{ output: { heigth: 3 } }, 'outputs[0].heigth is not known; did you mean height?'],
    [{ grupping: 'a' }, 'grupping is not known'],
    [{ output: { height: -3 } }, 'outputs[0].height must be'],
    [{ output: { url: 's3://AKIA:secret@bucket/a.mp4' } }, 'url must have no password'],
    [{ outputs: [{ thumbnails: { base_url: 'ftp://me:pw@host/' } }] }, 'base_url must have no password'],
    [{ notifications: ['https://me:pw@host/hook'] }, 'notifications[0] must have no password'],
    [{ output: { url: 'https://host/a.mp4?X-Amz-Signature=abc' } }, 'url must have no password'],
    [
      { output: { type: 'segmented', encryption_method: 'aes-128-cbc', encryption_key: 'a'.repeat(32) } },
      'is secret',
    ],
    [{ pass_through: 'x'.repeat(70_000) }, 'pass_through'],
  ] as const) {
    const { status, text } = await send(served, 'PUT', '/v2/presets/mine', { body });
    assert.is(status, 422, text);
    assert.ok(text.includes(message), `${message} in ${text}`);
    assert.not.match(text, /secret@|:pw@|=abc/);
  }
  assert.is((await send(served, 'GET', '/v2/presets/mine')).status, 404);
});

test('names are letters, digits, dots, dashes and underscores', async ({ served }) => {
  const body = { output: { height: 64 } };
  for (const name of ['.hidden', '-dash', '%C3%BCber', 'a%20b', 'a%2Fb', '..%2Fb', 'x'.repeat(65), '%00'])
    assert.ok([404, 422].includes((await send(served, 'PUT', `/v2/presets/${name}`, { body })).status), name);
  for (const name of ['a/b', '..', ''])
    assert.not.equal((await send(served, 'PUT', `/v2/presets/${name}`, { body })).status, 200, name);
  for (const name of ['a', '_x', '9.9', 'constructor', 'x'.repeat(64)]) await save(served, name, body);
  const { presets } = (await send(served, 'GET', '/v2/presets')).record as PresetListRecord;
  assert.is(presets.filter(({ source }) => source === 'account').length, 5);
});

test('an account has at most 100 presets, and settings without effect are reported', async ({ served }) => {
  const body = { output: { height: 64 } };
  await served.appContext.accounts.changePresets('default', () =>
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, body])),
  );
  assert.is((await send(served, 'PUT', '/v2/presets/more', { body })).status, 409);
  const { status, text } = await send(served, 'PUT', '/v2/presets/p1', {
    body: { output: { size: '640x360', width: 64 } },
  });
  assert.is(status, 200, text);
  assert.match(text, /"warnings":\[\{"field":"outputs\[0\]\.size"/);
});

test('a repeated create with a key answers with its job, whatever became of the preset', async ({
  served,
}) => {
  await save(served, 'mine', { output: { height: 64 } });
  const create = (body: object) =>
    send(served, 'POST', '/v2/jobs', { body, headers: { 'Idempotency-Key': 'tuesday' } });
  const first = await create({ input, preset: 'mine', output: { width: 64 } });
  await save(served, 'mine', { output: { height: 128 } });
  const again = await create({ output: { width: 64 }, preset: 'mine', input });
  assert.equal(again.record, first.record);
  await send(served, 'DELETE', '/v2/presets/mine');
  assert.equal((await create({ input, preset: 'mine', output: { width: 64 } })).record, first.record);
  assert.is((await create({ input, preset: 'web', output: { width: 64 } })).status, 409);
  assert.is((await create({ input, output: { width: 64, height: 64 } })).status, 409);
  assert.match(await errorsOf(served, { preset: 'mine' }), 'names no preset');
});

test('a destination of a preset is checked as if it were in the request', async ({ served }) => {
  await save(served, 'away', { output: { url: 'file:///etc/passwd.mp4' } });
  assert.match(
    await errorsOf(served, { preset: 'away' }),
    /outputs\[0\]\.url .*; url is that of the preset away|outputs\[0\]\.url /,
  );
  await save(served, 'saved', { output: { url: 's3://bucket/a.mp4', credentials: 'nobody' } });
  assert.match(await errorsOf(served, { preset: 'saved' }), 'credentials');
});

test.run();
