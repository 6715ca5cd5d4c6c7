import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningS3rver, s3rverKeys, startS3rver } from '../../helpers/servers/s3rver.js';
import { tempFolder } from '../../helpers/temp.js';
import type { CliResult } from '../run-cli.js';
import { runInProcess } from '../run-here.js';

interface Context {
  server: Server;
  storage: RunningS3rver;
  film: string;
  /** The responses to creates: a status, or `cut` for a broken connection. */
  answer: number | 'cut';
  body: string;
  venc: (...words: readonly string[]) => Promise<CliResult>;
  staged: () => readonly string[];
}

const test = suite<Context>('venc submit when a staged file does not become a job');

test.before(async (context) => {
  context.storage = await startS3rver(['stage']);
  context.film = join(tempFolder(), 'my film.mov');
  writeFileSync(context.film, 'a film');
  context.server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('Content-Type', 'application/json');
      if (request.method === 'PUT') return response.writeHead(201).end('{"url": "upload://t/film"}');
      if (context.answer === 'cut') return response.destroy();
      return response.writeHead(context.answer).end(context.body);
    });
  });
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = context.server.address() as AddressInfo;
  const env = {
    VENC_URL: `http://127.0.0.1:${port}`,
    VENC_API_KEY: 'k',
    AWS_ENDPOINT_URL_S3: context.storage.endpoint,
    AWS_ACCESS_KEY_ID: s3rverKeys.id,
    AWS_SECRET_ACCESS_KEY: s3rverKeys.secret,
  };
  context.venc = (...words) =>
    runInProcess(['submit', context.film, ...words, '--progress', 'none'], { env });
  context.staged = () =>
    readdirSync(join(context.storage.folder, 'stage'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('_object'),
    );
});
test.after(async ({ server, storage }) => {
  server.close();
  await storage.close();
});
test.before.each((context) => {
  context.body = '{"errors": ["not so"]}';
});

for (const [status, code] of [
  [422, 2],
  [401, 4],
  [429, 3],
] as const) {
  test(`staged files are removed when the service answers ${status}`, async (context) => {
    context.answer = status;
    const result = await context.venc('--stage', 's3://stage/in');
    assert.equal([result.code, result.stdout], [code, '']);
    assert.match(result.stderr, /^venc: not so\n/);
    assert.equal(context.staged(), []);
  });
}

test('files that were staged for a mock are removed, because nothing will fetch them', async (context) => {
  context.answer = 201;
  context.body = '{"id": null}';
  const result = await context.venc('--stage', 's3://stage/in', '--mock');
  assert.equal([result.code, result.stdout], [0, ''], result.stderr);
  assert.equal(context.staged(), []);
});

test('staged files are kept and reported if a job may have been created', async (context) => {
  context.answer = 'cut';
  const result = await context.venc('--stage', 's3://stage/in');
  assert.is(result.code, 3);
  assert.match(result.stderr, /^venc: s3:\/\/stage\/in\/\S+my%20film\.mov is kept, because the service may/);
  assert.is(context.staged().length, 1);
});

test('an upload to the service is printed, so that it need not be repeated', async (context) => {
  context.answer = 422;
  const { code, stderr } = await context.venc();
  assert.is(code, 2);
  assert.match(stderr, /^venc: my film\.mov stays at the service for 24 hours, as upload:\/\/t\/film\n/);
});

test('a staging server that cannot be reached is an error of the command, and no job failed', async (context) => {
  const { code, stderr } = await context.venc('--stage', 'ftp://u:pw@127.0.0.1:1/');
  assert.is(code, 3, stderr);
  assert.match(
    stderr,
    /^venc: my film\.mov could not be uploaded \(--stage\): 127\.0\.0\.1:1 refused the connection\.\n/,
  );
  assert.match(stderr, /\nvenc: hint: nothing was submitted; check the host and port in --stage\n$/);
  assert.not.match(stderr, 'pw');
});

test.run();
