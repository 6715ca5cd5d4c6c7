import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandTree, loadProgram } from '../../../src/cli/command-tree.js';
import { commandSynonyms, flagSynonyms } from '../../../src/cli/input/synonyms.js';
import { createIo } from '../../../src/cli/terminal/io.js';
import { media } from '../../helpers/media.js';
import { runInProcess } from '../run-here.js';

/** The typed arguments, and the expected hint: exit code 2, and nothing runs. */
const answered: readonly (readonly [string, string])[] = [
  ['submit a.mov --bitrate 4', 'did you mean --video-bitrate, --audio-bitrate?'],
  ['submit a.mov --vidio-codec vp8', 'did you mean --video-codec, --audio-codec?'],
  ['run a.mov -vn', 'did you mean --skip-video?'],
  ['run a.mov -vcodec h264', 'did you mean --video-codec?'],
  [
    'run a.mov -n',
    'no file is overwritten without --force; --dry-run prints the command lines without running them',
  ],
  ['submit a.mov --dry-run', '--mock has the service check the request and queue nothing; venc plan prints'],
  ['list --qqqq', 'venc list --help lists the flags'],
  ['get 4', 'did you mean download, show?'],
  ['status', 'venc list shows all jobs, venc show ID one of them, venc doctor the service'],
  ['encode a.mov', 'venc run encodes on this machine, venc submit has the service do it'],
  ['stop 4', 'did you mean cancel?'],
  ['target rm studio', 'did you mean remove?'],
  ['help ps', 'did you mean list?'],
];

test('arguments of other programs are answered with the arguments to use', async () => {
  for (const [typed, hint] of answered) {
    const { code, stdout, stderr } = await runInProcess(typed.split(' '));
    assert.equal([code, stdout], [2, ''], typed);
    assert.ok(stderr.split('\n')[1]?.startsWith(`venc: hint: ${hint}`), `${typed}: ${stderr}`);
    assert.not.match(stderr, /--rotate|--test|target\?/);
  }
});

/** The typed arguments, and the equivalent ones. */
const same: readonly (readonly [string, string])[] = [
  ['-v', '--version'],
  ['version', '--version'],
  ['ps --json', 'list --json'],
  ['jobs -n 3', 'list --per-page 3'],
  ['status 5', 'show 5'],
  ['log 5 --json', 'logs 5 --json'],
  ['accounts ls --json', 'accounts list --json'],
];

test('an alias runs the command with the same meaning', async () => {
  for (const [typed, meant] of same) {
    const [one, other] = await Promise.all([runInProcess(typed.split(' ')), runInProcess(meant.split(' '))]);
    const text = ({ code, stdout, stderr }: typeof one) =>
      `${code} ${stdout}${stderr}`.replace(/\S*\/data\b|"?\d{4}-\S+/g, '');
    assert.is(text(one), text(other), typed);
  }
});

test('run --dry-run prints the same as plan, with the flags of other programs', async () => {
  const film = await media('clip.mp4');
  const typed = `run ${film} --dry-run -y --progress none --codec X265 --fps=10 --resolution 64x48 --start-clip 0:01`;
  const meant = `plan ${film} --video-codec hevc --frame-rate 10 --size 64x48 --start-clip 00:00:01`;
  const [one, other] = await Promise.all([runInProcess(typed.split(' ')), runInProcess(meant.split(' '))]);
  assert.equal([one.code, one.stderr, one.stdout], [0, other.stderr, other.stdout]);
  assert.match(one.stdout, /-c:v libx265/);
});

test('a value that looks like a flag of another program is a value', async () => {
  const { stderr } = await runInProcess([
    'run',
    'none.mov',
    '--label',
    '--codec',
    '--fps',
    '10',
    '--',
    '--codec',
  ]);
  assert.match(stderr, /too many arguments|none\.mov cannot be read/);
});

test('the service receives settings under their documented names', async () => {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method === 'POST') bodies.push(JSON.parse(body));
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id": "5", "outputs": []}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const env = { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
  const codecs = ['h264', 'x264', 'H.264', 'h265', 'x265', 'HEVC'];
  try {
    for (const words of [
      ...codecs.map((codec) => ['--codec', codec]),
      ['--start-clip', '1:30', '--clip-length', '75:00.5'],
      ['--start-clip', '1:02:03', '--clip-length', '90s'],
      ['--start-clip', '5', '--clip-length', '1:75:00'],
      ['--output', 'video_codec=x265,start_clip=0:05'],
    ]) {
      const { code, stderr } = await runInProcess(['submit', 'http://h/a.mov', ...words], { env });
      assert.equal([code, stderr], [0, ''], words.join(' '));
    }
  } finally {
    server.close();
  }
  const input = 'http://h/a.mov';
  assert.equal(bodies, [
    ...['h264', 'h264', 'h264', 'hevc', 'hevc', 'HEVC'].map((video_codec) => ({
      input,
      outputs: [{ video_codec }],
    })),
    { input, outputs: [{ start_clip: '00:01:30', clip_length: '01:15:00.5' }] },
    { input, outputs: [{ start_clip: '01:02:03', clip_length: 90 }] },
    { input, outputs: [{ start_clip: '5', clip_length: '1:75:00' }] },
    { input, outputs: [{ video_codec: 'hevc', start_clip: '00:00:05' }] },
  ]);
});

test('the error for --thumbnails shows a number as its main form', async () => {
  for (const words of [
    ['--thumbnails', 'x'],
    ['--output', 'thumbnails=x'],
  ]) {
    const { code, stderr } = await runInProcess(['plan', await media('clip.mp4'), ...words]);
    assert.is(code, 2);
    assert.match(
      stderr,
      /must be a number or name=value,name=value\.\nvenc: hint: for example 5, or number=5; /,
    );
  }
});

test('every alias of other programs refers to an existing command or flag', async () => {
  const tree = commandTree(await loadProgram(createIo(process, false, (code) => process.exit(code))));
  const commands = [tree, ...tree.commands.flatMap((one) => [one, ...one.commands])];
  const flags = new Set(commands.flatMap((one) => one.flags.flatMap(({ long, short }) => [long, short])));
  const names = new Set(commands.map(({ path }) => path.at(-1)));
  for (const [typed, synonym] of Object.entries(flagSynonyms)) {
    const meant =
      'is' in synonym
        ? [synonym.is.replace(/=.*/, '')]
        : 'alternatives' in synonym
          ? synonym.alternatives
          : [];
    for (const flag of meant) assert.ok(flags.has(flag), `${typed}: ${flag}`);
  }
  for (const [typed, synonym] of Object.entries(commandSynonyms)) {
    assert.not.ok(tree.commands.some(({ path }) => path[0] === typed) && 'is' in synonym, typed);
    const meant = 'is' in synonym ? [synonym.is] : 'alternatives' in synonym ? synonym.alternatives : [];
    for (const name of meant) {
      assert.ok(names.has(name) || ['--version', 'rm'].includes(name), `${typed}: ${name}`);
    }
  }
});

test.run();
