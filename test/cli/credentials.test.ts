import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSavedCredentials } from '../../daemon/store/credentials/saved-credentials.js';
import { isVencError } from '../../src/shared/errors.js';
import { tempFolder } from '../helpers/temp.js';
import type { CliResult } from './run-cli.js';
import { runInProcess } from './run-here.js';

interface Context {
  folder: string;
  venc: (words: string, stdin?: string) => Promise<CliResult>;
}

const test = suite<Context>('venc credentials');

test.before.each((context) => {
  context.folder = join(tempFolder(), 'data');
  context.venc = (words, stdin) =>
    runInProcess([...words.split(' '), '--data', context.folder], stdin === undefined ? {} : { stdin });
});

test('user and secret are read from stdin, stored encrypted, and readable by the owner alone', async ({
  folder,
  venc,
}) => {
  const added = await venc('credentials add films --scheme s3', 'AKIAEXAMPLE\nhunter2 +/=\n');
  assert.equal([added.code, added.stdout], [0, '']);
  assert.match(added.stderr, 'credentials films saved for account default');
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    assert.not.match(readFileSync(path, 'utf8'), /hunter2|AKIAEXAMPLE/, name);
    if (name.startsWith('credentials')) assert.is(statSync(path).mode & 0o777, 0o600, name);
  }
  const saved = openSavedCredentials(folder);
  const request = { accountId: 'default', scheme: 's3', name: 'films' };
  assert.equal(await saved.find(request), { user: 'AKIAEXAMPLE', secret: 'hunter2 +/=' });
  assert.is(await saved.check(request), null);
  assert.equal(await saved.check({ ...request, scheme: 'ftp' }), {
    isMissing: false,
    message: 'are for s3 and cannot be used with ftp',
  });
  const other = { ...request, accountId: 'other' };
  assert.equal(await saved.check(other), {
    isMissing: true,
    message: 'names credentials that this account does not have',
  });
});

test('the list has names and schemes, and nothing secret', async ({ venc }) => {
  await venc('credentials add films --scheme s3 --default', 'id\nhunter2\n');
  await venc('credentials add any', 'me\nhunter2\n');
  const { stdout } = await venc('credentials list --json');
  assert.equal(
    (JSON.parse(stdout) as readonly Record<string, unknown>[]).map(({ created_at: _, ...rest }) => rest),
    [
      { name: 'films', scheme: 's3', account: 'default', default: true },
      { name: 'any', scheme: null, account: 'default', default: false },
    ],
  );
  assert.match((await venc('credentials list')).stdout, /films +s3 +yes/);
});

test('a default is used for its scheme, and a new default replaces it', async ({ folder, venc }) => {
  await venc('credentials add one --scheme ftp --default', 'a\nb\n');
  await venc('credentials add two --scheme ftp --default', 'c\nd\n');
  const saved = openSavedCredentials(folder);
  const request = { accountId: 'default', name: null };
  assert.equal(await saved.find({ ...request, scheme: 'ftp' }), { user: 'c', secret: 'd' });
  assert.is(await saved.find({ ...request, scheme: 'sftp' }), null);
});

const mistakes: readonly (readonly [words: string, stdin: string, error: RegExp, code: number])[] = [
  ['credentials add a/b', 'x\ny\n', /1 to 64 letters, digits/, 2],
  ['credentials add a --scheme smb', 'x\ny\n', /--scheme must be one of s3, gcs/, 2],
  ['credentials add a --default', 'x\ny\n', /--default needs --scheme/, 2],
  ['credentials add a', 'x\n', /need a user and a secret/, 2],
  ['credentials add a --account nobody', 'x\ny\n', /no account "nobody"/, 5],
  ['credentials remove filmz', '', /has no credentials "filmz".*\n.*did you mean films/, 5],
  ['credentials add films', 'x\ny\n', /There are credentials "films" already/, 6],
];

for (const [words, stdin, error, code] of mistakes) {
  test(`venc ${words} with ${JSON.stringify(stdin)} is an error`, async ({ venc }) => {
    await venc('credentials add films', 'id\nsecret\n');
    const result = await venc(words, stdin);
    assert.match(result.stderr, error);
    assert.is(result.code, code, result.stderr);
  });
}

test('removed credentials are gone, and a transfer that names them fails', async ({ folder, venc }) => {
  await venc('credentials add films', 'id\nsecret\n');
  assert.is((await venc('credentials remove films')).code, 0);
  const saved = openSavedCredentials(folder);
  const error = await saved.find({ accountId: 'default', scheme: 's3', name: 'films' }).then(
    () => null,
    (caught: unknown) => caught,
  );
  assert.ok(isVencError(error, 'InvalidUsernameOrPasswordError'));
  assert.match(String(error), 'The credentials "films" have been removed');
});

test.run();
