import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { type CliResult, runCli } from './run-cli.js';
import { runInProcess } from './run-here.js';

/** The flags for the ffmpeg that the tests use. */
async function programs(): Promise<readonly string[]> {
  const { ffmpeg, ffprobe } = await testFfmpeg();
  return ['--ffmpeg', ffmpeg.path, '--ffprobe', ffprobe.path];
}

/** Runs plan in this process: two seconds of film, 160x120, unless a file is named. */
async function planHere(words: readonly string[], input?: string): Promise<CliResult> {
  return runInProcess(['plan', input ?? (await media('clip.mp4')), ...words, ...(await programs())]);
}

interface PrintedStep {
  readonly outputs: readonly { readonly number: number; readonly url: string; readonly path: string }[];
  readonly does: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly share?: number;
}

test('an output made from another one keeps the sample rate of that', async () => {
  const request = {
    input: pathToFileURL(await media('clip.mp4')).href,
    outputs: [
      { label: 'small', audio_sample_rate: 22_050 },
      { source: 'small', filename: 'again.mp4' },
    ],
  };
  const path = join(tempFolder(), 'request.json');
  await writeFile(path, JSON.stringify(request));
  const steps: readonly PrintedStep[] = JSON.parse((await planHere(['--json'], path)).stdout);
  const rates = steps.map(({ args }) => args[args.indexOf('-ar') + 1]);
  assert.equal(rates, ['22050', '22050']);
});

test('a copy without a word copies in any case, and with auto if it may', async () => {
  const codecs = async (words: readonly string[]) => {
    const { code, stdout, stderr } = await planHere([...words, '--json']);
    assert.is(code, 0, stderr);
    const [{ args }]: readonly [PrintedStep] = JSON.parse(stdout);
    return ['-c:v', '-c:a'].map((name) => args[args.indexOf(name) + 1]);
  };
  assert.equal(await codecs(['--copy-video', 'auto', '--copy-audio', 'auto']), ['copy', 'copy']);
  assert.equal(await codecs(['--copy-video=auto', '--copy-audio']), ['copy', 'copy']);
  assert.equal(await codecs(['--copy-video', 'auto', '--width', '80', '--copy-audio=false']), [
    'libx264',
    'aac',
  ]);
  const film = await media('clip.mp4');
  const { stderr } = await runInProcess(['plan', '--copy-video', film, ...(await programs())]);
  assert.is(stderr, '');
  const wrong = await planHere(['--copy-video=maybe']);
  assert.match(wrong.stderr, '--copy-video must be true or false, or auto');
});

test('the printed lines are a script that a shell runs, and match --json', async () => {
  const folder = tempFolder();
  const elsewhere = join(folder, 'else where');
  await mkdir(elsewhere);
  const film = join(folder, "it's $HOME \u001b.mp4");
  await copyFile(await media('clip.mp4'), film);
  const logo = pathToFileURL(await media('image.png')).href;
  const request = {
    input: pathToFileURL(film).href,
    outputs: [
      { label: 'small', video_bitrate: 200, width: 96, watermark: { url: logo } },
      { filename: 'audio.mp3' },
    ],
  };
  await writeFile(join(folder, 'request.json'), JSON.stringify(request));
  const planArgs = ['plan', 'request.json', ...(await programs())];
  const [text, json] = await Promise.all([
    runCli(['plan', '-', ...planArgs.slice(2)], { cwd: folder, stdin: JSON.stringify(request) }),
    runCli([...planArgs, '--json'], { cwd: folder }),
  ]);
  assert.equal([text.code, text.stderr, json.code, json.stderr], [0, '', 0, '']);
  const steps: readonly PrintedStep[] = JSON.parse(json.stdout);
  const printer = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const lines = text.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const read = lines.map((line): unknown => {
    const script = `exec '${process.execPath}' -e '${printer}' -- ${line}`;
    return JSON.parse(spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout);
  });
  assert.equal(
    read,
    steps.map(({ program, args }) => [program, ...args]),
  );
  assert.ok(steps.some(({ args }) => args.includes(`file:${film}`)));
  assert.equal(await readdir(folder), ['else where', "it's $HOME \u001b.mp4", 'request.json']);

  const ran = spawnSync('sh', [], { cwd: elsewhere, input: text.stdout, encoding: 'utf8' });
  assert.is(ran.status, 0, ran.stderr);
  const made = new Map(steps.flatMap(({ outputs }) => outputs).map((output) => [output.number, output]));
  assert.is(made.get(2)?.url, pathToFileURL(join(folder, 'audio.mp3')).href);
  const { probe } = await testFfmpeg();
  assert.equal((await readdir(elsewhere)).filter((name) => /\.mp[34]$/.test(name)).sort(), [
    'audio.mp3',
    "it's $HOME \u001b-small.mp4",
  ]);
  const small = await probe(join(elsewhere, made.get(1)?.path ?? ''));
  const audioFacts = await probe(join(elsewhere, made.get(2)?.path ?? ''));
  assert.equal(
    [small.video?.width, small.video?.height, audioFacts.video, audioFacts.audio?.codec],
    [96, 72, null, 'mp3'],
  );
});

test('the printed lines write to the destination of -o, create missing folders and overwrite nothing', async () => {
  const folder = tempFolder();
  await copyFile(await media('clip.mp4'), join(folder, 'film.mp4'));
  const words = [
    '--output',
    'label=a,width=64,video_bitrate=100',
    '--output',
    'width=32',
    '--output',
    'width=48',
  ];
  const planArgs = [
    'plan',
    'film.mp4',
    '-o',
    'my out/',
    '--thumbnails',
    '2',
    ...words,
    ...(await programs()),
  ];
  const { code, stdout, stderr } = await runCli(planArgs, { cwd: folder });
  assert.equal([code, stderr], [0, '']);
  assert.match(stdout, /^# output 1 \(a\): my out\/film-a\.mp4\n# output 2: my out\/film-2\.mp4\n/);
  const sh = () => spawnSync('sh', ['-e'], { cwd: folder, input: stdout, encoding: 'utf8' });
  const ran = sh();
  assert.is(ran.status, 0, ran.stderr);
  const made = (name: string) => [`${name}.mp4`, `${name}_0000.png`, `${name}_0001.png`];
  assert.equal((await readdir(join(folder, 'my out'))).sort(), ['film-2', 'film-3', 'film-a'].flatMap(made));
  const written = await readFile(join(folder, 'my out', 'film-2.mp4'));
  const again = sh();
  assert.not.equal(again.status, 0);
  assert.match(again.stderr, 'already exists');
  assert.equal(await readFile(join(folder, 'my out', 'film-2.mp4')), written);
});

test('the progress weights of the steps of each output add up to 1', async () => {
  const { stdout } = await planHere(['--json', '-o', 'a.mp4', '-o', 'b.webm', '--video-bitrate', '200']);
  const steps: readonly PrintedStep[] = JSON.parse(stdout);
  for (const number of [1, 2]) {
    const own = steps.filter(({ outputs }) => outputs.some((output) => output.number === number));
    assert.ok(Math.abs(own.reduce((sum, { share = 0 }) => sum + share, 0) - 1) < 1e-9, String(number));
  }
});

test('thumbnails are made by lines after those that encode their output', async () => {
  const folder = tempFolder();
  const words = ['--output', 'filename=a.webm,width=32,thumbnails=3', '--output', 'filename=b.mp3'];
  const { code, stdout, stderr } = await planHere(words);
  assert.equal([code, stderr], [0, '']);
  assert.match(stdout, /# step 2 of 3, for output 1: thumbnails[\s\S]+# step 3 of 3, for output 2\n/);
  const ran = spawnSync('sh', [], { cwd: folder, input: stdout, encoding: 'utf8' });
  assert.is(ran.status, 0, ran.stderr);
  const made = await readdir(folder);
  assert.equal(made.sort(), ['a.webm', 'a_0000.png', 'a_0001.png', 'a_0002.png', 'b.mp3']);
  const json = await planHere([...words, '--json']);
  const steps: readonly PrintedStep[] = JSON.parse(json.stdout);
  assert.equal(
    steps.map(({ does, share }) => [does, share]),
    [
      ['encode', 1],
      ['thumbnails', undefined],
      ['encode', 1],
    ],
  );
});

test('an output that cannot be made from this input is reported, and the others are planned', async () => {
  const words = ['--output', 'start_clip=90,filename=late.mp4', '--output', 'filename=whole.mp4'];
  const { code, stdout, stderr } = await planHere(words);
  assert.is(code, 1);
  assert.match(stderr, /^venc: output 1 cannot be made: late\.mp4: \w+Error: .+\n$/);
  assert.match(stdout, /^# output 2: whole\.mp4\n/);
  const none = await planHere(['--output', 'start_clip=90', '--json']);
  assert.equal([none.code, none.stdout], [1, '[]\n']);
});

test('an invalid request is reported with every reason, and nothing is printed', async () => {
  const { code, stdout, stderr } = await planHere(['--quality', '9', '--audio-bitrate', '7']);
  assert.equal([code, stdout], [2, '']);
  assert.match(stderr, '--quality must be a whole number from 1 to 5');
  assert.match(stderr, '--audio-bitrate must be');
});

/** Arguments that no plan can be made of: the input, the exit code, the message. */
const impossible: readonly (readonly [string, () => Promise<string>, number, RegExp])[] = [
  ['an address elsewhere', async () => 'http://127.0.0.1:9/a.mp4', 2, /needs a local input file/],
  ['an address of a file server', async () => 'sftp://me@127.0.0.1:9/a.mp4', 2, /needs a local input file/],
  ['an upload', async () => 'upload://token/a.mp4', 2, /has the scheme "upload"/],
  ['a missing file', async () => '/nowhere/a.mp4', 2, /there is no such file/],
  ['a folder', async () => tempFolder(), 2, /it is a folder/],
  ['an image', () => media('image.png'), 1, /./],
];

for (const [name, input, expected, message] of impossible) {
  test(`no plan can be made of ${name}`, async () => {
    const { code, stdout, stderr } = await planHere([], await input());
    assert.equal([code, stdout], [expected, '']);
    assert.match(stderr, message);
  });
}

test('a remote watermark is not fetched, and the assumption is reported', async () => {
  const { code, stdout, stderr } = await planHere([
    '--watermark',
    'url=http://me:secret@127.0.0.1:9/logo.png',
  ]);
  assert.is(code, 0);
  assert.is(
    stderr,
    'venc: warning: the watermark http://me@127.0.0.1:9/logo.png was not fetched and is assumed to be a PNG of 100x100 pixels, ./watermark-1.png\n',
  );
  assert.match(stdout, 'file:./watermark-1.png');
});

test('remote outputs are planned without a request, and shown without their passwords', async () => {
  const destinations = [
    's3://key:hunter2secret@bucket/a b.mp4',
    'gcs://bucket/b.mp4',
    'cf://user:hunter2secret@container/c.mp4',
    'ftp://me:hunter2secret@127.0.0.1:9/d.mp4',
    'ftps://127.0.0.1:9/e.mp4',
    'sftp://me:hunter2secret@127.0.0.1:9/f.mp4',
  ];
  const { code, stdout, stderr } = await planHere(
    destinations.flatMap((destination) => ['--output', `url=${destination}`]),
  );
  assert.equal([code, stderr], [0, '']);
  assert.match(
    stdout,
    /# output 1: \.\/output-1\.mp4, to be uploaded to s3:\/\/key:\*\*\*@bucket\/a b\.mp4\n/,
  );
  assert.match(stdout, 'sftp://me:***@127.0.0.1:9/f.mp4');
  assert.not.match(stdout, 'hunter2secret');
  const rejected = await planHere(['--output', 'url=sftp://host/a/', '--output', 'url=s3://bucket:80/a.mp4']);
  assert.is(rejected.code, 2);
  assert.match(rejected.stderr, '--output 1: url must name a file');
  assert.match(rejected.stderr, '--output 2: url must name a bucket');
});

test('a local watermark that is not an image fails its output', async () => {
  const noVideo = await media('audio.mp3');
  const { code, stderr } = await planHere(['--watermark', `url=${pathToFileURL(noVideo).href}`]);
  assert.is(code, 1);
  assert.match(stderr, `WatermarkError: The watermark ${noVideo} cannot be read: `);
});

test('a request for the daemon with notifications can be planned', async () => {
  const folder = tempFolder();
  const input = pathToFileURL(await media('clip.mp4')).href;
  const request = join(folder, 'request.json');
  await writeFile(request, JSON.stringify({ input, test: true, notifications: 'http://example.com/done' }));
  const { code, stdout, stderr } = await planHere([], request);
  assert.equal([code, stderr], [0, '']);
  assert.match(stdout, ' -t 5 ');
  await writeFile(request, JSON.stringify({ input, notifications: 'ftp://example.com/done' }));
  assert.is((await planHere([], request)).code, 2);
});

test.run();
