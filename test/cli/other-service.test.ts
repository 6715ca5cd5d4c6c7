import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { runInProcess } from './run-here.js';

const test = suite<{ service: FakeService; env: Record<string, string> }>(
  'a service that implements only the document',
);
const folder = tempFolder();
const film = join(folder, 'film.mov');
const request = join(folder, 'request.json');
const other = ['show', 'input', 'output', 'progress', 'cancel', 'resubmit', 'download'];

test.before(async (context) => {
  writeFileSync(film, 'no film');
  writeFileSync(request, '{"input": "s3://bucket/a.mov", "outputs": {"label": "x"}}');
  context.service = await startFakeService({ acceptsCommands: true });
  context.service.states(1002, ['failed']);
  context.service.states(1003, ['processing']);
  context.env = { VENC_URL: context.service.url, VENC_API_KEY: context.service.key };
});
test.after(({ service }) => service.close());

/** Arguments in order, because some change the service; the exit code; expected text of stdout and stderr together. */
const cases: readonly (readonly [words: string, code: number, says: RegExp])[] = [
  ['list', 0, /1003 +processing .* 0\/1 +5\.1s +863 kB +s3:\/\/bucket\/1003\.mov +1003\.mp4\n/],
  ['list --latest', 0, /^ *ID[^\n]*\n1003 [^\n]*\n$/],
  ['list --state failed,processing', 0, /^ *ID[^\n]*\n1003 +processing[^\n]*\n1002 +failed[^\n]*\n$/],
  ['show @last --json --fields id', 0, /"1003"/],
  ['show -2 --json --fields id', 0, /"1002"/],
  ['show -9', 5, /-9 names no job: there are only 3 jobs\./],
  ['show 11001', 5, /11001 is not a job: it is the input 11001 of job 1001\.\nvenc: hint: venc show 1001 /],
  ['show 21002', 5, /21002 is not a job: it is the output 21002 of job 1002\./],
  ['list --all', 0, /1001 +finished/],
  ['list --page 2', 0, /no jobs/],
  ['list --state failed', 0, /^ *ID.*\n1002 +failed[^\n]*\n$/],
  [
    'list --jsonl --fields id,input_media_file.width',
    0,
    /^\{"id":"1003","input_media_file":\{"width":"640"\}\}\n/,
  ],
  [
    'show 1001',
    0,
    /^job 1001 {2}finished\n {2}submitted {2}2026-01-02 03:04:05 UTC\n\ninput 11001 {2}finished\n/,
  ],
  ['show 1002', 0, /error +FileNotFoundError: .*\n +advice +Correct the URL/],
  [
    'input 11001',
    0,
    /job +1001\n.*\n.*MPEG-4, 5\.1s, 863 kB\n +video +H\.264, 640x360, 25 fps\n +audio +2 channels\n$/,
  ],
  ['output 21001 --fields width,label', 0, /^FIELD +VALUE\nwidth +640\nlabel\n$/],
  ['progress 1003', 0, /^job 1003: processing 41\.5%\n {2}input 11003: processing 41\.5%, transcoding\n/],
  ['progress 11003 --input', 0, /^processing 41\.5%, transcoding\n$/],
  ['progress 21003 --output --json', 0, /"progress": "41\.5"/],
  ['submit https://example.com/a.mov', 0, /^1001\n$/],
  ['submit https://example.com/a.mov --priority 5 --requires gpu', 0, /^1001\n$/],
  [`submit ${request}`, 0, /^1001\n$/],
  ['submit https://example.com/a.mov --json', 0, /"id": "1001"/],
  ['submit https://example.com/a.mov --idempotency-key k', 0, /^1001\n$/],
  [`submit ${film}`, 2, /This service does not support uploads\.\nvenc: hint: /],
  ['submit https://example.com/reject-me.mov', 2, /422 \(Unprocessable Entity\) for the new job\.\n/],
  [
    `submit https://example.com/a.mov --wait --progress none --download ${folder}`,
    0,
    /^1001\n.*1001\.mp4\n$/,
  ],
  ['wait 1001', 0, /^$/],
  ['wait 1001 1002', 1, /job 1002 failed\nvenc: {3}input 11002: FileNotFoundError/],
  ['watch 1001 1002', 1, /job 1001: finished\n/],
  [`download 1001 --force --progress none -o ${folder}`, 0, /1001\.mp4\n$/],
  ['download 1002', 5, /Job 1002 has no file/],
  ['download 1003', 6, /Job 1003 has not ended: it is processing/],
  [
    'cancel 1001',
    6,
    /Job 1001 cannot be cancelled: only a job that is waiting or processing can be \(409\)\.\n/,
  ],
  ['cancel 1003', 0, /job 1003 is cancelled/],
  ['resubmit 1003', 0, /job 1003 is resubmitted/],
  ['cancel --all --yes', 0, /^venc: job 1003 is cancelled\n$/],
  ['resubmit 1002', 6, /Job 1002 was resubmitted as often as the service allows \(403\)\.\n/],
  ['resubmit 1001', 6, /Job 1001 is finished: only a job that did not finish can be resubmitted \(409\)\.\n/],
  ['report', 0, /2026-01-02 +12\.50 +11\.00\ntotal +12\.50 +11\.00\n\nLive/],
  ['report live', 0, /^Live streaming: no usage/],
  [
    'report vod --csv',
    0,
    /^collected_on,grouping,encoded_minutes,billable_minutes\r?\n2026-01-02,,12\.5,11\r?\n$/,
  ],
  ['show 999', 5, /There is no job 999 here\./],
  ['show 3000000000', 5, /There is no job 3000000000 here\./],
  ['show 9007199254740993', 2, /not an id/],
];

for (const [words, code, expectedText] of cases) {
  test(`venc ${words.replaceAll(folder, 'FOLDER')} exits with ${code} there`, async ({ env }) => {
    const result = await runInProcess(words.split(' '), { env });
    const text = `${result.stdout}${result.stderr}`;
    assert.is(result.code, code, text);
    assert.match(text, expectedText);
    assert.not(/undefined|NaN|\[object|\bnull\b|<html|Infinity|key-of-the-fake/.test(text), text);
  });
}

test('the downloaded file equals the file at the other host', ({ service }) => {
  assert.is(readFileSync(join(folder, '1001.mp4'), 'utf8'), service.kept);
});

test('every request had its key in the header, and none in the query', ({ service }) => {
  for (const { path, query, key } of service.seen) {
    assert.is(key, path === '/version' ? undefined : service.key, path);
    assert.is(query.get('api_key'), null, path);
  }
});

for (const unknownStatus of [200, 302, 403, 500]) {
  test(`commands work without the extensions of our daemon if such addresses are answered with ${unknownStatus}`, async () => {
    const service = await startFakeService({ unknownStatus });
    const env = { VENC_URL: service.url, VENC_API_KEY: service.key };
    service.states(1002, ['processing', 'processing', 'failed']);
    const waited = await runInProcess(['wait', '1002'], { env });
    const shown = await runInProcess(['progress', '1003', '--json'], { env });
    const report = await runInProcess(['report', 'vod', '--json', '--fields', 'total'], { env });
    await service.close();
    assert.equal(
      [waited.code, shown.code, report.code],
      [1, 0, 0],
      waited.stderr + shown.stderr + report.stderr,
    );
    assert.match(waited.stderr, 'job 1002 failed');
  });
}

test('a create with an idempotency key is sent once to a service that may not support keys, and the error says so', async ({
  service,
  env,
}) => {
  service.failNext(502, 1);
  const before = service.seen.length;
  const result = await runInProcess(['submit', 'http://h/a', '--idempotency-key', 'k'], { env });
  const posts = service.seen.slice(before).filter(({ method }) => method === 'POST');
  assert.equal([result.code, posts.length], [3, 1]);
  assert.match(
    result.stderr,
    /check with venc list .*; it was sent once, because this service is not known to support/,
  );
});

test('a service with errors is reported by every command, with exit code 3', async ({ service, env }) => {
  for (const name of [...other, 'list', 'report', 'wait', 'watch', 'submit']) {
    service.failNext(502, 9);
    const words = name === 'submit' ? ['http://h/a'] : name === 'list' || name === 'report' ? [] : ['1001'];
    const result = await runInProcess([name, ...words], { env });
    assert.is(result.code, 3, `${name}: ${result.stderr}`);
    assert.match(result.stderr, /The service answered 502 \(Bad Gateway\)/);
    assert.not(/<html|daemon|\/health/.test(result.stderr), result.stderr);
  }
  service.failNext(0, 0);
});

test.run();
