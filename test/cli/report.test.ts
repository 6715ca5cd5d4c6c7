import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CliResult } from './run-cli.js';
import { runInProcess } from './run-here.js';

interface Context {
  server: Server;
  seen: string[];
  venc: (words: string) => Promise<CliResult>;
}

const test = suite<Context>('venc report');

const vod = {
  total: { encoded_minutes: '12.5', billable_minutes: 10 },
  statistics: [
    { grouping: null, collected_on: '2026-03-01', encoded_minutes: 2.5, billable_minutes: 0 },
    { grouping: 'a "b", c', collected_on: '2026-03-01', encoded_minutes: '10', billable_minutes: 10 },
    { collected_on: '2026-03-02' },
  ],
};
const live = {
  total: { stream_hours: 1, total_hours: 1 },
  statistics: [{ grouping: null, collected_on: '2026-03-01', stream_hours: 1, total_hours: 1 }],
};
const answers: Record<string, unknown> = {
  '/v2/reports/vod': vod,
  '/v2/reports/live': live,
  '/v2/reports/all': {
    total: { vod: vod.total, live: live.total },
    statistics: { vod: vod.statistics, live: live.statistics },
  },
};

test.before(async (context) => {
  context.seen = [];
  context.server = createServer((request, response) => {
    context.seen.push(request.url ?? '');
    const path = (request.url ?? '').replace(/\.json|\?.*/g, '');
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answers[path] ?? {}));
  });
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = context.server.address() as AddressInfo;
  const env = { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
  context.venc = (words) => runInProcess(words.split(' '), { env, width: 80 });
});
test.after(({ server }) => void server.close());

test('the report of files is a table of the days with usage, with the totals of the service', async ({
  venc,
}) => {
  const { code, stdout, stderr } = await venc('report vod');
  assert.equal([code, stderr], [0, '']);
  assert.equal(stdout.split('\n'), [
    'Files, in minutes',
    'DAY (UTC)   GROUPING  ENCODED  BILLABLE',
    '2026-03-01               2.50      0.00',
    '2026-03-01  a "b", c    10.00     10.00',
    'total                   12.50     10.00',
    '',
  ]);
});

test('without a kind both are requested, each in its own table', async ({ venc }) => {
  const { stdout } = await venc('report');
  assert.match(stdout, /^Files, in minutes\n[\s\S]*\n\nLive streaming, in hours\nDAY \(UTC\) +STREAM /);
  const titles = /streaming, in hours\n(.*)/.exec(stdout)?.[1]?.trim().split(/ {2,}/) ?? [];
  assert.ok(titles.length > 3, stdout);
  assert.is(new Set(titles).size, titles.length, 'no two columns have the same title');
});

test('a kind without usage has one line instead of a table of zeros', async ({ venc }) => {
  const usual = answers['/v2/reports/all'];
  const day = { grouping: null, encoded_hours: 0, stream_hours: 0, total_hours: 0 };
  const unused = {
    total: { stream_hours: 0, total_hours: 0 },
    statistics: [
      { ...day, collected_on: '2026-03-02' },
      { ...day, collected_on: '2026-03-01' },
    ],
  };
  answers['/v2/reports/all'] = {
    total: { vod: vod.total, live: unused.total },
    statistics: { vod: vod.statistics, live: unused.statistics },
  };
  try {
    const { stdout } = await venc('report');
    assert.match(stdout, /^Files, in minutes\nDAY/);
    assert.ok(stdout.endsWith('\n\nLive streaming: no usage from 2026-03-01 to 2026-03-02.\n'), stdout);
  } finally {
    answers['/v2/reports/all'] = usual;
  }
});

test('days and grouping are sent to the service', async ({ venc, seen }) => {
  await venc('report live --from 2026-03-01 --to 2026-03-02 --grouping trailers');
  assert.match(
    seen.at(-1) ?? '',
    /\/v2\/reports\/live\.json\?from=2026-03-01&to=2026-03-02&grouping=trailers/,
  );
});

test('an empty table says how to include today', async ({ venc }) => {
  answers['/v2/reports/vod'] = { total: { encoded_minutes: 0, billable_minutes: 0 }, statistics: [] };
  try {
    const { code, stderr } = await venc('report vod');
    assert.is(code, 0);
    assert.match(stderr, /^venc: no usage until yesterday; to include today: --to \d{4}-\d\d-\d\d\n$/);
    for (const words of ['report vod --to 2026-03-01', 'report vod --json', 'report vod --csv'])
      assert.is((await venc(words)).stderr, '', words);
  } finally {
    answers['/v2/reports/vod'] = vod;
  }
});

test('CSV has every day, exact numbers and quotes; with both kinds the first column is the kind', async ({
  venc,
}) => {
  assert.equal((await venc('report vod --csv')).stdout.split('\n'), [
    'collected_on,grouping,encoded_minutes,billable_minutes',
    '2026-03-01,,2.5,0',
    '2026-03-01,"a ""b"", c",10,10',
    '2026-03-02,,0,0',
    '',
  ]);
  const lines = (await venc('report all --csv')).stdout.split('\n');
  assert.match(lines[0] ?? '', /^kind,collected_on,grouping,encoded_minutes,billable_minutes,stream_hours,/);
  assert.is(lines[1], 'vod,2026-03-01,,2.5,0,,,,,,');
  assert.is(lines[4], 'live,2026-03-01,,,,1,0,0,0,1,0');
});

test('JSON is the unchanged response, and fields are selected from it', async ({ venc }) => {
  assert.equal(JSON.parse((await venc('report vod --json')).stdout), vod);
  assert.equal(JSON.parse((await venc('report vod --json --fields total')).stdout), { total: vod.total });
});

const wrong: readonly (readonly [string, RegExp])[] = [
  ['report vodd', /did you mean vod\?/],
  ['report --from soon', /--from takes a day such as 2026-03-01, not "soon"/],
  ['report --to 2026-02-30', /--to takes a day/],
  ['report --from 2026-03-02 --to 2026-03-01', /is after --to/],
  ['report --csv --json', /cannot be used with/],
  ['report --grouping=', /--grouping takes <name>/],
  ['report --fields totl', /did you mean total\?/],
];

test('an invalid value exits with 2', async ({ venc }) => {
  for (const [words, expectedText] of wrong) {
    const { code, stdout, stderr } = await venc(words);
    assert.equal([code, stdout], [2, ''], words);
    assert.match(stderr, expectedText);
  }
});

test.run();
