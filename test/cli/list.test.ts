import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CliResult } from './run-cli.js';
import { runInProcess } from './run-here.js';

interface Context {
  server: Server;
  venc: (words: string) => Promise<CliResult>;
}

const test = suite<Context>('venc list');
const jobCount = 60;

test.before((context) => {
  context.server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const perPage = Math.min(50, Number(searchParams.get('per_page') ?? 50));
    const first = (Number(searchParams.get('page') ?? 1) - 1) * perPage;
    const ids = searchParams.has('state')
      ? []
      : Array.from({ length: jobCount }, (_, index) => jobCount - index);
    response.setHeader('X-Total-Count', ids.length);
    response.end(JSON.stringify(ids.slice(first, first + perPage).map((id) => ({ job: { id } }))));
  });
  return new Promise<void>((resolve) => {
    context.server.listen(0, '127.0.0.1', () => {
      const { port } = context.server.address() as AddressInfo;
      const env = { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
      context.venc = (words) => runInProcess(words.split(' '), { env });
      resolve();
    });
  });
});
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

/** Arguments, lines on stdout, and the message on stderr. */
const cases: readonly (readonly [string, number, string])[] = [
  ['list', 51, 'venc: 50 of 60 jobs; more with --page 2, all with --all\n'],
  ['list --page 2', 11, ''],
  ['list --page 2 --per-page 20', 21, 'venc: 20 of 60 jobs; more with --page 3, all with --all\n'],
  ['list --page 2 --per-page 999', 11, ''],
  ['list --all', 61, ''],
  ['list --fields id', 51, 'venc: 50 of 60 jobs; more with --page 2, all with --all\n'],
  ['list --json', 152, ''],
  ['list --jsonl', 50, ''],
  ['list --page 9', 0, 'venc: page 9 has no jobs, there are 60 in all\n'],
  ['list --page 9 --fields id,state', 0, 'venc: page 9 has no jobs, there are 60 in all\n'],
  ['list --page 9 --json', 1, ''],
  ['list --page 9 --jsonl', 0, ''],
  ['list --state failed', 0, 'venc: no jobs that are failed\n'],
  ['list --state failed --fields id', 0, 'venc: no jobs that are failed\n'],
];

for (const [words, lines, message] of cases) {
  test(`venc ${words} prints its jobs on stdout, and messages on stderr`, async ({ venc }) => {
    const { code, stdout, stderr } = await venc(words);
    assert.equal([code, stderr], [0, message]);
    assert.is(stdout.split('\n').length - 1, lines, stdout);
  });
}

// A service that ignores the parameters answers with all jobs, as this one does.
for (const words of [
  '--search film',
  '--label web',
  '--account studio',
  '--label web --all',
  '--search a --latest',
])
  test(`venc list ${words} fails at a service without a search`, async ({ venc }) => {
    const { code, stdout, stderr } = await venc(`list ${words}`);
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, /^venc: This service cannot search its jobs/);
    assert.match(stderr, /only a venc daemon can do that/);
  });

test.run();
