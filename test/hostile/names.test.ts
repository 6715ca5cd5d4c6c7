import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { randomNumbers } from '../helpers/random.js';
import { type HttpSource, startHttpSource } from '../helpers/servers/http-source.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';

/** Names that would lead out of a folder, given to everything that names a file. */
interface Context {
  daemon: TestDaemon;
  source: HttpSource;
  /** A folder with `root` and `outside`, into which nothing may be written. */
  folder: string;
  root: string;
}

const test = suite<Context>('hostile names');
const counted = { requests: 0, accepted: 0 };
const { seed, isLong } = suiteOptions();
const random = randomNumbers(seed);
const marker = 'content-of-the-canary';

test.before(async (context) => {
  const folder = tempFolder();
  const root = join(folder, 'root');
  for (const name of [root, join(root, 'inside'), join(folder, 'outside')]) mkdirSync(name);
  await makeMedia(join(root, 'film.mp4'), film('64x48', 0.2));
  writeFileSync(join(folder, 'outside', 'canary.mp4'), marker);
  symlinkSync(join(folder, 'outside'), join(root, 'link'));
  symlinkSync(join(folder, 'outside', 'canary.mp4'), join(root, 'link.mp4'));
  const bytes = readFileSync(join(root, 'film.mp4'));
  // A server whose names for the file lead elsewhere.
  const source = await startHttpSource((request, response) => {
    request.resume();
    response.writeHead(200, {
      'content-length': bytes.length,
      'content-disposition': `attachment; filename="../../../../outside/written.mp4"; filename*=UTF-8''..%2f..%2foutside%2fwritten.mp4`,
      'content-location': '../../outside/written.mp4',
    });
    response.end(bytes);
  });
  const daemon = await startTestDaemon({
    jobs: 2,
    filesRoots: [root],
    rateLimit: 1_000_000,
    maxOutputs: 100,
  });
  Object.assign(context, { daemon, source, folder, root });
});
test.after(async ({ daemon, source }) => {
  await daemon?.stop();
  await source?.close();
  const { requests, accepted } = counted;
  printClosingLine('hostile/names', [`${requests} requests`, `${accepted} accepted and run`]);
});

const long = 'x'.repeat(300);
const names = [
  ...[
    '..',
    '.',
    '../outside/written',
    '../../outside/written',
    'a/../../outside/written',
    './../outside/written',
  ],
  ...[
    '/tmp/venc-written',
    '//outside/written',
    '\\..\\..\\outside\\written',
    '..\\outside\\written',
    'C:\\written',
  ],
  ...[
    '..%2foutside%2fwritten',
    '%2e%2e/outside/written',
    '%2e%2e%2foutside',
    '..%252foutside',
    '..%c0%af..%c0%afoutside',
  ],
  ...['..∕outside', '..⁄outside', '．．/outside/written', '..／outside', '․․/outside', '‥/outside/written'],
  ...['a\0b', 'a\0/../../outside', 'a\r\nb', 'a\nb', '\u202egnp.exe', 'a\u0000.mp4'],
  ...['link/written', 'inside/../link/written', 'link', long, `${'a/'.repeat(200)}b`, `${long}/${long}`],
  ...[
    '-rf',
    '~/written',
    '~root/written',
    '$HOME/written',
    '`id`',
    '$(id)',
    '*',
    '?',
    ' ',
    '. ',
    'CON',
    'a:b',
    '.venc',
    '.lock',
  ],
] as const;

/** The settings that name a file or a folder. */
const requestsFor = (name: string, root: string, url: string): readonly object[] => {
  const input = `file://${root}/film.mp4`;
  const base = `file://${root}/inside/`;
  return [
    { input, outputs: [{ base_url: base, filename: `${name}.mp4`, width: 32 }] },
    { input, outputs: [{ filename: name, width: 32 }] },
    { input, outputs: [{ url: `${base}${name}.mp4`, width: 32 }] },
    { input, outputs: [{ base_url: `${base}${name}/`, filename: 'a.mp4', width: 32 }] },
    { input, outputs: [{ label: name, width: 32 }] },
    { input, outputs: [{ width: 32, thumbnails: { number: 1, base_url: base, prefix: name } }] },
    { input, outputs: [{ width: 32, thumbnails: { number: 1, base_url: base, filename: name } }] },
    {
      input,
      outputs: [{ width: 32, thumbnails: { number: 1, base_url: base, label: name, filename: '{{label}}' } }],
    },
    { input, outputs: [{ width: 32, type: 'segmented', base_url: base, filename: `${name}.m3u8` }] },
    {
      input,
      outputs: [
        {
          width: 32,
          url: `${base}ok.mp4`,
          caption_url: { url: `file://${root}/a.srt`, language: name },
          subtitles: 'sidecar',
        },
      ],
    },
    { input: `file://${root}/${name}` },
    { input: `file://${root}/${name}.mp4` },
    { input: `upload://${name}/${name}` },
    { input: `upload://0123456789abcdef0123456789abcdef/${name}` },
    { input: `${url}/${encodeURIComponent(name)}` },
  ];
};

/** The files outside of the root and of the data folder. */
const outsideOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('root/'))
    .sort();

test('no name writes or reads outside of its folder', async ({ daemon, source, folder, root }) => {
  const before = outsideOf(folder);
  const all = names.flatMap((name) => requestsFor(name, root, source.url('')));
  await mapWithConcurrency(all, 6, async (request) => {
    counted.requests += 1;
    // The short form runs some of the valid requests, and validates all.
    const mock = !isLong && random() >= 0.1;
    const body = JSON.stringify({ ...request, mock });
    const response = await daemon.request('/v2/jobs', { method: 'POST', body });
    const text = await response.text();
    assert.ok([201, 422].includes(response.status), `${JSON.stringify(request)}: ${response.status} ${text}`);
    if (response.status !== 201 || mock) return;
    counted.accepted += 1;
    const job = await daemon.waitForJob(Number((JSON.parse(text) as { id: string }).id));
    assert.not.match(JSON.stringify(job), marker);
    for (const { url } of job.output_media_files)
      if (url?.startsWith('file:')) assert.ok(decodeURIComponent(url).startsWith(`file://${root}/`), url);
  });
  assert.equal(outsideOf(folder), before);
  assert.is(readFileSync(join(folder, 'outside', 'canary.mp4'), 'utf8'), marker);
  for (const name of await listRecursively(join(daemon.dataFolder, 'hosted')))
    assert.not.match(name, /\.\.\/|\0/);
  assert.ok(counted.accepted > 15);
});

test('no name of an upload or a hosted file leaves its folder', async ({ daemon, folder, root }) => {
  const before = outsideOf(folder);
  // A client resolves `.` and `..` itself.
  for (const name of names.filter((one) => !/^\.+$/.test(one))) {
    const encoded = encodeURIComponent(name);
    counted.requests += 2;
    const uploaded = await daemon.request(`/v2/uploads/${encoded}`, { method: 'PUT', body: 'x' });
    assert.ok(uploaded.status < 500, `${name}: ${uploaded.status}`);
    for (const path of [
      `/hosted/${encoded}/${encoded}`,
      `/hosted/0123456789abcdef0123456789abcdef/${encoded}`,
    ]) {
      const response = await daemon.request(path);
      assert.ok([400, 404].includes(response.status), `${path}: ${response.status}`);
      assert.not.match(await response.text(), marker);
    }
  }
  assert.equal(outsideOf(folder), before);
  assert.ok(readdirSync(root).includes('film.mp4'));
});

test('run reads a file by its name only, whatever other programs would read in it', async ({ root }) => {
  const odd = [
    '-i.mp4',
    'frame%03d.mp4',
    'http:a.mp4',
    'concat:a|b.mp4',
    'a,b;c=[d].mp4',
    "it's.mp4",
    'pipe:0.mp4',
    'a\nb.mp4',
  ];
  const folder = tempFolder();
  for (const name of odd) {
    writeFileSync(join(folder, name), readFileSync(join(root, 'film.mp4')));
    const { code, stderr } = await runCli(
      ['run', '-o', 'out.mp4', '--force', '--width', '32', '--', `./${name}`],
      { cwd: folder },
    );
    assert.is(code, 0, `${name}: ${stderr}`);
  }
});

test.run();
