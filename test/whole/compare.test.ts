import { existsSync, readFileSync } from 'node:fs';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import type { JobRecord } from '../../src/shared/records.js';
import { stateOfProcess } from '../helpers/chaos/processes.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { hashOf, toRgb } from '../helpers/frame-pixels.js';
import { proveFile } from '../helpers/in-place.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { ask, cookieOf } from '../helpers/page-client.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil, waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  cookie: string;
  jobId: number;
  /** Those of the job. */
  outputs: Readonly<Record<'same' | 'part' | 'encrypted', number>>;
}

function framePath(jobId: number, query: Readonly<Record<string, string | number>>): string {
  const text = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return `/ui/api/jobs/${jobId}/frame?${text.join('&')}`;
}

const folder = tempFolder();
const source = join(folder, 'film.mp4');
const { measurer } = await testFfmpeg();

const test = daemonSuite<Context>(
  'frames that are compared',
  async () => {
    await makeMedia(source, film('320x180', 4));
    return { filesRoots: [folder] };
  },
  async (context) => {
    const { daemon } = context;
    context.cookie = await cookieOf(daemon, daemon.key);
    context.jobId = await daemon.create({
      input: `file://${source}`,
      outputs: [
        { label: 'same', speed: 5, ...(measurer === null ? {} : { measure_quality: true }) },
        { label: 'part', start_clip: 1, clip_length: 2, rotate: 90, flip: 'horizontal', speed: 5 },
        {
          ...{ label: 'encrypted', type: 'segmented', filename: 'a.m3u8', clip_length: 1, speed: 5 },
          ...{ encryption_method: 'aes-128', encryption_key: '00112233445566778899aabbccddeeff' },
        },
      ],
    });
    const job = await daemon.waitForJob(context.jobId);
    assert.is(job.state, 'finished', JSON.stringify(job));
    const ids = job.output_media_files.map(({ label, id }) => [label, id]);
    Object.assign(context, { outputs: Object.fromEntries(ids) });
  },
);

function frame({ daemon, cookie, jobId }: Context, query: Readonly<Record<string, string | number>>) {
  return ask(daemon, framePath(jobId, query), { cookie });
}

function hostedFile({ dataFolder }: TestDaemon, url: string | null): string {
  return join(dataFolder, ...new URL(url ?? '').pathname.split('/').slice(1));
}

async function recordOf({ daemon, jobId }: Pick<Context, 'daemon' | 'jobId'>): Promise<JobRecord> {
  return (await daemon.read<{ job: JobRecord }>(`/v2/jobs/${jobId}`)).job;
}

async function urlOf(context: Context, outputId: number): Promise<string> {
  const { output_media_files: files } = await recordOf(context);
  return files.find(({ id }) => id === outputId)?.url ?? '';
}

/** The width and the height of a PNG image. */
function sizeOf(image: Buffer): readonly number[] {
  assert.is(image.subarray(1, 4).toString(), 'PNG');
  return [image.readUInt32BE(16), image.readUInt32BE(20)];
}

test('both images show the frame of ffmpeg that is displayed at the time', async (context) => {
  const output = context.outputs.same;
  const file = { source, output: hostedFile(context.daemon, await urlOf(context, output)) };
  for (const side of ['source', 'output'] as const) {
    // Between two frames, at the beginning of a frame, and after the end.
    for (const [time, index] of [
      [1.5, 37],
      [2.04, 51],
      [9999, 99],
    ] as const) {
      const { status, headers, bytes, text } = await frame(context, { side, output, time });
      assert.is(status, 200, text);
      assert.is(headers['content-type'], 'image/png');
      assert.equal(sizeOf(bytes), [320, 180]);
      const expected = await hashOf(file[side], `select=eq(n\\,${index}),${toRgb}`);
      assert.is(await hashOf(bytes), expected, `${side} at ${time}`);
    }
  }
});

test('the source has the time, the rotation and the size of the output', async (context) => {
  const output = context.outputs.part;
  const image = await frame(context, { side: 'source', output, time: 0.5 });
  assert.is(image.status, 200, image.text);
  const expected = await hashOf(source, `select=eq(n\\,37),hflip,transpose=clock,${toRgb}`);
  assert.is(await hashOf(image.bytes), expected);
  for (const side of ['source', 'output']) {
    const { bytes } = await frame(context, { side, output, time: 0.5, width: 90 });
    assert.equal(sizeOf(bytes), [90, 160], side);
  }
});

test('a browser that has the image gets it only once', async (context) => {
  const { daemon, cookie, jobId, outputs } = context;
  const path = framePath(jobId, { side: 'output', output: outputs.same, time: 1 });
  const first = await ask(daemon, path, { cookie });
  assert.is(first.headers['cache-control'], 'private, no-cache');
  const { etag = '' } = first.headers;
  const again = await ask(daemon, path, { cookie, headers: { 'If-None-Match': etag } });
  assert.is(again.status, 304);
  assert.is(again.bytes.length, 0);
  const other = await ask(daemon, path.replace('time=1', 'time=2'), {
    cookie,
    headers: { 'If-None-Match': etag },
  });
  assert.is(other.status, 200);
});

test('only the account of the job gets frames, and only from its own page', async (context) => {
  const { daemon, cookie, jobId, outputs } = context;
  const path = framePath(jobId, { side: 'source', output: outputs.same, time: 1 });
  const setup = openFolderSetup(daemon.dataFolder);
  await createAccount(setup, 'other');
  const { key } = await createKey(setup, 'other', 'full');
  const otherCookie = await cookieOf(daemon, key);
  for (const [status, headers] of [
    [200, { Cookie: cookie }],
    [401, {}],
    [401, { 'Service-Api-Key': daemon.key }],
    [404, { Cookie: otherCookie }],
    [403, { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' }],
  ] as const)
    assert.is((await ask(daemon, path, { headers })).status, status, JSON.stringify(headers));
  const document = await ask(daemon, `/ui/jobs/${jobId}/compare`, { cookie: otherCookie });
  assert.is(document.status, 404);
  assert.is((await daemon.request(path.replace('/ui/api/', '/v2/'))).status, 404);
});

test('a request that cannot be answered names the parameter', async (context) => {
  const good = { side: 'source', output: context.outputs.same, time: 1 };
  for (const [change, words] of [
    [{ side: 'both' }, 'side must be source or output'],
    [{ output: 'a' }, 'output must be the id'],
    [{ time: '-1' }, 'time must be a number of seconds'],
    [{ time: 'NaN' }, 'time must be a number of seconds'],
    [{ width: 4000 }, 'width must be a whole number from 16 to 1920'],
  ] as const) {
    const { status, text } = await frame(context, { ...good, ...change });
    assert.is(status, 422);
    assert.match(text, words);
  }
  assert.is((await frame(context, { ...good, output: 1 })).status, 404);
});

test('the view has both images, links to other times, and needs no script', async (context) => {
  const { daemon, cookie, jobId, outputs } = context;
  const path = `/ui/jobs/${jobId}/compare?output=${outputs.same}&time=1.5`;
  const { status, text } = await ask(daemon, path, { cookie });
  assert.is(status, 200);
  for (const side of ['source', 'output'])
    assert.match(
      text,
      `src="../../api/jobs/${jobId}/frame?side=${side}&amp;output=${outputs.same}&amp;time=1.5&amp;width=1280"`,
    );
  assert.match(text, `href="?output=${outputs.same}&amp;time=2.5"`);
  assert.not.match(text, / style=| onclick=/i);
  const begin = await ask(daemon, `/ui/jobs/${jobId}/compare`, { cookie });
  // The worst second, or 10 percent.
  const { output_media_files: files } = await recordOf(context);
  const worst = files.find(({ id }) => id === outputs.same)?.quality?.worst_second?.time;
  assert.is(worst === undefined, measurer === null);
  const first = worst === undefined ? /alt="Source at 0\.4\d* s"/ : `alt="Source at ${worst} s"`;
  assert.match(begin.text, first);
  assert.is(/id="worst"/.test(begin.text), worst !== undefined);
  const job = await ask(daemon, `/ui/jobs/${jobId}`, { cookie });
  assert.match(job.text, `href="../jobs/${jobId}/compare?output=${outputs.same}"`);
});

/** Why there is no comparison, in the API and on the page. */
async function reasonFor(
  { daemon, cookie }: Context,
  jobId: number,
  output: number,
  side: 'source' | 'output' = 'source',
) {
  const path = framePath(jobId, { side, output, time: 1 });
  const { status, text } = await ask(daemon, path, { cookie });
  const { errors } = JSON.parse(text) as { errors: string[] };
  const view = `/ui/jobs/${jobId}/compare?output=${output}`;
  const page = await ask(daemon, view, { cookie });
  assert.is(page.status, 200);
  assert.match(page.text, errors[0] ?? '-');
  assert.not.match(page.text, '<img');
  return { status, reason: errors.join() };
}

test('a source that was uploaded or is read in place has frames', async (context) => {
  const { daemon } = context;
  const upload = await daemon.request('/v2/uploads/film.mp4', { method: 'PUT', body: readFileSync(source) });
  const { url } = (await upload.json()) as { url: string };
  for (const input of [url, await proveFile(daemon, source)]) {
    const jobId = await daemon.create({ input, outputs: [{ width: 160, clip_length: 2, speed: 5 }] });
    const output = (await daemon.waitForJob(jobId)).output_media_files[0]?.id ?? 0;
    const image = await frame({ ...context, jobId }, { side: 'source', output, time: 1 });
    assert.is(image.status, 200, `${input}: ${image.text}`);
    assert.equal(sizeOf(image.bytes), [160, 90]);
    if (input !== url) continue;
    await rm(join(daemon.dataFolder, 'uploads'), { recursive: true });
    const { status, reason } = await reasonFor(context, jobId, output);
    assert.is(status, 404);
    assert.match(reason, /^The source is not on this machine any more/);
  }
});

test('what cannot be compared has a reason, in the API and on the page', async (context) => {
  const { daemon, jobId, outputs } = context;
  const encrypted = await reasonFor(context, jobId, outputs.encrypted);
  assert.equal(encrypted, {
    status: 409,
    reason: 'The output is encrypted, and no frames are made of it.',
  });
  const url = await urlOf(context, outputs.same);
  const remote = await daemon.create({ input: url, outputs: [{ width: 160, speed: 5 }] });
  const made = await daemon.waitForJob(remote);
  const output = made.output_media_files[0]?.id ?? 0;
  const { status, reason } = await reasonFor(context, remote, output);
  assert.is(status, 404);
  assert.is(reason, `The source was at ${url} and is not kept.`);
  assert.is((await frame({ ...context, jobId: remote }, { side: 'output', output, time: 1 })).status, 200);
  await rm(hostedFile(daemon, made.output_media_files[0]?.url ?? null));
  const removed = await frame({ ...context, jobId: remote }, { side: 'output', output, time: 1 });
  assert.is(removed.status, 404);
  assert.match(removed.text, 'has expired or was removed');
});

test('a source that changed or is gone is not compared', async (context) => {
  const { jobId, outputs } = context;
  const kept = `${source}.kept`;
  await rename(source, kept);
  const gone = await reasonFor(context, jobId, outputs.same);
  assert.is(gone.status, 404);
  assert.match(gone.reason, 'The source cannot be read');
  await writeFile(source, readFileSync(kept));
  await appendFile(source, 'more');
  const changed = await reasonFor(context, jobId, outputs.same);
  assert.equal(changed, { status: 409, reason: 'The source has changed since the job was made.' });
  await rename(kept, source);
  const { status } = await frame(context, { side: 'source', output: outputs.same, time: 3 });
  assert.is(status, 200);
});

test('no temporary file is left', ({ daemon }) => waitUntilScratchIsEmpty(daemon.dataFolder));

test.run();

interface SlowContext extends Omit<Context, 'outputs'> {
  output: number;
}

const slowFolder = tempFolder();
const pids = join(slowFolder, 'pids');
const slowTest = daemonSuite<SlowContext>(
  'frames that take long',
  async () => {
    const { ffmpeg } = await testFfmpeg();
    const program = join(slowFolder, 'ffmpeg');
    const script = `#!/bin/sh
case "$*" in *thumbnail-0*) echo $$ >> ${pids}; exec sleep 60;; esac
exec ${ffmpeg.path} "$@"
`;
    await writeFile(program, script, { mode: 0o755 });
    await makeMedia(join(slowFolder, 'film.mp4'), film('160x90', 2));
    return { ffmpeg: program, filesRoots: [slowFolder] };
  },
  async (context) => {
    const { daemon } = context;
    context.cookie = await cookieOf(daemon, daemon.key);
    const input = `file://${slowFolder}/film.mp4`;
    context.jobId = await daemon.create({ input, outputs: [{ speed: 5 }] });
    const { output_media_files: outputs } = await daemon.waitForJob(context.jobId);
    context.output = outputs[0]?.id ?? 0;
  },
);

function started(): readonly number[] {
  return existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [];
}

function isRunning(pid: number): boolean {
  return !['', 'Z'].includes(stateOfProcess(pid));
}

slowTest(
  'a session has one frame made at a time, and a request that ends stops its ffmpeg',
  async ({ daemon, cookie, jobId, output }) => {
    const askFor = (time: number, end = new AbortController()) => {
      const path = framePath(jobId, { side: 'source', output, time });
      const answer = ask(daemon, path, { cookie, signal: end.signal }).catch(() => null);
      return { answer, end: () => end.abort() };
    };
    const first = askFor(0);
    await waitUntil('the first frame is made', () => started().length === 1);
    const others = [0.3, 0.6, 0.9, 1.2, 1.5, 1.8].map((time) => askFor(time));
    const { rejected, tooMany } = await Promise.race(
      others.map(async (one) => ({ rejected: one, tooMany: await one.answer })),
    );
    assert.is(tooMany?.status, 429);
    assert.is(tooMany?.headers['retry-after'], '1');
    assert.is(started().length, 1);
    const [next, ...waiting] = others.filter((one) => one !== rejected);
    // Before the first one, so that the daemon knows of all of them when it begins with the next frame.
    for (const { end } of waiting) end();
    first.end();
    const [pid = 0] = started();
    await waitUntil('its ffmpeg has ended', () => !isRunning(pid));
    await waitUntil('the next frame is made', () => started().length === 2);
    next?.end();
    await waitUntil('all have ended', () => !started().some(isRunning));
    await waitUntilScratchIsEmpty(daemon.dataFolder);
    assert.is(started().length, 2, 'a request that ended while it waited starts nothing');
  },
);

slowTest.run();
