import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { media } from '../helpers/media.js';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { type CliResult, runCli } from './run-cli.js';
import { completionsOf, runInProcess } from './run-here.js';

interface Context {
  service: FakeService;
  home: string;
  /** Runs a command with the service and its own configuration folder. */
  venc: (words: readonly string[], stdin?: string) => Promise<CliResult>;
}

const test = suite<Context>('venc preset');

test.before(async (context) => {
  context.service = await startFakeService();
});
test.after(({ service }) => service.close());
test.before.each((context) => {
  const { service } = context;
  context.home = tempFolder();
  service.seen.length = 0;
  const env = { XDG_CONFIG_HOME: context.home, VENC_URL: service.url, VENC_API_KEY: service.key };
  context.venc = (words, stdin) => runInProcess(words, { env, ...(stdin === undefined ? {} : { stdin }) });
});

const film = 'https://example.com/film.mov';

/** The bodies of the creates that the service received. */
function created({ seen }: FakeService): readonly unknown[] {
  return seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
}

test('a preset is a request file that only its owner can read; it can be listed, shown and removed', async ({
  home,
  venc,
}) => {
  const saved = await venc(['preset', 'save', 'web.v2', '--codec', 'vp9', '--height', '720', '--test']);
  assert.equal([saved.code, saved.stdout], [0, ''], saved.stderr);
  const path = join(home, 'venc', 'presets', 'web.v2.json');
  const request = { test: 1, outputs: [{ video_codec: 'vp9', height: 720 }] };
  assert.equal(JSON.parse(readFileSync(path, 'utf8')), request);
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.equal(readdirSync(join(home, 'venc', 'presets')), ['web.v2.json']);
  const shown = await venc(['preset', 'show', 'web.v2']);
  assert.equal(JSON.parse(shown.stdout), request);
  const listed = await venc(['preset', 'list', '--json']);
  assert.equal(JSON.parse(listed.stdout), [
    { name: 'web.v2', source: 'own', summary: null, settings: request },
    ...JSON.parse(listed.stdout).slice(1),
  ]);
  assert.match(listed.stdout, /"source": "shipped"/);
  const table = await venc(['preset', 'list']);
  assert.match(table.stdout, /NAME +SOURCE +SETTINGS\n.*web\.v2 +own +test=1 video_codec=vp9 height=720/);
  assert.is((await venc(['preset', 'remove', 'web.v2'])).code, 0);
  assert.not.match((await venc(['preset', 'list'])).stdout, 'web.v2');
});

test('a preset is replaced only with --force, and may start from another one', async ({ venc }) => {
  await venc(['preset', 'save', 'web', '--height', '720', '--quality', '4']);
  const again = await venc(['preset', 'save', 'web', '--height', '480']);
  assert.is(again.code, 2);
  assert.match(again.stderr, 'There is already a preset web.\n');
  assert.match(again.stderr, '--force');
  const forced = await venc(['preset', 'save', 'web', '--preset', 'web', '--height', '480', '--force']);
  assert.is(forced.code, 0, forced.stderr);
  const { stdout } = await venc(['preset', 'show', 'web']);
  assert.equal(JSON.parse(stdout), { outputs: [{ quality: 4, height: 480 }] });
});

test('every invalid value is named by its flag at once, and nothing is saved', async ({ home, venc }) => {
  const words = ['--width', '-5', '--quality', '9', '--output', 'heigth=3', '--start-clip', 'x'];
  const { code, stderr } = await venc(['preset', 'save', 'web', ...words]);
  assert.is(code, 2);
  for (const name of ['--width ', '--quality ', '--output has no setting heigth', '--start-clip '])
    assert.ok(stderr.includes(name), `${name} in ${stderr}`);
  assert.equal(readdirSync(home), []);
  const empty = await venc(['preset', 'save', 'web']);
  assert.equal([empty.code, /There are no settings to save/.test(empty.stderr)], [2, true], empty.stderr);
  for (const name of ['../web', '.web', 'a b', 'a/b', 'x'.repeat(65)]) {
    const named = await venc(['preset', 'save', name, '--width', '640']);
    assert.equal([named.code, /The name of a preset has/.test(named.stderr)], [2, true], named.stderr);
  }
});

test('an unknown preset is an error with the known ones, before any create', async ({ service, venc }) => {
  const none = await venc(['submit', film, '--preset', 'wbe']);
  assert.equal([none.code, /did you mean web\? the presets are web, phone/.test(none.stderr)], [2, true]);
  await venc(['preset', 'save', 'web', '--width', '640']);
  await venc(['preset', 'save', 'tv', '--width', '1920']);
  const clip = await media('clip.mp4');
  for (const words of [
    ['submit', film, '--preset', 'wbe'],
    ['run', clip, '--preset', 'wbe'],
    ['plan', clip, '--preset', 'wbe'],
    ['preset', 'show', 'wbe'],
    ['preset', 'remove', 'wbe'],
  ]) {
    const { code, stderr } = await venc(words);
    assert.is(code, 2, words.join(' '));
    assert.match(stderr, 'There is no preset "wbe".');
    assert.match(stderr, 'did you mean web? the presets are tv, web');
  }
  // Only submit asks the service, which has no presets.
  for (const { method, path } of service.seen) assert.match(`${method} ${path}`, /^GET \/v2\/presets/);
});

test('a request file overrides the preset, a flag both, and --output overrides a flag', async ({
  service,
  home,
  venc,
}) => {
  const settings = ['--width', '640', '--quality', '3', '--speed', '2', '--test', '--grouping', 'a'];
  await venc(['preset', 'save', 'web', ...settings]);
  const outputs = [{ quality: 4, speed: 4, label: 'a' }, { label: 'b' }];
  writeFileSync(join(home, 'r.json'), JSON.stringify({ input: film, grouping: 'b', outputs }));
  const submit = ['submit', join(home, 'r.json'), '--preset', 'web', '--speed', '5', '--output', 'label=c'];
  assert.is((await venc(submit)).code, 0);
  const url = await venc(['submit', film, '--preset', 'web', '--size', '320x240', '--no-test']);
  assert.is(url.code, 0, url.stderr);
  const lines = await venc(['submit', '-', '--ndjson', '--preset', 'web'], `{"input": "${film}"}\n`);
  assert.is(lines.code, 0, lines.stderr);
  assert.equal(created(service), [
    {
      test: 1,
      input: film,
      grouping: 'b',
      outputs: [
        { width: 640, quality: 4, label: 'c', speed: 5 },
        { width: 640, quality: 3, label: 'b', speed: 5 },
      ],
    },
    { grouping: 'a', input: film, test: 0, outputs: [{ quality: 3, speed: 2, size: '320x240' }] },
    { test: 1, grouping: 'a', input: film, outputs: [{ width: 640, quality: 3, speed: 2 }] },
  ]);
});

test('the only output of a preset applies to every output; several apply to their positions', async ({
  service,
  venc,
}) => {
  await venc(['preset', 'save', 'one', '--quality', '4']);
  await venc(['preset', 'save', 'two', '--output', 'label=a,width=640', '--output', 'label=b,width=320']);
  await venc(['submit', film, '--preset', 'one', '--output', 'width=640', '--output', 'width=320']);
  await venc(['submit', film, '--preset', 'two', '--output', 'width=800', '--quality', '2']);
  assert.equal(
    created(service).map((body) => Object(body).outputs),
    [
      [
        { quality: 4, width: 640 },
        { quality: 4, width: 320 },
      ],
      [
        { label: 'a', quality: 2, width: 800 },
        { label: 'b', width: 320, quality: 2 },
      ],
    ],
  );
});

test('plan and run encode with the preset, and a local watermark in it is found from any folder', async ({
  home,
}) => {
  const env = { XDG_CONFIG_HOME: home };
  const venc = (words: readonly string[], cwd = home) => runCli(words, { env, cwd });
  writeFileSync(join(home, 'logo.png'), readFileSync(await media('image.png')));
  const settings = ['--width', '96', '--clip-length', '0.5', '--watermark', 'url=logo.png,x=0,y=0,width=16'];
  const saved = await venc(['preset', 'save', 'tiny', ...settings]);
  assert.is(saved.code, 0, saved.stderr);
  assert.match((await venc(['preset', 'show', 'tiny'])).stdout, `"url": "${join(home, 'logo.png')}"`);
  const words = ['plan', await media('clip.mp4'), '-o', 'a.mp4', '--preset', 'tiny'];
  const plan = await venc(words, tempFolder());
  assert.is(plan.code, 0, plan.stderr);
  assert.match(plan.stdout, join(home, 'logo.png'));
  assert.match(plan.stdout, 'scale=96:');
});

test('an error in a hand-written preset names the preset; the others are still listed', async ({
  home,
  service,
  venc,
}) => {
  await venc(['preset', 'save', 'web', '--width', '640']);
  const folder = join(home, 'venc', 'presets');
  writeFileSync(join(folder, 'bad.json'), '{"outputs": [{"width": -5}]}');
  writeFileSync(join(folder, 'torn.json'), '{"outputs": [{"base_url": "ftp://me:hush@');
  writeFileSync(join(folder, 'ftp.json'), '{"outputs": [{"base_url": "ftp://me:hush@example.com/"}]}');
  const planned = await venc(['plan', await media('clip.mp4'), '--preset', 'bad']);
  assert.is(planned.code, 2);
  assert.match(planned.stderr, '--preset bad: width must be');
  const torn = await venc(['submit', film, '--preset', 'torn']);
  assert.is(torn.code, 2);
  assert.match(torn.stderr, 'it is not valid JSON');
  const [table, json, shown] = [
    await venc(['preset', 'list']),
    await venc(['preset', 'list', '--json']),
    await venc(['preset', 'show', 'ftp']),
  ];
  assert.equal([table.code, json.code], [0, 0]);
  assert.equal(
    JSON.parse(json.stdout).map(({ name }: { name: string }) => name),
    ['bad', 'ftp', 'web', 'phone', 'hls', 'archive', 'audio', 'small'],
  );
  assert.match(table.stderr, 'The preset torn in ');
  for (const { stdout, stderr } of [torn, table, json, shown])
    assert.not.ok(`${stdout}${stderr}`.includes('hush'), stdout);
  assert.equal(service.seen, []);
});

test('completions offer the names of presets', async ({ venc, home }) => {
  await venc(['preset', 'save', 'web', '--width', '640']);
  for (const typed of [
    ['preset', 'show', ''],
    ['submit', '--preset', ''],
  ])
    assert.match(await completionsOf(typed, { XDG_CONFIG_HOME: home }), /^web\t/);
});

test.run();
