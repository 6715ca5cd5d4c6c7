import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobFilter } from '../../daemon/store/job-store.js';
import type { JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { readXmlAnswer } from '../helpers/read-xml.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  served: ServedContext;
  strangerKey: string;
  venc: (words: readonly string[], key?: string) => ReturnType<typeof runInProcess>;
  /** The ids of the jobs: three of the owner, of which two have the label web, and one of the account studio. */
  ids: readonly number[];
}

const test = suite<Context>('search of jobs');

test.before(async (context) => {
  const served = await serveContext();
  const { key: strangerKey } = await createAccount(openFolderSetup(served.dataFolder), 'studio');
  const venc: Context['venc'] = (words, apiKey = served.key) =>
    runInProcess(words, { env: { VENC_URL: served.url, VENC_API_KEY: apiKey } });
  const create = async (name: string, label: string, key: string) => {
    const input = `https://me:hidden@media.example/${name}?token=hidden`;
    const response = await served.request('/v2/jobs', {
      method: 'POST',
      headers: { 'Service-Api-Key': key },
      body: JSON.stringify({ input, outputs: [{ label }] }),
    });
    assert.is(response.status, 201, await response.clone().text());
    return Number(((await response.json()) as { id: string }).id);
  };
  const ids = [
    await create('Alps.mov', 'web', served.key),
    await create('coast.mov', 'web', served.key),
    await create('coast-2.mov', 'phone', served.key),
    await create('coast.mov', 'web', strangerKey),
  ];
  Object.assign(context, { served, strangerKey, venc, ids });
});
test.after(({ served }) => served.close());

/** A list as the test sees it: its status, ids, headers and, of an error, its messages. */
async function list({ request, key }: ServedContext, query: string, as = key) {
  const response = await request(`/v2/jobs?${query}`, { headers: { 'Service-Api-Key': as } });
  const body = (await response.json()) as { job: JobRecord }[] & { errors?: readonly string[] };
  const jobs = response.ok ? body.map(({ job }) => job) : [];
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    ids: jobs.map(({ id }) => id),
    accounts: jobs.map(({ account }) => account),
    errors: body.errors ?? [],
    total: header('x-total-count'),
    search: header('venc-search'),
    link: header('link') ?? '',
    retryAfter: header('retry-after'),
  };
}

test('a list without a search says nothing of one', async ({ served, ids }) => {
  for (const query of ['', 'q=&label=&account=', 'state=waiting']) {
    const found = await list(served, query);
    assert.equal([found.ids, found.search], [[ids[2], ids[1], ids[0]], null]);
    assert.equal(found.accounts, [undefined, undefined, undefined]);
  }
});

test('text, label and state combine, and all pages keep them', async ({ served, ids }) => {
  const first = await list(served, 'q=COAST&state=waiting&per_page=1&api_key=ignored');
  assert.equal([first.ids, first.total, first.search], [[ids[2]], '2', 'complete; scanned=3']);
  assert.match(first.link, /[?]q=COAST&state=waiting&per_page=1&page=2>; rel="next"/);
  assert.not.match(first.link, /api_key/);
  const second = await list(served, 'q=COAST&state=waiting&per_page=1&page=2');
  assert.equal([second.ids, second.total], [[ids[1]], '2']);
  assert.equal((await list(served, 'label=web')).ids, [ids[1], ids[0]]);
  assert.equal((await list(served, 'label=web&q=coast')).ids, [ids[1]]);
  assert.equal((await list(served, 'label=WEB')).ids, []);
  assert.equal((await list(served, 'label=web&state=failed')).ids, []);
  assert.equal((await list(served, `q=${ids[2]}`)).ids, [ids[2]]);
});

test('a search finds no job by a secret', async ({ served }) => {
  assert.is((await list(served, 'q=media.example')).total, '3');
  assert.is((await list(served, 'q=hidden')).total, '0');
});

test('an account finds none of the jobs of others', async ({ served, strangerKey, ids }) => {
  const found = await list(served, 'q=coast', strangerKey);
  assert.equal([found.ids, found.total, found.search], [[ids[3]], '1', 'complete; scanned=1']);
});

test('the owner lists the jobs of an account, and of all', async ({ served, ids }) => {
  const studio = await list(served, 'account=studio');
  assert.equal([studio.ids, studio.accounts, studio.total], [[ids[3]], ['studio'], '1']);
  assert.is(studio.search, 'complete');
  const all = await list(served, 'account=*&q=coast.mov');
  assert.equal(
    [all.ids, all.accounts],
    [
      [ids[3], ids[1]],
      ['studio', 'default'],
    ],
  );
  assert.match(all.link, /account=\*/);
  assert.equal((await list(served, 'account=default&label=phone')).accounts, ['default']);
  const xml = await (await served.request('/v2/jobs.xml?account=studio')).text();
  const [first] = readXmlAnswer(xml) as readonly { readonly job: JobRecord }[];
  assert.is(first?.job.account, 'studio');
});

test('other keys may not name an account', async ({ served, strangerKey }) => {
  const setup = openFolderSetup(served.dataFolder);
  const { key: reader } = await createKey(setup, 'default', 'read-only');
  const { key: viewer } = await createKey(setup, 'default', 'viewer');
  await served.appContext.accounts.refresh();
  assert.is((await list(served, 'account=studio', viewer)).total, '1');
  for (const account of ['*', 'default', 'studio', 'nobody']) {
    const found = await list(served, `account=${account}`, strangerKey);
    assert.is(found.status, 403);
    assert.match(found.errors.join(), /only keys of the account default, the owner of the daemon/);
    assert.is((await list(served, `account=${account}`, reader)).status, 403);
  }
});

test('invalid parameters are named', async ({ served }) => {
  const { status, errors } = await list(served, `q=${'a'.repeat(201)}&account=nobody&page=0`);
  assert.is(status, 422);
  assert.equal(errors, [
    'page must be a positive whole number',
    'q must have at most 200 characters',
    'account must be the name of an account, or * for all; there is none with this name',
  ]);
  assert.is((await list(served, `q=${'a'.repeat(200)}`)).status, 200);
});

test('a search that reaches a limit says so', async ({ served, venc }) => {
  const { store } = served.appContext;
  const original = store.list;
  store.list = (filter: JobFilter) =>
    original.call(store, {
      ...filter,
      ...(filter.search === undefined ? {} : { search: { ...filter.search, maxJobs: 2 } }),
    });
  try {
    const found = await list(served, 'q=mov');
    assert.equal([found.total, found.search], ['2', 'partial; scanned=2']);
    const { stdout, stderr } = await venc(['list', '--search', 'mov', '--json', '--fields', 'id']);
    assert.is(JSON.parse(stdout).length, 2);
    assert.is(stderr, 'venc: the search read the newest 2 jobs; there are older ones\n');
  } finally {
    store.list = original;
  }
});

test('a key searches once at a time, and one search waits', async ({ served, strangerKey }) => {
  const { store, searchTurns } = served.appContext;
  const original = store.list;
  const run = searchTurns.run.bind(searchTurns);
  let searches = 0;
  /** The searches that run or wait. */
  let open = 0;
  searchTurns.run = (client, signal, task) => {
    open += 1;
    return run(client, signal, task).finally(() => {
      open -= 1;
    });
  };
  const releases: (() => void)[] = [];
  store.list = async (filter: JobFilter) => {
    searches += 1;
    if (filter.search !== undefined) await new Promise<void>((resolve) => releases.push(resolve));
    return original.call(store, filter);
  };
  try {
    const first = list(served, 'q=a');
    await waitUntil('the first one runs', () => searches === 1);
    const left = new AbortController();
    const second = served.request('/v2/jobs?q=b', { signal: left.signal }).catch(() => null);
    await waitUntil('the second one waits', () => open === 2);
    const third = await list(served, 'q=c');
    assert.equal([third.status, third.retryAfter], [429, '1']);
    assert.is((await list(served, 'label=c&account=*')).status, 429);
    assert.is((await list(served, 'state=waiting')).status, 200);
    const other = list(served, 'q=coast', strangerKey);
    await waitUntil('that of the other key runs', () => searches === 3);
    // A client that leaves makes room for another one.
    left.abort();
    assert.is(await second, null);
    await waitUntil('the daemon knows that it has left', () => open === 2);
    const fourth = list(served, 'q=alps');
    await waitUntil('the fourth one waits', () => open === 3);
    assert.is(searches, 3);
    for (const release of releases) release();
    assert.equal([(await first).status, (await other).total], [200, '1']);
    await waitUntil('the fourth one runs', () => searches === 4);
    releases.at(-1)?.();
    assert.is((await fourth).total, '1');
  } finally {
    store.list = original;
    searchTurns.run = run;
  }
});

test('venc list searches, and shows the account of each job', async ({ venc, strangerKey, ids }) => {
  const found = await venc(['list', '--search', 'ALPS', '--label', 'web', '--fields', 'id']);
  assert.equal([found.code, found.stdout], [0, `ID\n${ids[0]}\n`]);
  const all = await venc(['list', '--account', '*', '--search', 'coast.mov']);
  assert.match(all.stdout, /ACCOUNT/);
  assert.match(all.stdout, new RegExp(`${ids[3]} .*studio`));
  const several = await venc(['list', '--label', 'web', '--state', 'waiting,failed', '--fields', 'id']);
  assert.is(several.stdout, `ID\n${ids[1]}\n${ids[0]}\n`);
  const latest = await venc(['list', '--label', 'web', '--latest', '--fields', 'id']);
  assert.is(latest.stdout, `ID\n${ids[1]}\n`);
  const none = await venc(['list', '--search', 'nothing of the kind']);
  assert.equal([none.code, none.stdout, none.stderr], [0, '', 'venc: no matching jobs\n']);
  const denied = await venc(['list', '--account', 'default'], strangerKey);
  assert.is(denied.code, 4);
  assert.match(denied.stderr, /only keys of the account default/);
});

test.run();
