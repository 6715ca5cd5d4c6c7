import { mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli, startCli } from '../cli/run-cli.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** A folder with three short videos, one of them in a subfolder. */
async function films(): Promise<string> {
  const folder = tempFolder();
  await mkdir(join(folder, 'more'));
  await Promise.all(
    ['a.mov', 'b.mov', 'more/a.mov'].map((name) => makeMedia(join(folder, name), film('64x48', 1))),
  );
  return folder;
}

test('run encodes several inputs into a folder, continues after an error, and prints a summary', async () => {
  const cwd = await films();
  await writeFile(join(cwd, 'c.mov'), 'no film');
  const words = ['run', 'a.mov', 'nowhere.mov', 'c.mov', 'b.mov', '-o', 'out', '--width', '32'];
  const { code, stdout, stderr } = await runCli(words, { cwd });
  assert.is(code, 2, stderr);
  assert.is(stdout, 'out/a.mp4\nout/b.mp4\n');
  assert.equal((await readdir(join(cwd, 'out'))).sort(), ['a.mp4', 'b.mp4']);
  assert.match(stderr, /^venc: nowhere\.mov cannot be read/m);
  assert.match(stderr, /^venc: c\.mov: the encode failed\nvenc: {3}input: NoMediaError/m);
  assert.match(stderr, /^venc: out\/a\.mp4: [\d.]+ kB to [\d.]+ kB \(\d+%\), took [\d.]+m?s \([\d.]+x\)$/m);
  const [summary = '', ...rest] = stderr.slice(stderr.indexOf('venc: 2 of 4')).split('\n');
  assert.match(summary, /^venc: 2 of 4, 2 failed, [\d.]+ kB to [\d.]+ kB \(\d+%\), [\d.]+s$/);
  assert.match(rest[0] ?? '', /^venc: {3}nowhere\.mov: UsageError: nowhere\.mov cannot be read/);
  assert.match(rest[1] ?? '', /^venc: {3}c\.mov: NoMediaError: /);
  const repeat = 'venc: to repeat only these: venc run --out out --width 32 nowhere.mov c.mov';
  assert.equal(rest.slice(2), [repeat, '']);
});

test('an input without a job has an entry with its error in the results', async () => {
  const cwd = await films();
  for (const flag of ['--json', '--jsonl']) {
    const words = ['run', 'a.mov', 'nowhere.mov', '-o', 'out', '--width', '32', '--force', flag];
    const { code, stdout } = await runCli(words, { cwd });
    assert.is(code, 2);
    const found =
      flag === '--json'
        ? JSON.parse(stdout)
        : stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    const missing = {
      input: 'nowhere.mov',
      state: 'failed',
      error_class: 'UsageError',
      error_message: 'nowhere.mov cannot be read: there is no such file.',
      warnings: [],
      outputs: [],
    };
    // An array has the order of the inputs, and lines that of the ends.
    const [job, error] = flag === '--json' ? found : found.toReversed();
    const { input, state, outputs } = job;
    assert.equal([input, state, outputs, error], ['a.mov', 'finished', job.job.output_media_files, missing]);
  }
  const alone = await runCli(['run', 'nowhere.mov', '-o', 'a.mp4', '--json'], { cwd });
  assert.equal([alone.code, JSON.parse(alone.stdout)[0].error_class], [2, 'UsageError']);
});

test('--progress json has the whole batch in each line, and its percentage never falls', async () => {
  const cwd = await films();
  await writeFile(join(cwd, 'list.txt'), 'b.mov\0nowhere.mov\0');
  const words = ['run', 'a.mov', '--from', 'list.txt', '-o', 'out', '--width', '32', '--progress', 'json'];
  const { stderr } = await runCli(words, { cwd });
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  const records = lines.map((line) => JSON.parse(line));
  const percents = records.map(({ percent }) => percent);
  assert.equal(
    percents,
    percents.toSorted((one, other) => one - other),
  );
  const { files, files_done, files_failed, percent, event } = records.at(-1);
  assert.equal([files, files_done, files_failed, percent, event], [3, 2, 1, 100, '3 files']);
});

test('more than ten failed inputs are in a list that --from reads', async () => {
  const cwd = tempFolder();
  const names = Array.from({ length: 11 }, (_, index) => `gone ${index}.mov`);
  const { stderr } = await runCli(['run', ...names, '-o', 'out'], { cwd });
  const [, list = ''] = /venc run --out out --from (\S+)\n$/.exec(stderr) ?? [];
  assert.is(await readFile(list, 'utf8'), names.map((name) => `${name}\n`).join(''), stderr);
  await rm(dirname(list), { recursive: true });
});

test('output names that two inputs would share are reported before an encode starts', async () => {
  const cwd = await films();
  const words = ['run', 'a.mov', 'b.mov', 'more/a.mov', '-o', 'out/', '--on-conflict', 'fail'];
  const twice = await runCli(words, { cwd });
  assert.equal([twice.code, twice.stdout], [2, '']);
  assert.match(
    twice.stderr,
    /a\.mov and more\/a\.mov would both be written to out\/a\.mp4\.\nvenc: Nothing was encoded/,
  );
  const over = await runCli(['run', 'a.mov', 'b.mov', '--force', '--output', 'filename=b.mov'], { cwd });
  assert.is(over.code, 2);
  assert.match(over.stderr, /b\.mov of a\.mov is the input b\.mov/);
  const two = await runCli(['run', 'a.mov', 'b.mov', '-o', 'a.mp4', '-o', 'b.mp4'], { cwd });
  assert.is(two.code, 2);
  assert.match(two.stderr, /With 2 inputs, -o must be one folder/);
  assert.equal((await readdir(cwd)).sort(), ['a.mov', 'b.mov', 'more']);
});

test('a folder keeps its tree, and a rerun with --skip-existing makes only what is missing, broken or old', async () => {
  const cwd = await films();
  await makeMedia(join(cwd, 'more/b.mkv'), film('64x48', 1));
  await makeMedia(join(cwd, 'more/b.mov'), film('64x48', 1));
  await writeFile(join(cwd, 'more/a.srt'), '');
  const words = ['run', '.', '-o', 'out', '--width', '32', '--skip-existing'];
  const first = await runCli([...words, '--exclude', 'b.mov'], { cwd });
  assert.is(first.code, 0, first.stderr);
  assert.is(first.stdout, 'out/a.mp4\nout/more/a.mp4\nout/more/b.mp4\n');
  assert.match(first.stderr, /^venc: \.: passed over 1 file of no known media type \(1 \.srt\)$/m);
  const same = await runCli([...words, '--exclude', 'b.mov'], { cwd });
  assert.equal([same.code, same.stdout], [0, '']);
  assert.match(same.stderr, /^venc: 3 were there already$/m);
  await truncate(join(cwd, 'out/a.mp4'), 1500);
  await utimes(join(cwd, 'more/a.mov'), new Date(), new Date(Date.now() + 60_000));
  const second = await runCli(words, { cwd });
  assert.is(second.code, 0, second.stderr);
  assert.is(second.stdout, 'out/a.mp4\nout/b.mp4\nout/more/a.mp4\nout/more/b-2.mp4\n');
  assert.match(second.stderr, /^venc: 1 was there already$/m);
  assert.match(
    second.stderr,
    /^venc: more\/b\.mov: its output is out\/more\/b-2\.mp4, because more\/b\.mkv has out\/more\/b\.mp4$/m,
  );
});

test('--name names outputs by their input and their size', async () => {
  const cwd = await films();
  const pattern = ['--name', '{dir}/{stem}-{height}p.{ext}'];
  const { code, stdout, stderr } = await runCli(['run', '.', '-o', 'out', '--width', '32', ...pattern], {
    cwd,
  });
  assert.is(code, 0, stderr);
  assert.is(stdout, 'out/a-24p.mp4\nout/b-24p.mp4\nout/more/a-24p.mp4\n');
  for (const [flags, message] of [
    [['--name', '../{stem}.{ext}'], /leaves the folder of the outputs/],
    [['--name', '{stem}', '--filename', 'a.mp4'], /--filename names the outputs/],
    [['--name', '{stem}', '--hls'], /--hls or --dash names the outputs/],
    [['--name', '{stme}'], /did you mean \{stem\}\?/],
  ] as const) {
    const rejected = await runCli(['run', '.', '-o', 'out', ...flags], { cwd });
    assert.equal([rejected.code, rejected.stdout], [2, '']);
    assert.match(rejected.stderr, message);
  }
  assert.equal((await readdir(join(cwd, 'out'))).sort(), ['a-24p.mp4', 'b-24p.mp4', 'more']);
});

test('invalid flags of several inputs are reported once', async () => {
  const cwd = await films();
  const { code, stderr } = await runCli(['run', 'a.mov', 'b.mov', '--quality', '9'], { cwd });
  assert.is(code, 2);
  assert.is(stderr.match(/must be a whole number from 1 to 5/g)?.length, 1, stderr);
});

test('Ctrl-C ends all inputs, and finished outputs remain', async () => {
  const cwd = await films();
  await makeMedia(join(cwd, 'long.mov'), film('640x360', 6));
  const outputs = [{ speed: 1, quality: 5, width: 1920, upscale: true }];
  await writeFile(
    join(cwd, 'long.json'),
    JSON.stringify({ input: `file://${join(cwd, 'long.mov')}`, outputs }),
  );
  const run = startCli(['run', 'a.mov', 'long.json', 'b.mov', '-o', 'out/', '--progress', 'json'], { cwd });
  await run.expectedText('"file":"long.json","state":"processing"');
  run.child.kill('SIGINT');
  const { code, stdout, stderr } = await run.ended;
  assert.is(code, 130, stderr);
  assert.is(stdout, 'out/a.mp4\n');
  assert.match(stderr, /1 of 3 files had been encoded/);
  assert.equal(await readdir(join(cwd, 'out')), ['a.mp4']);
});

test.run();
