import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selectJobs } from '../../../src/cli/jobs/resolve-jobs.js';
import { createClient } from '../../../src/client/client.js';
import { runInProcess } from '../run-here.js';

/** A service of 25 jobs; `page` sets its answer to a page, from 0. */
async function allOf(page: (ids: readonly number[], number: number) => readonly number[], total?: number) {
  const ids = Array.from({ length: 25 }, (_, index) => 125 - index);
  let requestCount = 0;
  const server = createServer((request, response) => {
    requestCount += 1;
    const number = Number(new URL(request.url ?? '', 'http://h').searchParams.get('page') ?? 1) - 1;
    if (total !== undefined) response.setHeader('X-Total-Count', String(total));
    response.end(
      JSON.stringify(page(ids, number).map((id) => ({ job: { id: String(id), state: 'finished' } }))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const { jobs } = await selectJobs(createClient({ url: `http://127.0.0.1:${port}`, apiKey: 'k' }), {
      all: true,
    });
    return { count: jobs.length, first: jobs[0]?.id, asked: requestCount };
  } finally {
    server.close();
  }
}

test('every page is read, even if the service returns fewer jobs per page than requested', async () => {
  const tens = (ids: readonly number[], number: number) => ids.slice(number * 10, number * 10 + 10);
  assert.equal(await allOf(tens), { count: 25, first: 125, asked: 4 });
  assert.equal(await allOf(tens, 25), { count: 25, first: 125, asked: 3 }, 'a total saves a request');
});

test('a service without pages is asked twice, and its jobs are returned once', async () => {
  assert.equal(await allOf((ids) => ids), { count: 25, first: 125, asked: 2 });
});

test('jobs with unusable ids are listed once, and no command is applied to them', async () => {
  const jobs = [
    '{"state": "processing"}',
    '{"id": 9007199254740993, "state": "processing"}',
    '{"id": 7, "state": "processing"}',
  ];
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${new URL(request.url ?? '', 'http://h').pathname}`);
    if (request.method === 'PUT') response.writeHead(204).end();
    else response.end(`[${jobs.join()}]`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = { VENC_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, VENC_API_KEY: 'k' };
  const listed = await runInProcess(['list', '--all', '--jsonl', '--fields', 'id'], { env });
  const cancelled = await runInProcess(['cancel', '--all', '--yes'], { env });
  server.close();
  assert.is(listed.stdout, '{"id":null}\n{"id":"9007199254740993"}\n{"id":7}\n');
  assert.is(
    cancelled.stderr,
    'venc: warning: 2 more are skipped: their ids are missing or too large\nvenc: job 7 is cancelled\n',
  );
  assert.equal(
    seen.filter((line) => line.startsWith('PUT')),
    ['PUT /v2/jobs/7/cancel.json'],
  );
});

test('one page with all jobs is requested once if it has the total', async () => {
  assert.equal(await allOf((ids) => ids, 25), { count: 25, first: 125, asked: 1 });
});

test.run();
