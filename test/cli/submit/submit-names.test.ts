import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type SubmitContext, withService } from './submit-service.js';

const test = suite<SubmitContext>('names of submitted outputs');
withService(test);

/** The file names of the outputs of the created jobs. */
function namesIn({ seen }: SubmitContext): readonly unknown[] {
  return seen
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/jobs'))
    .map(({ body }) => JSON.parse(body) as { mock?: boolean; outputs?: { filename?: string }[] })
    .filter(({ mock }) => mock !== true)
    .map(({ outputs = [] }) => outputs.map(({ filename }) => filename));
}

function filmsIn(folder: string): string {
  const films = join(folder, 'films');
  for (const name of ['a/show.mov', 'b/show.mov', 'b/other.mkv']) {
    mkdirSync(join(films, name, '..'), { recursive: true });
    writeFileSync(join(films, name), name);
  }
  return films;
}

test('--name names the outputs of a folder, and equal names are numbered', async (context) => {
  const films = filmsIn(context.folder);
  const { code, stderr } = await context.venc([films, '--name', '{stem}-web.{ext}', '--format', 'webm']);
  assert.is(code, 0, stderr);
  assert.equal(namesIn(context), [['show-web.webm'], ['other-web.webm'], ['show-web-2.webm']]);
  assert.match(
    stderr,
    /b\/show\.mov: its output is show-web-2\.webm, because .*a\/show\.mov has show-web\.webm/,
  );
});

test('{dir} keeps the folders, and --output its number of outputs', async (context) => {
  const films = filmsIn(context.folder);
  const outputs = ['--output', 'label=low,width=320', '--output', 'label=high'];
  const { code, stderr } = await context.venc([films, '--name', '{dir}/{stem}-{label}.{ext}', ...outputs]);
  assert.is(code, 0, stderr);
  assert.equal(namesIn(context)[0], ['a/show-low.mp4', 'a/show-high.mp4']);
  assert.equal(namesIn(context)[2], ['b/show-low.mp4', 'b/show-high.mp4']);
});

for (const [words, message] of [
  [
    ['--name', '{stem}.{ext}', '--on-conflict', 'fail'],
    /show\.mov would both be written to show\.mp4.*Nothing was submitted/s,
  ],
  [['--name', '{stem}-{height}p.{ext}'], /no \{width\} and \{height\}/],
  [['--name', '{stem}.{ext}', '--filename', 'a.mp4'], /--filename names the outputs/],
  [['--name', '{stme}.{ext}'], /\{stme\}, which is not known/],
  [['--skip-existing'], /--skip-existing needs --download/],
] as const)
  test(`${words.join(' ')} is an error, and nothing is submitted`, async (context) => {
    const { code, stderr } = await context.venc([filmsIn(context.folder), ...words]);
    assert.is(code, 2, stderr);
    assert.match(stderr, message);
    assert.equal(namesIn(context), []);
  });

test.run();
