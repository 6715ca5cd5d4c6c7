import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from './run-here.js';
import { type SubmitContext, withService } from './submit/submit-service.js';

const test = suite<SubmitContext>('-q and -v');
withService(test);

test('-v prints a line for each request and for its end to stderr, and stdout stays', async ({ venc }) => {
  const plain = await venc(['http://h/a.mov']);
  for (const words of [
    ['http://h/a.mov', '-v'],
    ['--verbose', 'http://h/a.mov'],
  ]) {
    const { code, stdout, stderr } = await venc(words);
    assert.equal([plain.code, code, stdout.replace(/\d+/, 'ID')], [0, 0, 'ID\n'], stderr);
    assert.match(stderr, /^venc: POST http:\/\/127\.0\.0\.1:\d+\/v2\/jobs$/m);
    assert.match(stderr, /^venc: POST http:\/\/127\.0\.0\.1:\d+\/v2\/jobs \(status 201 after \d+ ms\)$/m);
  }
  assert.is(plain.stderr, '');
});

test('-q hides information, and never warnings and errors', async ({ venc, folder }) => {
  writeFileSync(join(folder, 'request.json'), '{"input": "http://h/r.mov", "tset": 1, "mock": true}');
  const words = [join(folder, 'request.json'), join(folder, 'nowhere.mov')];
  const quiet = await venc([...words, '-q']);
  const usual = await venc(words);
  assert.match(usual.stderr, /the request is valid; nothing was queued/);
  assert.equal([quiet.code, quiet.stdout], [usual.code, usual.stdout]);
  const lines = usual.stderr.split('\n').filter((line) => !line.includes('the request is valid'));
  assert.is(quiet.stderr, lines.join('\n'));
  assert.match(quiet.stderr, /warning: tset: is not known[\s\S]*nowhere\.mov cannot be read/);
});

test('-q leaves only the answer of commands that change accounts and keys', async ({ folder }) => {
  const env = { HOME: folder, VENC_DATA: join(folder, 'data') };
  const run = async (words: string) => {
    const { code, stdout, stderr } = await runInProcess(words.split(' '), { env });
    assert.is(code, 0, stderr);
    return { stdout, stderr };
  };
  await run('accounts create studio');
  for (const [words, info, answer] of [
    ['accounts quota studio --waiting-jobs 1', /limits of account studio: 1 waiting job$/m, /^$/],
    ['keys rotate', /the owner's key is replaced/, /^[0-9a-f]{40}\n$/],
  ] as const) {
    assert.match((await run(words)).stderr, info);
    const { stdout, stderr } = await run(`${words} -q`);
    assert.is(stderr, '');
    assert.match(stdout, answer);
  }
});

test.run();
