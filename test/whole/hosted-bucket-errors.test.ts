import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { type FailingBucket, startFailingBucket } from '../helpers/servers/failing-bucket.js';
import { s3rverKeys } from '../helpers/servers/s3rver.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';
import { runVenc } from '../helpers/worker-process.js';

interface Context {
  bucket: FailingBucket;
  folder: string;
  input: string;
}

const test = suite<Context>('a bucket for hosted files that cannot be used');
const { id, secret } = s3rverKeys;
const keys = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };

test.before(async (context) => {
  context.bucket = await startFailingBucket();
  context.folder = tempFolder();
  context.input = join(context.folder, 'in.mp4');
  await makeMedia(context.input, film('64x48', 1));
  process.env.AWS_ENDPOINT_URL_S3 = context.bucket.endpoint;
});
test.before.each(({ bucket }) => {
  bucket.failWith = () => null;
});
test.after(({ bucket }) => bucket.close());

const denyWrites: FailingBucket['failWith'] = ({ method }) =>
  method === 'PUT' ? [403, 'AccessDenied'] : null;
const rejected: readonly (readonly [string, string, object, RegExp, FailingBucket['failWith']?])[] = [
  ['another scheme', 'https://films/venc', keys, /takes the URL of a folder in a bucket, such as s3:/],
  ['no bucket', 's3:///venc', keys, /takes the URL of a folder in a bucket/],
  ['a port', 's3://films:80/venc', keys, /must name a bucket, without a port/],
  ['a secret without a key', 's3://:hunter2@films/venc', keys, /both an access key and its secret/],
  ['a folder ..', 's3://films/../venc', keys, /must not contain/],
  ['a prefix that is too long', `s3://films/${'a'.repeat(501)}`, keys, /at most 500 bytes/],
  ['no keys', 's3://films/venc', {}, /needs the keys of the bucket: set AWS_ACCESS_KEY_ID/],
  ['unknown keys', 's3://nobody:hunter2@films/venc', keys, /did not accept the keys for films/],
  [
    'a missing bucket',
    's3://nowhere/venc',
    keys,
    /there is no bucket nowhere at 127\.0\.0\.1:\d+\. Create it/,
  ],
  ['no right to write', 's3://films/venc', keys, /the keys may not write to it \(s3:PutObject\)/, denyWrites],
];
for (const [what, url, env, sentence, failWith = () => null] of rejected) {
  test(`${what} in --hosted is an error at the start`, async ({ bucket }) => {
    bucket.failWith = failWith;
    const data = join(tempFolder(), 'data');
    const { code, stderr } = await runVenc(['daemon', '--port', '0', '--data', data, '--hosted', url], {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      ...env,
    });
    assert.is(code, 2, stderr);
    assert.match(stderr, /venc: --hosted/);
    assert.match(stderr, sentence);
    assert.not.match(stderr, /hunter2/);
  });
}

interface Health {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason: string | null }[];
}

async function hostedCheck(daemon: TestDaemon) {
  const response = await fetch(`${daemon.url}/health`);
  assert.is(response.status, 200);
  const { status, checks } = (await response.json()) as Health;
  return { status, ...checks.find(({ name }) => name === 'hosted_files') };
}

const send = (daemon: TestDaemon, body: object) =>
  daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });

/** Encodes without hosted files. */
async function encodeToFolder(daemon: TestDaemon, { folder, input }: Context): Promise<void> {
  const url = `file://${join(folder, 'out.mp4')}`;
  const job = await daemon.waitForJob(
    await daemon.create({ input: `file://${input}`, outputs: [{ url, width: 64, overwrite: true }] }),
  );
  assert.is(job.state, 'finished', JSON.stringify(job));
}

test('a daemon whose bucket vanishes goes on with what needs none, says why, and recovers', async (context) => {
  const { bucket, folder, input } = context;
  Object.assign(process.env, keys);
  const daemon = await startTestDaemon({ hosted: 's3://films/venc', filesRoots: [folder] });
  try {
    const create = { input: `file://${input}`, outputs: [{ filename: 'a.mp4', width: 64 }] };
    const job = await daemon.waitForJob(await daemon.create(create));
    const url = job.output_media_files[0]?.url ?? '';
    const whole = await (await fetch(url)).arrayBuffer();
    assert.is((await hostedCheck(daemon)).ok, true);

    renameSync(join(bucket.folder, 'films'), join(bucket.folder, 'elsewhere'));
    const failing = await pollUntil(
      () => hostedCheck(daemon),
      ({ ok }) => ok === false,
    );
    assert.is(failing.status, 'degraded');
    assert.match(failing.reason ?? '', /The bucket of hosted files and uploads \(--hosted\) does not exist/);
    const readFilm = () => readFileSync(input);
    const requests = [
      () => send(daemon, create),
      () => send(daemon, { input: 'upload://token/a.mp4', output: { url: `file://${folder}/b.mp4` } }),
      () => daemon.request('/v2/uploads/in.mp4', { method: 'PUT', body: readFilm() }),
      () => fetch(url),
    ];
    for (const request of requests) {
      const response = await request();
      const text = await response.text();
      assert.is(response.status, 503, text);
      assert.ok(Number(response.headers.get('retry-after')) > 0);
      assert.match(text, /does not exist; the log of the daemon says more/);
    }
    await encodeToFolder(daemon, context);
    assert.ok(
      daemon.logLines.some((line) => /^warn .*cannot be used: There is no bucket films at 127/.test(line)),
      daemon.logLines.join('\n'),
    );

    renameSync(join(bucket.folder, 'elsewhere'), join(bucket.folder, 'films'));
    await pollUntil(
      () => hostedCheck(daemon),
      ({ ok }) => ok === true,
    );
    assert.equal(await (await fetch(url)).arrayBuffer(), whole);
    assert.is((await daemon.waitForJob(await daemon.create(create))).state, 'finished');
  } finally {
    await daemon.stop();
    if (existsSync(join(bucket.folder, 'elsewhere')))
      renameSync(join(bucket.folder, 'elsewhere'), join(bucket.folder, 'films'));
  }
});

test('a job that is running when the bucket vanishes fails with a class of uploads', async ({
  bucket,
  folder,
  input,
}) => {
  const daemon = await startTestDaemon({ hosted: 's3://films/venc', filesRoots: [folder] });
  try {
    bucket.failWith = ({ method, url = '' }) =>
      method === 'PUT' && url.includes('/venc/hosted/') ? [404, 'NoSuchBucket'] : null;
    const job = await daemon.waitForJob(
      await daemon.create({ input: `file://${input}`, outputs: [{ filename: 'a.mp4', width: 64 }] }),
    );
    const [output] = job.output_media_files;
    assert.equal([job.state, output?.error_class], ['failed', 'FileNotFoundError']);
    assert.match(output?.error_message ?? '', /There is no bucket films/);
  } finally {
    await daemon.stop();
  }
});

test('a daemon whose bucket cannot be reached starts, and uses it as soon as it can', async (context) => {
  const { bucket, folder } = context;
  bucket.failWith = () => 'broken off';
  const daemon = await startTestDaemon({ hosted: 's3://films/venc', filesRoots: [folder] });
  try {
    assert.match((await hostedCheck(daemon)).reason ?? '', /cannot be reached/);
    await encodeToFolder(daemon, context);
    bucket.failWith = () => null;
    await pollUntil(
      () => hostedCheck(daemon),
      ({ ok }) => ok === true,
    );
    const response = await daemon.request('/v2/uploads/in.mp4', { method: 'PUT', body: 'film' });
    assert.is(response.status, 201);
  } finally {
    await daemon.stop();
  }
});

test.run();
