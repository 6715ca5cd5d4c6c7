import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selectJobs } from '../../src/cli/select-jobs.js';
import { createClient } from '../../src/client/client.js';

/** A service of 25 jobs; what it makes of a page is told by `page`, from 0. */
async function allOf(page: (ids: readonly number[], number: number) => readonly number[], total?: number) {
  const ids = Array.from({ length: 25 }, (_, index) => 125 - index);
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
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
    return { count: jobs.length, first: jobs[0]?.id, asked };
  } finally {
    server.close();
  }
}

test('every page of a service that gives fewer jobs than it is asked for is read', async () => {
  const tens = (ids: readonly number[], number: number) => ids.slice(number * 10, number * 10 + 10);
  assert.equal(await allOf(tens), { count: 25, first: 125, asked: 4 });
  assert.equal(await allOf(tens, 25), { count: 25, first: 125, asked: 3 }, 'a total saves a question');
});

test('a service that knows no pages is asked twice, and its jobs are given once', async () => {
  assert.equal(await allOf((ids) => ids), { count: 25, first: 125, asked: 2 });
});

test('one page that holds all is asked for once where the total is told', async () => {
  assert.equal(await allOf((ids) => ids, 25), { count: 25, first: 125, asked: 1 });
});

test.run();
