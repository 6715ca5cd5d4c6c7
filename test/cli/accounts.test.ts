import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../helpers/temp.js';
import { type CliResult, runCli } from './run-cli.js';
import { runInProcess } from './run-here.js';

interface Context {
  /** A data folder that does not exist yet. */
  folder: string;
  /** Runs a command on that folder. */
  venc: (words: string, width?: number) => Promise<CliResult>;
}

const test = suite<Context>('venc accounts and venc keys');
const keyAlone = /^[0-9a-f]{40}\n$/;

test.before.each((context) => {
  context.folder = join(tempFolder(), 'data');
  context.venc = (words, width) => {
    const options = width === undefined ? {} : { width };
    return runInProcess([...words.split(' '), '--data', context.folder], options);
  };
});

test('a new data folder gets what a first start creates', async ({ folder, venc }) => {
  const result = await venc('accounts list --json');
  assert.equal([result.code, result.stderr], [0, '']);
  const [account, ...others] = JSON.parse(result.stdout);
  assert.equal([account.name, account.mode, account.keys, others], ['default', 'live', 1, []]);
  assert.equal(Object.keys(account), ['name', 'mode', 'created_at', 'keys', 'quotas']);
  assert.ok(Math.abs(Date.parse(account.created_at) - Date.now()) < 60_000);
  assert.equal(readdirSync(folder).sort(), ['accounts.json', 'owner-key']);
});

test('an account is created in integration mode, and stdout has only its key', async ({ folder, venc }) => {
  const made = await venc('accounts create studio');
  assert.is(made.code, 0);
  assert.match(made.stdout, keyAlone);
  assert.match(made.stderr, /^venc: account studio created in integration mode; .* id [0-9a-f]{8}\n$/);
  assert.not.ok(readFileSync(join(folder, 'accounts.json'), 'utf8').includes(made.stdout.trim()));
  const mode = async () => JSON.parse((await venc('accounts show studio --json')).stdout).mode;
  assert.is(await mode(), 'integration');
  const live = await venc('accounts live studio');
  assert.equal([live.code, live.stdout, live.stderr], [0, '', 'venc: account studio is live\n']);
  assert.is(await mode(), 'live');
  const again = await venc('accounts live studio');
  assert.equal([again.code, again.stderr], [0, 'venc: account studio is already live\n']);
  const back = await venc('accounts integration studio');
  assert.equal([back.code, back.stderr], [0, 'venc: account studio is in integration mode\n']);
  assert.is(await mode(), 'integration');
});

test('limits of an account are set, shown and removed, and the owner has none', async ({ venc }) => {
  await venc('accounts create studio');
  const set = await venc('accounts quota studio --waiting-jobs 5 --hosted-bytes 50GB');
  assert.equal([set.code, set.stdout], [0, '']);
  assert.match(set.stderr, /^venc: limits of account studio: 5 waiting jobs, 50(\.0)? GB hosted\n$/);
  await venc('accounts quota studio --minutes-per-day 600 --waiting-jobs none');
  const quotas = async () => JSON.parse((await venc('accounts show studio --json')).stdout).quotas;
  assert.equal(await quotas(), { waiting_jobs: null, minutes_per_day: 600, hosted_bytes: 50e9 });
  assert.match(
    (await venc('accounts show studio')).stdout,
    /^limits +600 minutes a day, 50(\.0)? GB hosted$/m,
  );
  const none = await venc('accounts quota studio --minutes-per-day none --hosted-bytes none');
  assert.match(none.stderr, /limits of account studio: none/);
  const cases: readonly (readonly [words: string, code: number, message: RegExp])[] = [
    ['default --waiting-jobs 1', 2, /is the owner's, which has no limits/],
    ['nobody --waiting-jobs 1', 5, /There is no account "nobody"/],
    ['studio', 2, /Give a limit: --waiting-jobs, --minutes-per-day or --hosted-bytes/],
    ['studio --waiting-jobs 0', 2, /--waiting-jobs takes a whole number of at least 1/],
    ['studio --hosted-bytes much', 2, /--hosted-bytes takes a size/],
  ];
  for (const [words, code, message] of cases) {
    const result = await venc(`accounts quota ${words}`);
    assert.is(result.code, code, words);
    assert.match(result.stderr, message);
  }
});

test('the notification secret is printed alone, and only on request', async ({ folder, venc }) => {
  const shown = await venc('accounts show default --secret');
  assert.equal([shown.code, shown.stderr], [0, '']);
  assert.match(shown.stdout, /^whsec_[A-Za-z0-9+/]{32,44}=*\n$/);
  assert.ok(readFileSync(join(folder, 'accounts.json'), 'utf8').includes(shown.stdout.trim()));
  const others = await Promise.all(
    ['accounts show default', 'accounts show default --json', 'accounts list --json'].map((words) =>
      venc(words),
    ),
  );
  for (const { code, stdout, stderr } of others) {
    assert.is(code, 0);
    assert.not.ok(`${stdout}${stderr}`.includes('whsec_'));
  }
  assert.match(others[0]?.stdout ?? '', /^name +default\nmode +live\ncreated +\d{4}-.* UTC\nkeys +1\n$/);
});

test('keys are listed by id, kind, account and times, without the keys themselves', async ({
  folder,
  venc,
}) => {
  const full = await venc('accounts create studio');
  const reader = await venc('keys create --account studio --read-only');
  const own = await venc('keys create');
  const viewer = await venc('keys create --viewer --account studio --name wall --expires 90d');
  for (const { code, stdout } of [reader, own, viewer]) {
    assert.is(code, 0);
    assert.match(stdout, keyAlone);
  }
  assert.match(reader.stderr, /^venc: read-only key of account studio created; its id is [0-9a-f]{8}\n$/);
  const listed = await venc('keys list --json');
  const keys: Record<string, unknown>[] = JSON.parse(listed.stdout);
  assert.equal(
    keys.map(({ kind, account, last_used_at }) => [kind, account, last_used_at]),
    [
      ['full', 'default', null],
      ['full', 'studio', null],
      ['read-only', 'studio', null],
      ['full', 'default', null],
      ['viewer', 'studio', null],
    ],
  );
  assert.match(viewer.stderr, /^venc: viewer key of account studio created; .* and it expires on /);
  assert.is(keys[4]?.name, 'wall');
  for (const key of keys) {
    assert.equal(Object.keys(key), [
      ...['id', 'name', 'kind', 'account'],
      ...['created_at', 'expires_at', 'last_used_at'],
    ]);
    assert.match(String(key.id), /^[0-9a-f]{8}$/);
  }
  const usedAt = '2024-01-01T00:00:00.000Z';
  writeFileSync(join(folder, 'key-uses.json'), JSON.stringify({ [String(keys[2]?.id)]: usedAt }));
  const [table, narrow, mine] = await Promise.all([
    venc('keys list'),
    venc('keys list', 40),
    venc('keys list --account studio --jsonl --fields id,last_used_at'),
  ]);
  assert.match(table.stdout, /^ID +NAME +KIND +ACCOUNT +CREATED +EXPIRES +LAST USE\n/);
  assert.match(table.stdout, new RegExp(`^${keys[2]?.id} +read-only +studio +.* \\d+d ago$`, 'm'));
  assert.match(table.stdout, new RegExp(`^${keys[3]?.id} +full +default +.* never$`, 'm'));
  assert.ok(narrow.stdout.split('\n').every((line) => line.length <= 40));
  assert.is(
    mine.stdout,
    `{"id":"${keys[1]?.id}","last_used_at":null}\n{"id":"${keys[2]?.id}","last_used_at":"${usedAt}"}\n{"id":"${keys[4]?.id}","last_used_at":null}\n`,
  );
  const secrets = [full, reader, own].map(({ stdout }) => stdout.trim());
  const owner = readFileSync(join(folder, 'owner-key'), 'utf8').trim();
  for (const secret of [...secrets, owner, 'hash']) {
    assert.not.ok(`${listed.stdout}${table.stdout}`.includes(secret));
  }
});

test('a key has a name and an expiry, which the list shows', async ({ venc }) => {
  const made = await venc('keys create --name ci --expires 90d');
  assert.match(made.stdout, keyAlone);
  assert.match(made.stderr, /its id is [0-9a-f]{8}, and it expires on \d{4}-\d\d-\d\d [\d:]+ UTC\n$/);
  await venc('keys create --worker --name attic --expires 2999-01-01'.replace('2999', String(inTwoYears)));
  const [, ci, attic] = JSON.parse((await venc('keys list --json')).stdout);
  assert.equal([ci.name, attic.name, attic.expires_at], ['ci', 'attic', `${inTwoYears}-01-01T00:00:00.000Z`]);
  assert.ok(Math.abs(Date.parse(ci.expires_at) - Date.now() - 90 * 86_400_000) < 60_000);
  const table = await venc('keys list', 120);
  assert.match(table.stdout, new RegExp(`^${ci.id} +ci +full +default .* in (89|90) d +never$`, 'm'));
  assert.match(table.stdout, / +full +default .* never +never$/m);
});

const inTwoYears = new Date().getUTCFullYear() + 2;

test('an expiry that is past, unreadable or far away is rejected, and no key is made', async ({ venc }) => {
  const cases = [
    ['--expires 0d', /must be in the future/],
    ['--expires 2020-01-01', /must be in the future, and "2020-01-01" is not/],
    ['--expires 2020-01-01T10:00+01:00', /must be in the future/],
    ['--expires soon', /takes a time such as 12h or 90d, or a date/],
    ['--expires 2027-02-30', /takes a time such as 12h or 90d, or a date/],
    ['--expires 99999999w', /at most 3650d/],
    ['--name /etc', /name of a key has 1 to 64/],
  ] as const;
  for (const [flags, message] of cases) {
    const result = await venc(`keys create ${flags}`);
    assert.equal([result.code, result.stdout], [2, ''], flags);
    assert.match(result.stderr, message);
  }
  assert.is((await venc('keys rotate --grace 99999w')).code, 2);
  assert.is(JSON.parse((await venc('keys list --json')).stdout).length, 1);
});

test("the owner's key is rotated, and the earlier one expires after --grace", async ({ folder, venc }) => {
  await venc('keys list');
  const before = readFileSync(join(folder, 'owner-key'), 'utf8');
  const rotated = await venc('keys rotate --grace 2h');
  assert.match(rotated.stdout, keyAlone);
  assert.match(rotated.stderr, /owner's key is replaced; .*\nvenc: the earlier key is valid until \d{4}-/);
  assert.is(readFileSync(join(folder, 'owner-key'), 'utf8'), rotated.stdout);
  assert.not.ok(`${rotated.stdout}${rotated.stderr}`.includes(before.trim()));
  const [earlier, now] = JSON.parse((await venc('keys list --json')).stdout);
  assert.ok(Math.abs(Date.parse(earlier.expires_at) - Date.now() - 7_200_000) < 60_000);
  assert.is(now.expires_at, null);
  await venc('keys rotate --grace 0s');
  assert.match((await venc('keys list', 120)).stdout, / expired +never\n/);
  const stored = JSON.parse(readFileSync(join(folder, 'accounts.json'), 'utf8'));
  assert.is(stored.retired.length, 2);
});

test('a worker key is printed once, listed without an account, and revoked', async ({ folder, venc }) => {
  const made = await venc('keys create --worker');
  assert.is(made.code, 0);
  assert.match(made.stdout, /^vencw_[0-9a-f]{40}\n$/);
  assert.match(made.stderr, /^venc: worker key created; its id is [0-9a-f]{8}\n$/);
  const listed = await venc('keys list --json');
  const { id, kind, account } = JSON.parse(listed.stdout).at(-1);
  assert.equal([kind, account], ['worker', null]);
  const table = await venc('keys list');
  assert.match(table.stdout, new RegExp(`^${id} +worker +\\d{4}-.* never$`, 'm'));
  const stored = readFileSync(join(folder, 'accounts.json'), 'utf8');
  assert.not.ok(`${stored}${listed.stdout}${table.stdout}`.includes(made.stdout.trim()));
  assert.is(JSON.parse((await venc('keys list --account default --json')).stdout).length, 1);
  const mistaken = await venc(`keys revoke ${made.stdout.trim()}`);
  assert.match(mistaken.stderr, `the id of that key is ${id}`);
  const revoked = await venc(`keys revoke ${id}`);
  assert.equal([revoked.code, revoked.stdout, revoked.stderr], [0, '', `venc: worker key ${id} revoked\n`]);
  assert.is(JSON.parse((await venc('keys list --json')).stdout).length, 1);
});

test("revoking the owner's key removes it from the folder and reports what remains", async ({
  folder,
  venc,
}) => {
  const [key] = JSON.parse((await venc('keys list --json')).stdout);
  const result = await venc(`keys revoke ${key.id}`);
  assert.equal([result.code, result.stdout], [0, '']);
  assert.match(result.stderr, `key ${key.id} of account default revoked`);
  assert.match(result.stderr, "it was the owner's key: the daemon creates a new one at its next start");
  assert.match(result.stderr, 'account default no longer has a full-access key');
  assert.not.ok(existsSync(join(folder, 'owner-key')));
  const empty = await venc('keys list --json');
  assert.is(empty.stdout, '[]\n');
  assert.is((await venc(`keys revoke ${key.id}`)).code, 5);
});

test('concurrent commands in separate processes lose no changes', async ({ folder, venc }) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const results = await Promise.all(
    names.map((name) => runCli(['accounts', 'create', name, '--data', folder])),
  );
  assert.ok(results.every(({ code, stdout }) => code === 0 && keyAlone.test(stdout)));
  const accounts: { name: string }[] = JSON.parse((await venc('accounts list --json')).stdout);
  assert.equal(accounts.map(({ name }) => name).sort(), [...names, 'default'].sort());
  assert.is(JSON.parse((await venc('keys list --json')).stdout).length, 7);
  assert.equal(readdirSync(folder).sort(), ['accounts.json', 'owner-key']);
});

/** Arguments, the exit code, and the expected stderr. */
const rejections: readonly (readonly [string, number, RegExp])[] = [
  ['accounts create studio', 6, /There is an account "studio" already\.\nvenc: hint: choose another name/],
  [`accounts create ${'x'.repeat(65)}`, 2, /1 to 64 letters, digits/],
  ['accounts create ../up', 2, /1 to 64 letters, digits/],
  ['accounts create', 2, /missing required argument 'name'/],
  ['accounts show stduio', 5, /There is no account "stduio"\.\nvenc: hint: did you mean studio\?/],
  ['accounts live nobody', 5, /There is no account "nobody"\.\nvenc: hint: venc accounts list/],
  ['accounts show studio --secret --json', 2, /'--secret' cannot be used with option '--json'/],
  ['accounts show studio --fields notification_secret', 2, /There is no field "notification_secret"/],
  ['accounts lst', 2, /unknown command 'lst'\nvenc: hint: did you mean list\?/],
  ['accounts', 2, /^Usage: venc accounts/],
  ['keys create --account studoi', 5, /did you mean studio\?/],
  ['keys create --worker --read-only', 2, /'--worker' cannot be used with option '--read-only'/],
  ['keys create --viewer --read-only', 2, /'--viewer' cannot be used with option '--read-only'/],
  ['keys create --worker --viewer', 2, /'--worker' cannot be used with option '--viewer'/],
  ['keys create --worker --account studio', 2, /'--worker' cannot be used with option '--account <name>'/],
  ['keys list --account Studio', 5, /did you mean studio\?/],
  ['keys revoke zzzzzzzz', 5, /There is no key with the id "zzzzzzzz"\.\nvenc: hint: venc keys list/],
  ['keys revoke', 2, /missing required argument 'id'/],
  ['keys', 2, /^Usage: venc keys/],
];

test('an invalid command changes nothing and says what to do', async ({ folder, venc }) => {
  await venc('accounts create studio');
  const before = readFileSync(join(folder, 'accounts.json'), 'utf8');
  for (const [words, code, expectedText] of rejections) {
    const result = await venc(words);
    assert.equal([result.code, result.stdout], [code, ''], `${words}: ${result.stderr}`);
    assert.match(result.stderr, expectedText, words);
  }
  assert.is(readFileSync(join(folder, 'accounts.json'), 'utf8'), before);
});

test('a mistyped id gets a suggestion, and a key given as an id is not repeated', async ({
  folder,
  venc,
}) => {
  const [key] = JSON.parse((await venc('keys list --json')).stdout);
  const slip = await venc(`keys revoke ${key.id.slice(0, 7)}`);
  assert.is(slip.code, 5);
  assert.match(slip.stderr, `hint: did you mean ${key.id}?`);
  const owner = readFileSync(join(folder, 'owner-key'), 'utf8').trim();
  const mistaken = await venc(`keys revoke ${owner}`);
  assert.is(mistaken.code, 2);
  assert.match(mistaken.stderr, `the id of that key is ${key.id}`);
  assert.not.ok(mistaken.stderr.includes(owner));
});

test('a damaged accounts.json is named and not changed', async ({ folder, venc }) => {
  await venc('accounts list');
  const file = join(folder, 'accounts.json');
  writeFileSync(file, '{"accounts": [');
  const results = await Promise.all(
    ['accounts list', 'accounts create a', 'keys create', 'keys revoke a'].map((words) => venc(words)),
  );
  for (const { code, stdout, stderr } of results) {
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, `The file ${file} is damaged`);
  }
  assert.is(readFileSync(file, 'utf8'), '{"accounts": [');
});

test('a data folder that is a file is rejected', async ({ folder, venc }) => {
  writeFileSync(folder, '');
  for (const words of ['accounts create a', 'keys list']) {
    const { code, stderr } = await venc(words);
    assert.is(code, 2);
    const reason = `The data folder ${folder} cannot be used: there is a file where a folder should be.`;
    assert.is(stderr, `venc: ${reason}\nvenc: hint: choose another folder with --data or VENC_DATA\n`);
  }
});

test('the help of every subcommand has examples', async () => {
  const subcommands = [
    ...['create', 'list', 'show', 'live', 'integration'].map((word) => ['accounts', word]),
    ...['create', 'list', 'revoke'].map((word) => ['keys', word]),
  ];
  const helps = await Promise.all(subcommands.map((words) => runInProcess([...words, '--help'])));
  for (const [index, { code, stdout, stderr }] of helps.entries()) {
    const words = `venc ${subcommands[index]?.join(' ')}`;
    assert.equal([code, stderr], [0, '']);
    assert.match(stdout, `Usage: ${words}`);
    assert.ok(stdout.split('Examples:')[1]?.includes(words), words);
  }
});

test.run();
