import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type KeyedService, startKeyedService } from '../helpers/servers/keyed-service.js';
import { tempFolder } from '../helpers/temp.js';
import { runCli } from './run-cli.js';
import { runInProcess } from './run-here.js';

const test = suite<{ services: KeyedService[]; start: (keyIn: 'header' | 'query') => Promise<KeyedService> }>(
  'header or query for the API key',
);

test.before.each((context) => {
  context.services = [];
  context.start = async (keyIn) => {
    const service = await startKeyedService(keyIn);
    context.services.push(service);
    return service;
  };
});
test.after.each(async ({ services }) => {
  for (const service of services) await service.close();
});

/** Runs one of the commands. A download goes to the current folder, which only a process of its own can have to itself. */
const run = (words: string, env: Record<string, string>) =>
  words.startsWith('download')
    ? runCli(words.split(' '), { env, cwd: tempFolder() })
    : runInProcess(words.split(' '), { env });

const envOf = ({ url, key }: KeyedService) => ({ VENC_URL: url, VENC_API_KEY: key });
const isInQuery = ({ target }: { readonly target: string }): boolean => target.includes('api_key');
const linesOf = ({ log }: KeyedService) => log.map((one) => `${one.method} ${one.target.split('?')[0]}`);

/** One command of each kind: lists, details, progress, the event stream, changes, reports and a download. */
const commands = [
  'list',
  'show 1001',
  'output 21001',
  'progress 21001 --output',
  'watch 1001 --progress plain',
  'wait 1001',
  'cancel 1001',
  'resubmit 1001',
  'report vod',
  'download 1001 --progress none',
  'submit https://example.com/film.mov',
];

test('a service that accepts the key in the header never receives it in a query', async ({ start }) => {
  const service = await start('header');
  for (const words of commands) {
    const { code, stderr } = await run(words, envOf(service));
    assert.is(code, 0, `${words}: ${stderr}`);
  }
  assert.ok(linesOf(service).includes('GET /v2/jobs/1001/events'), linesOf(service).join('\n'));
  assert.ok(linesOf(service).includes('PUT /v2/jobs/1001/cancel.json'));
  assert.equal(service.log.filter(isInQuery), []);
});

test('a service that accepts it only in the query gets it there after a 401, once per command; never for a create', async ({
  start,
}) => {
  const service = await start('query');
  for (const words of commands) {
    const isCreate = words.startsWith('submit');
    service.log.length = 0;
    const { code, stderr } = await run(words, envOf(service));
    assert.is(code, isCreate ? 4 : 0, `${words}: ${stderr}`);
    const requests = service.log.filter(({ target }) => !target.startsWith('/kept/'));
    const areInQuery = requests.map(isInQuery);
    assert.equal(areInQuery, isCreate ? [false] : [false, ...areInQuery.slice(1).map(() => true)], words);
  }
});

test('-v prints requests without the key', async ({ start }) => {
  const service = await start('query');
  const { stderr } = await run('list -v', envOf(service));
  assert.match(stderr, /^venc: GET \S+\/v2\/jobs\.json \(status 401 after \d+ ms\)$/m);
  assert.match(stderr, /^venc: GET \S+\/v2\/jobs\.json\?api_key=\*\*\* \(status 200 after \d+ ms\)$/m);
  assert.not.ok(stderr.includes(service.key), stderr);
});

test('no key is sent to the address of a file', async ({ start }) => {
  for (const keyIn of ['header', 'query'] as const) {
    const service = await start(keyIn);
    const env = envOf(service);
    await run('download 1001 --progress none', env);
    const fileRequests = service.log.filter(({ target }) => target.startsWith('/kept/'));
    assert.is(fileRequests.length, 1);
    assert.equal([fileRequests.map(isInQuery), fileRequests[0]?.headerKey], [[false], null]);
  }
});

test('a target stores that its service needs the key in the query, until it is added again', async ({
  start,
}) => {
  const service = await start('query');
  const env = { XDG_CONFIG_HOME: tempFolder() };
  const add = (...words: string[]) =>
    runInProcess(['target', 'add', 'studio', service.url, ...words], { env, stdin: service.key });
  const buildCompletionContexts = async (words: string) => {
    service.log.length = 0;
    const { code, stderr } = await runInProcess([...words.split(' '), '--target', 'studio'], { env });
    assert.is(code, 0, stderr);
    return service.log.map(isInQuery);
  };
  assert.is((await add()).code, 0);
  assert.equal(await buildCompletionContexts('list'), [false, true]);
  assert.equal(await buildCompletionContexts('list'), [true]);
  assert.equal(await buildCompletionContexts('cancel 1001'), [true]);
  await add('--force');
  assert.equal(await buildCompletionContexts('show 1001'), [false, true]);
  const listed = await runInProcess(['target', 'list', '--json'], { env });
  assert.not.match(listed.stdout, service.key);
});

test('a key that is invalid in both places is reported as such, and nothing is stored', async ({ start }) => {
  const service = await start('query');
  const env = { XDG_CONFIG_HOME: tempFolder() };
  await runInProcess(['target', 'add', 'studio', service.url], { env, stdin: 'another-key' });
  for (const _ of [1, 2]) {
    service.log.length = 0;
    const { code, stderr } = await runInProcess(['list', '--target', 'studio'], { env });
    assert.is(code, 4, stderr);
    assert.equal(service.log.map(isInQuery), [false, true]);
    assert.not.match(stderr, 'another-key');
  }
});

test('the daemon of this machine never gets a key in the query, not even a wrong one', async ({ start }) => {
  const service = await start('query');
  const data = join(tempFolder(), 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'daemon.json'), JSON.stringify({ url: service.url }));
  writeFileSync(join(data, 'owner-key'), service.key);
  for (const words of ['list', 'cancel 1001', 'watch 1001 --progress plain']) {
    const { code } = await runInProcess(words.split(' '), { env: { VENC_DATA: data } });
    assert.is(code, 4, words);
  }
  assert.ok(service.log.length >= 3);
  assert.equal(service.log.filter(isInQuery), []);
});

test.run();
