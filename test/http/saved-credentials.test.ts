import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord, JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';

const secret = 'hunter2-secret';

const test = daemonSuite('saved credentials', { allowPrivateNetwork: true }, async (context) => {
  const { dataFolder } = context.daemon;
  const added = await runInProcess(
    ['credentials', 'add', 'studio', '--scheme', 'http', '--data', dataFolder],
    { stdin: `me\n${secret}\n` },
  );
  assert.is(added.code, 0, added.stderr);
});

async function post(daemon: TestDaemon, body: object): Promise<CreatedRecord & Partial<ErrorsRecord>> {
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as CreatedRecord & Partial<ErrorsRecord>;
}

test('an input is downloaded with the named credentials, which are in no record, answer or log', async ({
  daemon,
}) => {
  const film = readFileSync(await media('clip.mp4'));
  const authorizations: (string | undefined)[] = [];
  const source = await startHttpSource((request, response) => {
    request.resume();
    authorizations.push(request.headers.authorization);
    if (request.headers.authorization === undefined) response.writeHead(401).end();
    else response.writeHead(200, { 'content-length': film.byteLength }).end(film);
  });
  try {
    const request = { input: source.url('/film.mp4'), credentials: 'studio', outputs: [{ width: 64 }] };
    const { id } = await post(daemon, request);
    const job = await daemon.waitForJob(Number(id));
    assert.is(job.state, 'finished', JSON.stringify(job));
    const expected = `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`;
    assert.ok(authorizations.includes(expected));
    const text = JSON.stringify(await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`));
    assert.not.match(text + daemon.logLines.join('\n'), secret);
  } finally {
    await source.close();
  }
});

test('credentials that do not exist, or are for another scheme, are rejected by their path', async ({
  daemon,
}) => {
  const { errors } = await post(daemon, {
    input: 'http://127.0.0.1:9/a.mp4',
    credentials: 'nobody',
    outputs: [{ url: 'ftp://127.0.0.1/a.mp4', credentials: 'studio' }],
  });
  assert.equal(errors, [
    'credentials names credentials that this account does not have',
    'outputs[0].credentials are for http and cannot be used with ftp',
  ]);
});

test('the user of a URL takes precedence over the scheme of named credentials', async ({ daemon }) => {
  const outputs = [{ url: 'ftp://u:p@127.0.0.1/a.mp4', credentials: 'studio' }];
  const { errors, warnings } = await post(daemon, { input: 'http://127.0.0.1:9/a.mp4', outputs, mock: true });
  assert.is(errors, undefined);
  assert.equal(warnings, [
    { field: 'outputs[0].credentials', message: 'has no effect: the URL has a user of its own' },
  ]);
});

const own = 'ftp://u:p@127.0.0.1';
const image = { url: 'http://127.0.0.1:9/mark.png' };
const unused: readonly (readonly [string, object, readonly string[]])[] = [
  ['of an output whose secondary URL uses them', { url: `${own}/a.mp4`, secondary_url: 'ftp://h/a.mp4' }, []],
  ['of an output whose watermark uses them', { url: `${own}/a.mp4`, watermark: image }, []],
  [
    'of an output whose thumbnails use them',
    { url: `${own}/a.mp4`, thumbnails: { base_url: 'ftp://h/' } },
    [],
  ],
  [
    'of an output whose URLs all have users',
    { url: `${own}/a.mp4`, secondary_url: `${own}/b.mp4`, thumbnails: { base_url: `${own}/` } },
    ['outputs[0].credentials'],
  ],
];

for (const [what, output, fields] of unused) {
  test(`credentials ${what} are ${fields.length === 0 ? 'no' : 'a'} warning`, async ({ daemon }) => {
    const outputs = [{ ...output, credentials: 'studio' }];
    const { errors, warnings = [] } = await post(daemon, { input: image.url, outputs, mock: true });
    assert.is(errors, undefined, JSON.stringify(errors));
    assert.equal(
      warnings.map(({ field }) => field),
      fields,
    );
  });
}

test('credentials of a job whose input has its own user, and of thumbnails likewise, are warnings', async ({
  daemon,
}) => {
  const { errors, warnings = [] } = await post(daemon, {
    input: 'http://u:p@127.0.0.1:9/a.mp4',
    credentials: 'studio',
    outputs: [{ thumbnails: { base_url: `${own}/`, credentials: 'studio' } }],
    mock: true,
  });
  assert.is(errors, undefined, JSON.stringify(errors));
  assert.equal(
    warnings.map(({ field }) => field),
    ['credentials', 'outputs[0].thumbnails.credentials'],
  );
});

test('credentials of thumbnails without base_url must exist', async ({ daemon }) => {
  const request = (credentials: string) => ({
    input: 'http://127.0.0.1:9/a.mp4',
    outputs: [{ thumbnails: { number: 1, credentials } }],
    mock: true,
  });
  const missing = await post(daemon, request('nobody'));
  assert.equal(missing.errors, [
    'outputs[0].thumbnails.credentials names credentials that this account does not have',
  ]);
  const { errors, warnings = [] } = await post(daemon, request('studio'));
  assert.is(errors, undefined);
  assert.equal(warnings, [
    { field: 'outputs[0].thumbnails.credentials', message: 'has no effect without base_url' },
  ]);
});

// Last: while the daemon runs, files disappear between the list and the read, such as those that it replaces.
test('the secret is in no file of the data folder', async ({ daemon }) => {
  await daemon.stop();
  const paths = filesBelow(daemon.dataFolder);
  assert.ok(paths.some((path) => path.includes('/jobs/done/')));
  for (const path of paths) assert.not.ok(readFileSync(path).includes(secret), path);
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test.run();
