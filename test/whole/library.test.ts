import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { film, makeMedia } from '../helpers/media.js';
import { installPackage, runProgram } from '../helpers/packed.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';

const installed = installPackage();
const input = join(tempFolder(), 'in.mp4');
test.before(() => makeMedia(input, film('320x240', 4)));

/** Runs a program with its own temporary folder, which must be empty at the end. Resolves to what it printed, as JSON. */
async function run(name: string, source: string, env: Readonly<Record<string, string>> = {}) {
  const temporary = tempFolder();
  const head = `const input = ${JSON.stringify(input)}; const temporary = ${JSON.stringify(temporary)};\n`;
  const imports = name.endsWith('.mjs')
    ? "import * as venc from 'venc';\n"
    : "const venc = require('venc');\n";
  const { code, stdout, stderr } = await runProgram(installed, name, imports + head + source, {
    TMPDIR: temporary,
    ...env,
  });
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.equal(readdirSync(temporary), []);
  return JSON.parse(stdout);
}

/** Serves requests on this machine while \`use\` runs. */
async function withServer<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Counts the encoders of a program, which work in its temporary folder. */
const encoders = `
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
  const encoders = () => readdirSync('/proc').filter((pid) => {
    const line = read('/proc/' + pid + '/cmdline');
    return read('/proc/' + pid + '/comm').startsWith('ffmpeg') && line.includes(temporary) && line.includes('-progress');
  }).length;
`;

test('an encode prints nothing and changes nothing of the process that calls it, and has the frames of venc run', async () => {
  const folder = tempFolder();
  const found = await run(
    'quiet.mjs',
    `
    const state = () => JSON.stringify([process.umask(), process.env, process.title, process.cwd(),
      process.eventNames().filter((name) => name !== 'exit').map((name) => [String(name), process.listenerCount(name)]),
      readFileSync('/proc/self/coredump_filter', 'utf8')]);
    import { readFileSync } from 'node:fs';
    const before = state();
    const jobs = Array.from({ length: 12 }, (_, index) =>
      venc.encode(input, { output: ${JSON.stringify(folder)} + '/' + index + '.mp4', width: 64 }));
    let during = '';
    for await (const _ of jobs[0]) during = state();
    await Promise.all(jobs);
    console.log(JSON.stringify({ isSame: state() === before, isSameMeanwhile: during === before }));`,
  );
  // While it runs, the temporary folder would be removed at an exit.
  assert.equal(found, { isSame: true, isSameMeanwhile: true });
  const cli = await runCli(['run', input, '-o', 'cli.mp4', '--width', '64', '--progress', 'none'], {
    cwd: folder,
  });
  assert.is(cli.code, 0, cli.stderr);
  const hash = (name: string) =>
    execFileSync('ffmpeg', ['-v', 'error', '-i', join(folder, name), '-map', '0', '-f', 'md5', '-'], {
      encoding: 'utf8',
    });
  assert.is(hash('0.mp4'), hash('cli.mp4'));
  assert.is(hash('11.mp4'), hash('cli.mp4'));
});

test('ten encodes of ES modules and CommonJS share the turns of one process', async () => {
  const folder = tempFolder();
  const found = await run(
    'turns.mjs',
    `
    import { createRequire } from 'node:module';
    const common = createRequire(import.meta.url)('venc');
    ${encoders}
    venc.configure({ concurrency: 2 });
    let most = 0;
    const timer = setInterval(() => { most = Math.max(most, encoders()); }, 15);
    const jobs = Array.from({ length: 10 }, (_, index) => (index % 2 ? common : venc).encode(input, {
      output: ${JSON.stringify(folder)} + '/' + index + '.mp4', width: 640, height: 480, upscale: true, speed: 2, quality: 5 }));
    const results = await Promise.all(jobs);
    clearInterval(timer);
    let alone = 0;
    const one = venc.encode(input, { output: ${JSON.stringify(folder)} + '/x.mp4', width: 640, upscale: true, speed: 1, concurrency: 1 });
    const other = common.encode(input, { output: ${JSON.stringify(folder)} + '/y.mp4', width: 640, upscale: true, speed: 1 });
    const second = setInterval(() => { alone = Math.max(alone, encoders()); }, 15);
    await Promise.all([one, other]);
    clearInterval(second);
    console.log(JSON.stringify({ most, alone, files: results.flatMap(({ files }) => files).length }));`,
  );
  assert.equal(found, { most: 2, alone: 1, files: 10 });
  assert.is(readdirSync(folder).length, 12);
});

/** Where an encode is aborted: what it does, and when. */
const slow = `width: 1280, height: 960, upscale: true, speed: 1, quality: 5`;
const stages: readonly (readonly [string, string, string])[] = [
  ['before it begins', `input, { output }`, 'true'],
  [
    'in a download that sends no more',
    `url + '/in.mp4', { output, allowPrivateNetwork: true }`,
    `progress?.input.current_event === 'downloading' && asked`,
  ],
  ['in the encode', `input, { output, ${slow} }`, `encoders() > 0`],
  [
    'in an upload that gets no answer',
    `input, { output: 's3://bucket/out.mp4', allowPrivateNetwork: true, width: 64 }`,
    `progress?.outputs[0].current_event === 'uploading' && asked`,
  ],
  ['in a stream that sends nothing', `silent(), { output }`, 'asked'],
];

for (const [stage, call, condition] of stages) {
  test(`an abort ${stage} rejects with its reason within 3 seconds and leaves nothing`, async () => {
    const folder = join(tempFolder(), 'new');
    const listener: RequestListener = (request, response) => {
      request.resume();
      if (request.method !== 'GET' || !request.url?.startsWith('/in.mp4')) return;
      const bytes = readFileSync(input);
      response.writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 1000));
    };
    const found = await withServer(listener, (url) =>
      run(
        'abort.mjs',
        `
        ${encoders}
        const url = ${JSON.stringify(url)};
        const output = ${JSON.stringify(join(folder, 'out.mp4'))};
        const controller = new AbortController();
        let progress; let asked = false;
        async function* silent() { asked = true; yield Buffer.from('abc'); await new Promise(() => {}); }
        const job = venc.encode(${call}, { signal: controller.signal });
        const looped = (async () => { try { for await (progress of job); } catch (error) { return error; } })();
        setTimeout(() => { asked = true; }, 1000);
        while (!(${condition})) await new Promise((done) => setTimeout(done, 20));
        const reason = new Error('not needed any more');
        const at = performance.now();
        controller.abort(reason);
        const error = await job.catch((error) => error);
        const seconds = (performance.now() - at) / 1000;
        console.log(JSON.stringify({ isReason: error === reason && (await looped) === reason, seconds, left: encoders() }));`,
        { AWS_ENDPOINT_URL_S3: url, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
      ),
    );
    assert.ok(found.isReason);
    assert.ok(found.seconds < 3, `${found.seconds} s`);
    assert.is(found.left, 0);
    assert.equal(await listRecursively(join(folder, '..')), []);
  });
}

test('an abort while it waits for its turn ends only that encode', async () => {
  const folder = tempFolder();
  const found = await run(
    'waiting.cjs',
    `
    venc.configure({ concurrency: 1 });
    const out = (name) => ${JSON.stringify(folder)} + '/' + name + '.mp4';
    (async () => {
      const controller = new AbortController();
      const first = venc.encode(input, { output: out('first'), width: 640, upscale: true, speed: 1 });
      const second = venc.encode(input, { output: out('second'), width: 64 }, { signal: controller.signal });
      setTimeout(() => controller.abort(), 300);
      const name = await second.catch((error) => error.name);
      console.log(JSON.stringify([name, (await first).files.length]));
    })();`,
  );
  assert.equal(found, ['AbortError', 1]);
  assert.equal(readdirSync(folder), ['first.mp4']);
});

test('streams that fail in the middle end the encode, as input and as output', async () => {
  const found = await run(
    'streams.mjs',
    `
    import { createReadStream } from 'node:fs';
    import { PassThrough, Writable } from 'node:stream';
    ${encoders}
    async function* broken() { let count = 0; for await (const chunk of createReadStream(input, { highWaterMark: 4096 })) { if (count++ > 3) throw new Error('cable cut'); yield chunk; } }
    const target = new PassThrough(); target.resume(); target.on('error', () => {});
    const first = await venc.encode(broken(), { output: target, format: 'ts' }).catch((error) => error);
    let written = 0;
    const sink = new Writable({ write(chunk, _, done) { written += chunk.length; done(written > 20000 ? new Error('disk pulled') : null); } });
    const second = await venc.encode(input, { output: sink, format: 'mkv', ${slow} }).catch((error) => error);
    const closed = new PassThrough(); setTimeout(() => closed.destroy(), 300);
    const third = await venc.encode(input, { output: closed, format: 'mkv', ${slow} }).catch((error) => error);
    console.log(JSON.stringify([first, second, third].map(({ name, code, field, message }) => [name, code, field, message]).concat([[target.destroyed, sink.destroyed, encoders()]])));`,
  );
  assert.equal(found, [
    ['InputError', 'DownloadFailureError', 'input', 'The stream of the input failed: cable cut'],
    ['OutputError', 'UploadFailureError', 'output', 'The stream of the output failed: disk pulled'],
    [
      'OutputError',
      'UploadFailureError',
      'output',
      'The stream of the output failed: it was closed before its end.',
    ],
    [true, true, 0],
  ]);
});

test('streams that fail before anything reads or writes them are errors of the call, and do not end the process', async () => {
  const found = await run(
    'early-streams.mjs',
    `
    import { createReadStream, createWriteStream } from 'node:fs';
    const gone = () => createReadStream('/nowhere/in.mp4');
    const calls = [
      venc.encode(gone(), { output: 'never.mp4' }),
      venc.encode(gone(), { output: 'never2.mp4', width: 'wide' }),
      venc.encode(input, { output: createWriteStream('/nowhere/out.ts'), format: 'ts' }),
      venc.plan(gone(), {}),
      venc.probe(gone()),
      venc.compare(input, gone()),
      venc.thumbnails(gone(), { number: 1, output: 'never' }),
    ];
    const results = await Promise.all(calls.map((call) => call.catch(({ code, field, message }) => [code, field, message])));
    console.log(JSON.stringify(results));`,
  );
  const missing = "failed: ENOENT: no such file or directory, open '/nowhere/in.mp4'";
  const failed = ['DownloadFailureError', 'input', `The stream of the input ${missing}`];
  assert.equal(found, [
    failed,
    failed,
    [
      'UploadFailureError',
      'output',
      "The stream of the output failed: ENOENT: no such file or directory, open '/nowhere/out.ts'",
    ],
    failed,
    failed,
    ['DownloadFailureError', 'reference', `The stream of the reference ${missing}`],
    failed,
  ]);
});

test('a slow reader holds the encode back and gets every byte', async () => {
  const found = await run(
    'slow.mjs',
    `
    import { PassThrough } from 'node:stream';
    const output = new PassThrough({ highWaterMark: 1000 });
    const job = venc.encode(input, { output, format: 'webm', width: 64, speed: 5 });
    let bytes = 0;
    for await (const chunk of output) { bytes += chunk.length; await new Promise((done) => setTimeout(done, 5)); }
    const { files } = await job;
    console.log(JSON.stringify([bytes > 0, files[0].bytes === bytes]));`,
  );
  assert.equal(found, [true, true]);
});

test('a missing ffmpeg is an error that says what to install', async () => {
  const bare = installPackage((name) => /ff(?:mpeg|probe)/.test(name));
  const { stdout, stderr } = await runProgram(
    bare,
    'missing.mjs',
    `
    import * as venc from 'venc';
    process.env.PATH = '/nowhere';
    const errors = [];
    for (const call of [() => venc.encode(${JSON.stringify(input)}, { output: 'never.mp4' }), () => venc.plan(${JSON.stringify(input)}, {}), () => venc.probe(${JSON.stringify(input)})])
      errors.push(await call().catch(({ name, code, message, hint }) => [name, code, message, hint]));
    console.log(JSON.stringify(errors));`,
    { VENC_FFMPEG: '', VENC_FFPROBE: '' },
  );
  assert.is(stderr, '');
  for (const [name, code, message, hint] of JSON.parse(stdout)) {
    assert.equal([name, code], ['UnavailableError', 'unavailable']);
    assert.match(message, /No ffmpeg and ffprobe were found/);
    assert.match(hint, /configure/);
  }
});

test('an error that nobody catches prints a short line of the source', async () => {
  const program = "import { encode } from 'venc';\nawait encode('/nowhere/in.mp4', { output: 'never.mp4' });";
  const { code, stderr } = await runProgram(installed, 'uncaught.mjs', program, {});
  assert.is(code, 1);
  assert.match(stderr, /^InputError: /m);
  const longest = Math.max(...stderr.split('\n').map(({ length }) => length));
  assert.ok(longest < 1000, `${longest} characters`);
});

test('compare measures two files, and names the one that cannot be read', async () => {
  const found = await run(
    'compare.mjs',
    `
    const percents = [];
    const { quality } = await venc.compare(input, input, {}, { onProgress: (percent) => percents.push(percent) });
    const error = await venc.compare(input, '/nowhere/film.mp4').catch((error) => error);
    console.log(JSON.stringify([quality.mean > 90, error.name, error.code, error.field]));`,
  );
  assert.equal(found, [true, 'InputError', 'FileNotFoundError', 'reference']);
});

test.run();
