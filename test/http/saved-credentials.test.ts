import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord, JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { killDaemons } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';

const test = suite<{ daemon: TestDaemon }>('saved credentials');
const secret = 'hunter2-secret';

test.before(async (context) => {
  context.daemon = await startTestDaemon({ allowPrivateNetwork: true });
  const { dataFolder } = context.daemon;
  const added = await runInProcess(
    ['credentials', 'add', 'studio', '--scheme', 'http', '--data', dataFolder],
    { stdin: `me\n${secret}\n` },
  );
  assert.is(added.code, 0, added.stderr);
});
test.after(async ({ daemon }) => {
  await daemon.stop();
  killDaemons();
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
    for (const path of filesBelow(daemon.dataFolder))
      assert.not.ok(readFileSync(path).includes(secret), `${path} contains the secret`);
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
  const { errors } = await post(daemon, { input: 'http://127.0.0.1:9/a.mp4', outputs, mock: true });
  assert.is(errors, undefined);
});

function filesBelow(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      // The scratch folder of a job is removed at its end.
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('/scratch/'))
      .map((entry) => join(entry.parentPath, entry.name))
  );
}

test.run();
