import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { createKey } from '../../daemon/store/accounts/api-keys.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, media, testTone, testVideo } from '../helpers/media.js';
import { ask, byScript, cookieOf, sameOrigin } from '../helpers/page-client.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  owner: string;
  viewer: string;
}

interface Plan {
  readonly unknown: string | null;
  readonly failure: string | null;
  readonly isWhole: boolean;
  readonly input: string | null;
  readonly outputs: readonly {
    readonly file: string;
    readonly video: string | null;
    readonly audio: readonly string[];
    readonly size: string | null;
    readonly leftOut: readonly string[];
    readonly problem: string | null;
  }[];
  readonly warnings: readonly string[];
  readonly commands: readonly string[];
}

const partBytes = 2 * 1024 * 1024;

const test = daemonSuite<Context>('plans of the page', { jobs: 0 }, async (context) => {
  const { daemon } = context;
  const viewer = await createKey(openFolderSetup(daemon.dataFolder), 'default', 'viewer');
  context.owner = await cookieOf(daemon, daemon.key);
  context.viewer = await cookieOf(daemon, viewer.key);
});

/** What the page sends of a file. */
function partsOf(bytes: Buffer) {
  const tail = bytes.subarray(Math.max(partBytes, bytes.length - partBytes));
  return {
    size: bytes.length,
    head: bytes.subarray(0, partBytes).toString('base64'),
    tail: tail.toString('base64'),
  };
}

function send({ daemon, owner }: Context, body: unknown, cookie = owner, headers: object = byScript) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method: 'POST', cookie, headers: { ...headers }, body: text };
  return ask(daemon, '/ui/api/plan', init);
}

async function planOf(context: Context, bytes: Buffer, request: object): Promise<Plan> {
  const { status, text } = await send(context, { request, ...partsOf(bytes) });
  assert.is(status, 200, text);
  return JSON.parse(text) as Plan;
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

test('a small file is planned as a whole, and nothing of it is kept', async (context) => {
  const film = await readFile(await media('long.mp4'));
  const outputs = [
    { label: 'small', height: 180, video_bitrate: 100, audio_bitrate: 64 },
    { filename: 'a.webm', skip_audio: true, quality: 2 },
    { type: 'transfer-only' },
  ];
  const plan = await planOf(context, film, { outputs });
  assert.is(plan.unknown, null);
  assert.is(plan.isWhole, true);
  assert.match(plan.input ?? '', /h264 640x360 25 fps; aac/);
  const [small, webm, copy] = plan.outputs;
  assert.is(small?.video, 'h264, 320x180, 25 fps');
  assert.match(small?.audio[0] ?? '', /^aac, /);
  assert.match(small?.size ?? '', /^about \d+ kB$/);
  assert.equal(webm?.audio, []);
  assert.match(webm?.video ?? '', /^vp[89], 640x360/);
  assert.is(webm?.size, null);
  assert.equal([copy?.file, copy?.video], ['the file as it is', null]);
  assert.match(webm?.leftOut.join() ?? '', /^audio/);
  assert.ok(plan.commands.every((command) => command.startsWith('ffmpeg ') && /file:input/.test(command)));
  assert.not.match(plan.commands.join(), context.daemon.dataFolder);
  const kept = await readdir(context.daemon.dataFolder, { recursive: true });
  assert.equal(
    kept.filter((path) => /plan-/.test(path)),
    [],
  );
  assert.is((await context.daemon.read<unknown[]>('/v2/jobs')).length, 0);
});

test('the start and the end of a large file say what becomes of it', async (context) => {
  const folder = tempFolder();
  const video = testVideo('320x240', 25, 8);
  const raw = ['-c:v', 'rawvideo', '-pix_fmt', 'yuv420p'];
  for (const [name, args] of [
    ['long.avi', raw],
    ['long.mkv', raw],
    ['long.ts', ['-c:v', 'mpeg2video', '-b:v', '8M', '-minrate', '8M', '-maxrate', '8M', '-bufsize', '2M']],
  ] as const) {
    const path = join(folder, name);
    await makeMedia(path, [...video, ...testTone(8), ...args]);
    const bytes = await readFile(path);
    assert.ok(bytes.length > 2 * partBytes, `${name} has only ${bytes.length} bytes`);
    const plan = await planOf(context, bytes, { outputs: [{ width: 160 }] });
    assert.equal([plan.unknown, plan.failure, plan.isWhole], [null, null, false], name);
    assert.match(plan.input ?? '', /320x240 25 fps/, name);
    assert.match(plan.outputs[0]?.file ?? '', /, 8\.\ds$/, name);
    assert.is(plan.outputs[0]?.video, 'h264, 160x120, 25 fps', name);
  }
});

test('a length that only the whole file says is not guessed from its parts', async (context) => {
  const folder = tempFolder();
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=120'];
  const video = [...testVideo('320x240', 25, 30), '-c:v', 'mpeg2video', '-b:v', '3M', '-minrate', '3M'];
  const full = [...video, '-maxrate', '3M', '-bufsize', '2M'];
  const movie = [...full, '-movflags', 'frag_keyframe+empty_moov'];
  for (const [name, args, length] of [
    ['a.ts', full, null],
    ['a.mp4', movie, null],
    ['a.ac3', [...noise, '-c:a', 'ac3', '-b:a', '640k'], null],
    ['a.mp3', [...noise, '-c:a', 'libmp3lame', '-b:a', '320k', '-ar', '48000', '-ac', '2'], '2m 00s'],
    ['b.mp3', [...noise, '-c:a', 'libmp3lame', '-b:a', '320k', '-ar', '48000', '-write_xing', '0'], null],
  ] as const) {
    const path = join(folder, name);
    await makeMedia(path, [...args]);
    const plan = await planOf(context, await readFile(path), { outputs: [{ width: 160 }] });
    assert.equal([plan.unknown, plan.failure, plan.isWhole], [null, null, false], name);
    if (length === null) assert.match(plan.input ?? '', ', of unknown length', name);
    else assert.match(plan.input ?? '', length, name);
    assert.match(plan.outputs[0]?.file ?? '', length === null ? /^mpeg4$/ : /2m 00s$/, name);
  }
  const bySize = await planOf(context, await readFile(join(folder, 'a.ts')), {
    outputs: [{ target_size: '3MB' }],
  });
  assert.match(bySize.unknown ?? '', 'is known after the upload');
});

test('a film whose index is in the middle is known after the upload', async (context) => {
  const film = await readFile(await media('silent.mp4'));
  const filler = box('free', Buffer.alloc(partBytes + 1000));
  const typeBytes = film.readUInt32BE(0);
  const whole = Buffer.concat([film.subarray(0, typeBytes), filler, film.subarray(typeBytes), filler]);
  const plan = await planOf(context, whole, {});
  assert.match(plan.unknown ?? '', 'is known after the upload');
  assert.equal([plan.input, plan.outputs], [null, []]);
});

test('a file that cannot be encoded says why, and a playlist reads no other file', async (context) => {
  const text = await planOf(context, Buffer.from('not a film'), {});
  assert.ok(text.failure !== null && text.unknown === null);
  const playlist = '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n';
  assert.match((await planOf(context, Buffer.from(playlist), {})).failure ?? '', 'is a playlist');
});

test('secrets of the request are not shown, and images are not fetched', async (context) => {
  const film = await readFile(await media('silent.mp4'));
  const watermark = [{ url: 'http://ada:geheim@127.0.0.1:9/logo.png' }];
  const plan = await planOf(context, film, { outputs: [{ watermark, url: 'ftp://ada:geheim@h/a.mp4' }] });
  assert.match(plan.warnings.join(), 'logo.png was not fetched');
  assert.not.match(JSON.stringify(plan), 'geheim');
});

test('a request or parts that are not valid are rejected', async (context) => {
  const parts = partsOf(await readFile(await media('silent.mp4')));
  const good = { request: {}, ...parts };
  for (const [body, status, sentence] of [
    [{ ...good, request: { outputs: [{ height: 'x' }] } }, 422, 'outputs[0].height must be a whole number'],
    [{ ...good, request: { preset: 'none' } }, 422, 'preset names no preset'],
    [{ ...good, request: 1 }, 422, 'request must be an object'],
    [{ ...good, size: -1 }, 422, 'size must be a whole number of bytes'],
    [{ ...good, size: 2 ** 60 }, 422, 'size must be a whole number of bytes'],
    [{ ...good, size: parts.size + 1 }, 422, 'head must be the first'],
    [{ ...good, tail: 'AAAA' }, 422, 'tail must be the last 0 bytes'],
    [{}, 422, 'head must be a text in base64'],
    ['{', 400, 'not valid JSON'],
    [{ ...good, head: 'A'.repeat(6_000_000) }, 413, 'larger than'],
  ] as const) {
    const answer = await send(context, body);
    assert.is(answer.status, status, answer.text);
    assert.match(answer.text, sentence);
  }
});

test('only a full key on the page itself gets plans', async (context) => {
  const { owner, viewer } = context;
  const body = { request: {}, ...partsOf(await readFile(await media('silent.mp4'))) };
  assert.is((await send(context, body, viewer)).status, 403);
  assert.is((await send(context, body, '')).status, 401);
  for (const headers of [sameOrigin, { 'Sec-Fetch-Site': 'same-site', 'X-Venc': '1' }, { 'X-Venc': '1' }])
    assert.is((await send(context, body, owner, headers)).status, 403);
  const { status } = await ask(context.daemon, '/v2/plan', { method: 'POST', body: JSON.stringify(body) });
  assert.is(status, 404);
});

test('a session that asks for many plans at once waits', async (context) => {
  const body = { request: {}, ...partsOf(await readFile(await media('long.mp4'))) };
  const answers = await Promise.all(Array.from({ length: 9 }, () => send(context, body)));
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
  const late = answers.find(({ status }) => status === 429);
  assert.is(late?.headers['retry-after'], '1');
  assert.is((await send(context, body)).status, 200);
});

test.run();
