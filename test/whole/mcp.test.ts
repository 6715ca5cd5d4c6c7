import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

type Fields = Record<string, unknown>;

const program = resolve('bin/venc.js');
const test = suite<{ daemon: TestDaemon }>('venc mcp');

test.before(async (context) => {
  context.daemon = await startTestDaemon({ jobs: 1 });
});
test.after(({ daemon }) => daemon.stop());

/** A session of a client with the shipped program. */
interface Session {
  readonly client: Client;
  readonly root: string;
  readonly call: (name: string, args: Fields, options?: CallOptions) => Promise<Answer>;
  readonly pid: number;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Fields;
}

/** A root folder with the films `clip.mp4` and `long.mp4`, and a folder next to it with `secret.mp4`. */
async function createRoot(): Promise<string> {
  const folder = tempFolder();
  const root = join(folder, 'films');
  mkdirSync(join(root, 'out'), { recursive: true });
  mkdirSync(join(folder, 'other'));
  copyFileSync(await media('clip.mp4'), join(root, 'clip.mp4'));
  copyFileSync(await media('long.mp4'), join(root, 'long.mp4'));
  copyFileSync(await media('clip.mp4'), join(folder, 'other', 'secret.mp4'));
  symlinkSync(join(folder, 'other', 'secret.mp4'), join(root, 'link.mp4'));
  symlinkSync(join(folder, 'other'), join(root, 'link'));
  symlinkSync(join(folder, 'other', 'new.mp4'), join(root, 'dangling.mp4'));
  return root;
}

/** Runs `use` with a client of `venc mcp`, which runs in another folder than the root. */
async function inSession(
  args: readonly string[],
  use: (session: Session) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const root = await createRoot();
  const home = tempFolder();
  const { VENC_FFMPEG, VENC_FFPROBE, PATH = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--root', root, ...args],
    cwd: home,
    env: {
      ...{ PATH, HOME: home, VENC_DATA: join(home, 'data') },
      ...(VENC_FFMPEG === undefined ? {} : { VENC_FFMPEG }),
      ...(VENC_FFPROBE === undefined ? {} : { VENC_FFPROBE }),
      ...env,
    },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const call = async (name: string, given: Fields, options: CallOptions = {}): Promise<Answer> => {
    const answer = await client.callTool({ name, arguments: given }, undefined, options);
    const [first] = answer.content as readonly { readonly text: string }[];
    return {
      isError: answer.isError === true,
      text: first?.text ?? '',
      value: (answer.structuredContent ?? {}) as Fields,
    };
  };
  try {
    await use({ client, root, call, pid: transport.pid ?? 0 });
  } finally {
    await client.close();
  }
}

/** The command lines of running encoders that name the folder. */
function encodersIn(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    })
    .filter((line) => /ffmpeg/.test(line) && line.includes(folder));
}

async function until(condition: () => boolean, seconds = 10): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    if (condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return condition();
}

const slow = { speed: 1, width: 1280, height: 720, upscale: true, video_codec: 'hevc' };

test('the six tools are listed, and encode says that plan comes first', async () => {
  await inSession([], async ({ client, root }) => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).sort();
    assert.equal(names, ['encode', 'list_settings', 'plan', 'probe', 'status', 'submit']);
    assert.match(tools.find(({ name }) => name === 'encode')?.description ?? '', 'plan first');
    for (const { description = '', inputSchema } of tools) {
      assert.ok(description.length > 40);
      assert.is(inputSchema.additionalProperties, false);
    }
    assert.match(client.getInstructions() ?? '', root);
  });
});

test('a film is probed, planned and encoded, with progress', async () => {
  await inSession([], async ({ call, client, root }) => {
    const probed = await call('probe', { input: 'clip.mp4' });
    assert.is(probed.value.width, 160, probed.text);
    const args = { input: 'clip.mp4', output: 'out/small.mp4', settings: { width: 64, speed: 5 } };
    const planned = await call('plan', args);
    assert.match(planned.text, '"does": "encode"');
    assert.not.ok(existsSync(join(root, 'out/small.mp4')));
    const progress: number[] = [];
    // The client forgets the listener of a call before it handles progress that was read together with the answer.
    client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      progress.push(params.progress);
    });
    const encoded = await call('encode', args, { onprogress: () => {} });
    assert.not.ok(encoded.isError, encoded.text);
    assert.ok(existsSync(join(root, 'out/small.mp4')));
    assert.match(encoded.text, join(root, 'out/small.mp4'));
    assert.is(progress.at(-1), 100);
    assert.equal(
      progress,
      [...progress].sort((a, b) => a - b),
    );
    const again = await call('encode', args);
    assert.ok(again.isError);
    assert.match(again.text, /exists/);
    assert.not.ok((await call('encode', { ...args, overwrite: true })).isError);
    const several = [
      { output: 'a.mp4', width: 64 },
      { output: 'b.mp3', skip_video: true },
    ];
    const both = await call('encode', { input: join(root, 'clip.mp4'), outputs: several });
    assert.not.ok(both.isError, both.text);
    assert.ok(existsSync(join(root, 'a.mp4')) && existsSync(join(root, 'b.mp3')));
  });
});

test('no file outside of the root is read or written, by any way', async () => {
  await inSession([], async ({ call, root }) => {
    const other = resolve(root, '../other');
    const secret = join(other, 'secret.mp4');
    const inputs = ['../other/secret.mp4', secret, pathToFileURL(secret).href, `FILE://${secret}`];
    const forbidden: readonly Fields[] = [
      ...[...inputs, ` file://${secret}`, 'link.mp4', 'link/secret.mp4', 'file:/etc/passwd', 'a\0b'].map(
        (input) => ({ input, output: 'x.mp4' }),
      ),
      ...['../other/x.mp4', join(other, 'x.mp4'), pathToFileURL(join(other, 'x.mp4')).href].map((output) => ({
        input: 'clip.mp4',
        output,
      })),
      ...['link/x.mp4', 'dangling.mp4', 'link/deep/x.mp4'].map((output) => ({ input: 'clip.mp4', output })),
      ...[
        { caption_url: secret },
        { captionUrl: [{ url: '../other/secret.mp4' }] },
        { 'captions-url': { url: 'link/secret.mp4' } },
        { watermark: { url: secret } },
        { watermarks: [{ url: pathToFileURL(secret).href }] },
        { cover: 'link.mp4' },
        { thumbnails: { number: 1, base_url: pathToFileURL(other).href } },
        { secondary_url: pathToFileURL(join(other, 'x.mp4')).href },
      ].map((settings) => ({ input: 'clip.mp4', output: 'x.mp4', settings })),
      { input: 'clip.mp4', outputs: [{ output: 'x.mp4' }, { output: '../other/y.mp4' }] },
      { input: 'clip.mp4', outputs: [{ output: 'x.mp4', cover: secret }] },
    ];
    for (const args of forbidden) {
      for (const name of ['plan', 'encode']) {
        const { isError, text } = await call(name, args);
        assert.ok(isError, JSON.stringify(args));
        assert.match(text, /not in the folder|not a file on this machine|control characters/, text);
      }
    }
    for (const input of inputs) assert.match((await call('probe', { input })).text, 'not in the folder');
    assert.match((await call('submit', { input: secret })).text, 'not in the folder');
    assert.equal(readdirSync(other), ['secret.mp4']);
    assert.not.ok(existsSync(join(root, 'x.mp4')));
  });
});

test('private addresses, the options of the library and unknown arguments are refused', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('x');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await inSession([], async ({ call }) => {
    const url = `http://127.0.0.1:${port}/film.mp4`;
    for (const input of [url, 'http://169.254.169.254/latest', `http://localhost:${port}/film.mp4`]) {
      for (const [name, args] of [
        ['probe', { input }],
        ['encode', { input, output: 'x.mp4' }],
      ] as const) {
        const { isError, text } = await call(name, args);
        assert.ok(isError, text);
      }
    }
    const args = { input: url, output: 'x.mp4' };
    for (const name of ['allowPrivateNetwork', 'allow_private_network', 'overwrite']) {
      const { isError, text } = await call('encode', { ...args, settings: { [name]: true } });
      assert.ok(isError);
      assert.match(text, 'is not a setting');
    }
    assert.match((await call('encode', { ...args, shell: 'ls' })).text, '"shell" is not an argument');
    assert.match((await call('encode', { input: 'clip.mp4', output: 5 })).text, 'output must be a text');
    assert.match(
      (await call('encode', { input: 'clip.mp4', output: 'x.mp4', settings: { width: 'wide' } })).text,
      'width must be',
    );
  });
  server.close();
  assert.is(requests, 0);
});

test('--max-size and --max-time limit a call', async () => {
  await inSession(['--max-size', '1kB'], async ({ call }) => {
    const { isError, text } = await call('encode', { input: 'clip.mp4', output: 'x.mp4' });
    assert.ok(isError);
    assert.match(text, '--max-size');
  });
  await inSession(['--max-time', '1'], async ({ call, root }) => {
    const { isError, text } = await call('encode', { input: 'long.mp4', output: 'x.mp4', settings: slow });
    assert.ok(isError);
    assert.match(text, '--max-time');
    assert.ok(await until(() => encodersIn(root).length === 0));
    assert.not.ok(existsSync(join(root, 'x.mp4')));
  });
});

test('a call that is cancelled ends its ffmpeg, and the session goes on', async () => {
  await inSession([], async ({ call, root }) => {
    const cancelled = new AbortController();
    const ended = call(
      'encode',
      { input: 'long.mp4', output: 'x.mp4', settings: slow },
      { signal: cancelled.signal },
    );
    ended.catch(() => undefined);
    assert.ok(await until(() => encodersIn(root).length > 0, 20));
    cancelled.abort('enough');
    let rejected = false;
    await ended.catch(() => {
      rejected = true;
    });
    assert.ok(rejected);
    assert.ok(await until(() => encodersIn(root).length === 0));
    assert.not.ok(existsSync(join(root, 'x.mp4')));
    assert.is((await call('probe', { input: 'clip.mp4' })).value.width, 160);
  });
});

test('when the client leaves, ffmpeg and the program end', async () => {
  let pid = 0;
  let folder = '';
  await inSession([], async ({ call, root, pid: own }) => {
    pid = own;
    folder = root;
    call('encode', { input: 'long.mp4', output: 'x.mp4', settings: slow }).catch(() => undefined);
    assert.ok(await until(() => encodersIn(root).length > 0, 20));
  });
  assert.ok(await until(() => encodersIn(folder).length === 0 && !existsSync(`/proc/${pid}`)));
  assert.not.ok(existsSync(join(folder, 'x.mp4')));
});

test('submit uploads a film and creates a job, and status follows it', async ({ daemon }) => {
  await inSession(
    [],
    async ({ call }) => {
      const request = { outputs: [{ width: 64, speed: 5 }] };
      const { value, text, isError } = await call('submit', { input: 'clip.mp4', request });
      assert.not.ok(isError, text);
      await daemon.waitForJob(Number(value.id));
      const status = await call('status', { id: value.id });
      assert.match(status.text, '"state": "finished"');
      assert.match((await call('status', {})).text, `"id": ${value.id}`);
      const wrong = await call('submit', { input: 'clip.mp4', request: { outputs: [{ speed: 9 }] } });
      assert.ok(wrong.isError);
      assert.match(wrong.text, 'outputs[0].speed must be');
      assert.match((await call('status', { id: 'x' })).text, 'id must be');
      assert.not.match((await call('status', {})).text, daemon.key);
    },
    { VENC_URL: daemon.url, VENC_API_KEY: daemon.key },
  );
});

test('list_settings finds settings without a service', async () => {
  await inSession([], async ({ call }) => {
    assert.match((await call('list_settings', {})).text, '"video_bitrate"');
    const { text } = await call('list_settings', { search: 'h264 profile' });
    assert.match(text, '"h264_profile"');
    assert.not.match(text, '"audio_bitrate"');
  });
});

test('stdout has nothing but the protocol, whatever is sent', async () => {
  const root = await createRoot();
  const child = spawn(process.execPath, [program, 'mcp', '-v', '--root', root]);
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const messages = [
    'no JSON',
    '{"jsonrpc":"2.0"}',
    {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'no such tool', arguments: {} } },
    {
      ...{ jsonrpc: '2.0', id: 3, method: 'tools/call' },
      params: { name: 'plan', arguments: { input: 'clip.mp4', output: 'x.mp4' } },
    },
  ];
  for (const one of messages) child.stdin.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`);
  assert.ok(await until(() => stdout.includes('"id":3'), 30), stdout);
  child.stdin.end();
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.is(code, 0);
  for (const line of stdout.trimEnd().split('\n')) assert.is(JSON.parse(line).jsonrpc, '2.0', line);
  assert.match(stdout, '"id":2,"error"');
});

test('a root that is no folder is an error', async () => {
  const child = spawn(process.execPath, [program, 'mcp', '--root', '/no/such/folder']);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.is(code, 2);
  assert.match(stderr, '--root needs an existing folder');
});

test.run();
