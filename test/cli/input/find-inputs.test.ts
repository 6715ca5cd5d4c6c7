import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FolderArgs, findInputs } from '../../../src/cli/input/find-inputs.js';
import { tempFolder } from '../../helpers/temp.js';
import { runCli } from '../run-cli.js';

const test = suite<{ root: string }>('the inputs in a folder');
const parent = tempFolder();
test.before.each((context) => {
  context.root = mkdtempSync(join(parent, 'films-'));
});

/** Creates empty files, with their folders. */
function create(root: string, ...paths: readonly (string | Buffer)[]): void {
  for (const path of paths) {
    const bytes = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path)]);
    const slash = bytes.lastIndexOf('/');
    mkdirSync(bytes.subarray(0, slash), { recursive: true });
    if (slash < bytes.length - 1) writeFileSync(bytes, '');
  }
}

/** The paths and folders that are found, the errors, and what is printed; the root is written as R. */
async function find(
  root: string,
  args: readonly string[],
  options: FolderArgs = {},
  out: string | null = null,
) {
  const printed: string[] = [];
  const short = (text: string) => text.replaceAll(root, 'R');
  const { inputs, hasFolder } = await findInputs(args, options, {
    io: { writeInfo: (text) => printed.push(short(text)) },
    outFolder: out,
  });
  return {
    hasFolder,
    paths: inputs.filter(({ error }) => error === null).map(({ name }) => short(name)),
    folders: inputs.filter(({ error }) => error === null).map(({ folder }) => folder),
    errors: inputs.flatMap(({ error }) => (error === null ? [] : [short(error.message)])),
    printed: printed.join(''),
  };
}

test('are the media files in it and in its folders, sorted by path', async ({ root }) => {
  create(
    root,
    'b.mov',
    'a.MKV',
    's 1/e1.mp4',
    's 1/x/ü.webm',
    's 1/theme.flac',
    'a.srt',
    'a.nfo',
    'b.nfo',
    'README',
  );
  const { hasFolder, paths, folders, errors, printed } = await find(root, [`${root}/`]);
  assert.ok(hasFolder);
  assert.equal(paths, ['R/a.MKV', 'R/b.mov', 'R/s 1/e1.mp4', 'R/s 1/theme.flac', 'R/s 1/x/ü.webm']);
  assert.equal(folders, ['', '', 's 1', 's 1', 's 1/x']);
  assert.equal(errors, []);
  assert.is(
    printed,
    'venc: R/: passed over 4 files of no known media type (2 .nfo, 1 .srt, 1 without extension)\n',
  );
});

test('are not hidden, partial, requests or in the folder of the outputs', async ({ root }) => {
  create(root, 'a.mov', '.b.mov', '.cache/c.mov', 'a.mov.part', 'r.json', 'r.xml', 'out/s/a.mp4');
  for (const options of [{}, { match: ['*'] }]) {
    const { paths, printed } = await find(root, [root], options, `${root}/out`);
    assert.equal(paths, ['R/a.mov']);
    assert.match(printed, /passed over 3 files .*1 \.part/);
  }
  assert.equal((await find(root, [root], {}, `${root}/elsewhere`)).paths, ['R/a.mov', 'R/out/s/a.mp4']);
  symlinkSync(root, `${root}/.link`);
  const same = await find(root, [root], {}, `${root}/.link`).catch((error: unknown) => error);
  assert.match(String(same), /has the inputs, so it cannot have the outputs as well/);
});

test('match --match and not --exclude, in any letter case', async ({ root }) => {
  create(root, 'a.mov', 'b.mkv', 'c.mp4', 's1/d.mov', 'Extras/e.mov', 's1/extras/f.mov', 's1/dump.bin');
  const cases: readonly (readonly [FolderArgs, readonly string[]])[] = [
    [{ match: ['*.{MOV,mkv}'], exclude: ['extras'] }, ['R/a.mov', 'R/b.mkv', 'R/s1/d.mov']],
    [{ match: ['s1/*'] }, ['R/s1/d.mov', 'R/s1/dump.bin']],
    [{ match: ['a*', 'b*'] }, ['R/a.mov', 'R/b.mkv']],
    [{ exclude: ['extras', '*.mov', 's1/*'] }, ['R/b.mkv', 'R/c.mp4']],
  ];
  for (const [options, expected] of cases) {
    const found = await find(root, [root], options);
    assert.equal([found.paths, found.errors], [expected, []]);
  }
});

test('are found once, through links as well, and a loop of links ends', async ({ root }) => {
  const outside = mkdtempSync(join(parent, 'more-'));
  create(outside, 'far.mov', 'far/away.mov');
  create(root, 'a.mov', 's1/b.mov', 'z/c.mov');
  symlinkSync('..', `${root}/s1/up`);
  symlinkSync('../..', `${root}/s1/above`);
  symlinkSync('.', `${root}/s1/here`);
  symlinkSync('../z', `${root}/s1/link`);
  symlinkSync('../z/c.mov', `${root}/s1/again.mov`);
  symlinkSync(outside, `${root}/nas`);
  symlinkSync(root, `${outside}/back`);
  symlinkSync(`${outside}/far.mov`, `${root}/far.mov`);
  symlinkSync('self.mov', `${root}/self.mov`);
  symlinkSync('nowhere.mov', `${root}/gone.mov`);
  symlinkSync('nowhere', `${root}/gone`);
  symlinkSync('/dev/null', `${root}/null.mov`);
  const { paths, errors, printed } = await find(root, [root, `${root}/s1`, `${root}/a.mov`]);
  assert.equal(paths, ['R/far.mov', 'R/nas/far/away.mov', 'R/s1/b.mov', 'R/z/c.mov', 'R/a.mov']);
  assert.equal(errors, [
    'R/gone.mov cannot be read: there is no such file.',
    'R/self.mov cannot be read: its symbolic links form a loop.',
  ]);
  assert.match(printed, /R: passed over 1 file .*\(1 without extension\)/);
  assert.match(printed, /R: passed over 1 pipe, socket or device$/m);
  assert.match(printed, /R: passed over 5 files or folders found a second time, through links/);
});

test('include what cannot be read as failures, also names that are not UTF-8', async ({ root }) => {
  const bad = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('.mov')]);
  create(root, 'a.mov', bad('x'), Buffer.concat([bad('s'), Buffer.from('/b.mov')]), Buffer.from([0xfe]));
  const { paths, errors, printed } = await find(root, [root]);
  assert.equal(paths, ['R/a.mov']);
  assert.equal(
    errors.map((text) => text.replace(/ is there.*/, '')),
    ['R/s\ufffd.mov', 'R/x\ufffd.mov'],
  );
  assert.match(errors[0] ?? '', /is there, but its name is not valid UTF-8: rename it/);
  assert.match(printed, /passed over 1 file of no known media type \(1 without extension\)/);
});

test('are an error if there are none, which does not stop other arguments', async ({ root }) => {
  create(root, 'empty/', 'texts/a.srt', 'films/a.mov');
  const { paths, errors } = await find(root, [
    `${root}/empty`,
    `${root}/texts`,
    `${root}/films`,
    'http://h/a.mov',
  ]);
  assert.equal(paths, ['R/films/a.mov', 'http://h/a.mov']);
  assert.equal(errors, ['R/empty has no media files.', 'R/texts has no media files.']);
});

test('are asked for by patterns that are valid and have a folder', async ({ root }) => {
  create(root, 'a.mov');
  const invalid = await runCli(['run', root, '--match', '*.{mov'], { cwd: parent });
  assert.equal([invalid.code, invalid.stdout], [2, '']);
  assert.match(invalid.stderr, /^venc: --match "\*\.\{mov" is not a valid pattern\.\nvenc: hint: /);
  const unused = await runCli(['submit', `${root}/a.mov`, '--exclude', 'a'], { cwd: parent });
  assert.is(unused.code, 2);
  assert.match(unused.stderr, /^venc: --exclude chooses files in folders, and no input is a folder\./);
});

test('are found in a folder of thousands of files in little time', async ({ root }) => {
  for (let folder = 0; folder < 50; folder += 1) {
    mkdirSync(`${root}/${folder}`);
    for (let file = 0; file < 100; file += 1) writeFileSync(`${root}/${folder}/${file}.mov`, '');
  }
  const startedAtMs = performance.now();
  const { paths } = await find(root, [root]);
  assert.is(paths.length, 5000);
  assert.ok(performance.now() - startedAtMs < 5000);
});

test.run();
