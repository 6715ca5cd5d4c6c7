import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

/** An example that runs, and what it has printed. */
interface Running {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

/** Starts a program of examples/. */
function start(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Running {
  let text = '';
  const child = spawn(process.execPath, [resolve('examples', name), ...args], {
    env: { ...process.env, PORT: '0', ...env },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      text += data;
    });
  return { child, printed: () => text };
}

/** The address that a server prints at its start. */
async function addressOf({ printed }: Running): Promise<string> {
  await waitUntil('it listens', () => printed().includes('http://'));
  return printed().trim();
}

async function end({ child }: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill(signal);
  await once(child, 'close');
}

/** The codec of the video of a file. */
async function codecOf(path: string): Promise<string | undefined> {
  return (await (await testFfmpeg()).probe(path)).video?.codec;
}

const test = suite('examples');

test('upload-express: a film is uploaded and comes back smaller, and a text is an error', async () => {
  const server = start('upload-express.mjs');
  try {
    const url = await addressOf(server);
    const put = (body: RequestInit['body']) =>
      fetch(`${url}/films/film.mov`, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    const answer = await put(new Blob([await readFile(await media('clip.mp4'))]));
    assert.is(answer.status, 200, await answer.clone().text());
    const made = join(tempFolder(), 'made.mp4');
    await writeFile(made, new Uint8Array(await answer.arrayBuffer()));
    assert.is(await codecOf(made), 'h264');
    const wrong = await put('not a film');
    assert.is(wrong.status, 422);
    assert.is(((await wrong.json()) as { code: string }).code, 'NoMediaError');
  } finally {
    await end(server);
  }
});

test('next-route: the answer is the film while it is encoded, and a text is an error', async () => {
  const { POST } = (await import(pathToFileURL(resolve('examples/next-route.mjs')).href)) as {
    readonly POST: (request: Request) => Promise<Response>;
  };
  const post = (body: RequestInit['body'] | null) =>
    POST(new Request('http://127.0.0.1/films', { method: 'POST', body, duplex: 'half' } as RequestInit));
  const film = createReadStream(await media('clip.mp4')) as unknown as RequestInit['body'];
  const answer = await post(film);
  assert.is(answer.headers.get('content-type'), 'video/mp4');
  const made = join(tempFolder(), 'made.mp4');
  await writeFile(made, new Uint8Array(await answer.arrayBuffer()));
  assert.is(await codecOf(made), 'h264');
  const wrong = await post('not a film');
  assert.is(wrong.status, 422);
  assert.is((await post(null)).status, 400);
});

test('s3-event: an event makes a job, and the same event again makes no other', async () => {
  const keys = { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'a-secret' };
  Object.assign(process.env, keys);
  const daemon = await startTestDaemon({ jobs: 0 });
  for (const name of Object.keys(keys)) delete process.env[name];
  const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key, OUTPUT_BUCKET: 'made' };
  const s3 = { bucket: { name: 'films' }, object: { key: 'a+b/caf%C3%A9.mov', sequencer: '0055AED6' } };
  const script = `import { handler } from ${JSON.stringify(pathToFileURL(resolve('examples/s3-event.mjs')).href)};
    const event = ${JSON.stringify({ Records: [{ s3 }] })};
    console.log(JSON.stringify([await handler(event), await handler(event)]));`;
  const path = join(tempFolder(), 'run.mjs');
  await writeFile(path, script);
  const child = spawn(process.execPath, [path], { env: { ...process.env, ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      printed += data;
    });
  await once(child, 'close');
  assert.match(printed, /^\[/);
  const [first, second] = JSON.parse(printed) as readonly number[][];
  assert.is(first?.length, 1, printed);
  assert.equal(first, second);
  const { job } = await daemon.read<{
    job: { pass_through: string; input_media_file: { url: string }; output_media_files: { url: string }[] };
  }>(`/v2/jobs/${first?.[0]}`);
  assert.is(job.pass_through, 'a b/café.mov');
  assert.is(job.input_media_file.url, 's3://films/a%20b/caf%C3%A9.mov');
  assert.is(job.output_media_files[0]?.url, 's3://made/a%20b/caf%C3%A9.mp4');
  await daemon.stop();
});

test('queue-worker: files are encoded once, also when it is killed in between, and a text is an error', async () => {
  const folder = tempFolder();
  const [inbox, outbox] = [join(folder, 'in'), join(folder, 'out')];
  await mkdir(inbox);
  const add = async (name: string, source: string) => {
    await copyFile(source, join(folder, name));
    await rename(join(folder, name), join(inbox, name));
  };
  await add('long.mov', await media('long.mp4'));
  const first = start('queue-worker.mjs', [inbox, outbox]);
  await waitUntil('it has taken the file', async () =>
    (await readdir(join(inbox, '.taken')).catch((): string[] => [])).includes('long.mov'),
  );
  await end(first, 'SIGKILL');
  const second = start('queue-worker.mjs', [inbox, outbox]);
  try {
    await writeFile(join(folder, 'text.mov'), 'not a film');
    await add('film.mov', await media('clip.mp4'));
    await rename(join(folder, 'text.mov'), join(inbox, 'text.mov'));
    await waitUntil('all are done', async () => (await readdir(outbox)).length === 3);
    await waitUntil('nothing is left', async () => (await readdir(join(inbox, '.taken'))).length === 0);
    assert.equal((await readdir(outbox)).sort(), ['film.mp4', 'long.mp4', 'text.error.json']);
    assert.is(JSON.parse(await readFile(join(outbox, 'text.error.json'), 'utf8')).code, 'NoMediaError');
    assert.is(await codecOf(join(outbox, 'long.mp4')), 'h264');
  } finally {
    await end(second);
  }
  assert.is(second.child.exitCode, 0, second.printed());
});

test('thumbnails: images and a page for the films of a folder, and other files are named', async () => {
  const folder = tempFolder();
  const [films, images] = [join(folder, 'films'), join(folder, 'images')];
  await mkdir(films);
  await copyFile(await media('clip.mp4'), join(films, 'a & b.mp4'));
  await writeFile(join(films, 'text.txt'), 'x');
  const run = start('thumbnails.mjs', [films, images]);
  await once(run.child, 'close');
  assert.is(run.child.exitCode, 0, run.printed());
  assert.match(run.printed(), /^text\.txt: /);
  assert.equal((await readdir(join(images, 'a & b'))).length, 4);
  const page = await readFile(join(images, 'index.html'), 'utf8');
  assert.match(page, '<h2>a &amp; b.mp4</h2>');
  assert.match(page, '<img src="a%20%26%20b/frame_0000.jpg" alt="">');
});

test('webhook-receiver: notifications of a daemon are believed, others are not', async () => {
  const input = await media('clip.mp4');
  const daemon = await startTestDaemon({ allowPrivateNetwork: true, filesRoots: [dirname(input)] });
  const shown = await runCli(['accounts', 'show', 'default', '--secret', '--data', daemon.dataFolder]);
  const receiver = start('webhook-receiver.mjs', [], { SECRET: shown.stdout.trim() });
  try {
    const url = await addressOf(receiver);
    const forged = await fetch(url, { method: 'POST', body: '{"job": {"id": 1, "state": "finished"}}' });
    assert.is(forged.status, 401);
    const id = await daemon.create({
      input: pathToFileURL(input).href,
      outputs: [{ width: 64 }],
      notifications: [url],
    });
    await daemon.waitForJob(id);
    await waitUntil('it is notified', () => receiver.printed().includes(`job ${id} is finished`));
  } finally {
    await end(receiver);
    await daemon.stop();
  }
});

test.run();
