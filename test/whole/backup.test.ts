import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { succeeded, upload, venc } from '../helpers/backups.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { killedAfterCreate } from '../helpers/killed-folder.js';
import { film, makeMedia } from '../helpers/media.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';

const root = tempFolder();
const source = join(root, 'in.mp4');

test.before(async () => {
  await makeMedia(source, film('64x48', 0.4));
});

/** A stopped daemon's data folder with an account, a saved credential, an upload and a waiting job. */
async function smallFolder(): Promise<{ data: string; id: number; key: string }> {
  const daemon = await startTestDaemon({ filesRoots: [root], jobs: 0 });
  const key = (
    await succeeded(runCli(['accounts', 'create', 'studio', '--data', daemon.dataFolder]))
  ).stdout.trim();
  const saved = runCli(['credentials', 'add', 'store', '--scheme', 'http', '--data', daemon.dataFolder], {
    stdin: 'me\na-password\n',
  });
  await succeeded(saved);
  const id = await daemon.create({
    input: await upload(daemon, source),
    outputs: [{ width: 32, filename: 'out.mp4' }],
  });
  await daemon.stop();
  return { data: daemon.dataFolder, id, key };
}

test('a second backup copies only what has changed, and replaces the first', async () => {
  const { data } = await smallFolder();
  const backups = join(tempFolder(), 'backups');
  const first = await succeeded(venc('backup', backups, data));
  assert.match(first.stderr, /backed up \d+ files: \d+ copied \([^)]+\), 0 unchanged/);
  const firstInode = (await stat(join(first.stdout.trim(), 'data', 'accounts.json'))).ino;
  await writeFile(join(data, 'sequence.json'), JSON.stringify({ next: 5000 }));
  const second = await succeeded(venc('backup', backups, data));
  assert.match(second.stderr, /: 1 copied \(13 B\), \d+ unchanged/);
  assert.is((await stat(join(second.stdout.trim(), 'data', 'accounts.json'))).ino, firstInode);
  assert.equal((await readdir(backups)).length, 1);
  assert.not.equal(first.stdout, second.stdout);
  const { mode } = await stat(backups);
  assert.is(mode & 0o777, 0o700);
});

test('keys, accounts, credentials and uploads are restored, readable by their owner alone', async () => {
  const { data, id, key } = await smallFolder();
  const backups = join(tempFolder(), 'backups');
  await succeeded(venc('backup', backups, data));
  const target = join(tempFolder(), 'data');
  await succeeded(venc('restore', backups, target));
  const files = async (folder: string) => {
    const names = await listRecursively(folder);
    const kept = names.filter(
      (name) =>
        !/^(daemon\.json|uploads\/\.unfinished|scratch|worker-files|leftovers|jobs\/index|jobs\/changes\.json)/.test(
          name,
        ),
    );
    const facts = kept.map(async (name) => {
      const found = await stat(join(folder, name));
      const { mode, mtimeMs, size } = found;
      return [name, found.isDirectory() ? null : [(mode & 0o777).toString(8), Math.round(mtimeMs), size]];
    });
    return Object.fromEntries(await Promise.all(facts));
  };
  const [before, after] = [await files(data), await files(target)];
  for (const name of ['owner-key', 'accounts.json', 'credentials.json', 'credentials-key'])
    assert.is(after[name][0], '600', name);
  delete before['sequence.json'];
  delete after['sequence.json'];
  assert.equal(after, before);
  const restored = await startTestDaemon({ dataFolder: target, filesRoots: [root], jobs: 1 });
  assert.is((await restored.waitForJob(id)).state, 'finished');
  const ofStudio = await fetch(`${restored.url}/v2/jobs`, { headers: { 'Service-Api-Key': key } });
  assert.is(ofStudio.status, 200);
  await restored.stop();
  const credentials = await succeeded(runCli(['credentials', 'list', '--data', target]));
  assert.match(credentials.stdout, /store/);
});

/** Loaded by Node before the program, which ends as by `kill -9` as soon as it copies the hosted film. */
const killInCopy = `
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { open } = fsp;
fsp.open = async (path, flags, ...rest) => {
  const file = await open(path, flags, ...rest);
  if (flags === 'wx' && String(path).endsWith('/hosted.mp4')) process.kill(process.pid, 'SIGKILL');
  return file;
};
syncBuiltinESMExports();
`;

/** Adds a hosted film to a data folder. */
async function addHostedFilm(data: string): Promise<void> {
  await mkdir(join(data, 'hosted', 'token'), { recursive: true });
  await writeFile(join(data, 'hosted', 'token', 'hosted.mp4'), Buffer.alloc(1_000_000, 1));
}

/** Runs `venc backup` or `venc restore`, killed while it copies the hosted film. */
async function killedInCopy(words: readonly string[]): Promise<void> {
  const path = join(tempFolder(), 'kill.mjs');
  await writeFile(path, killInCopy);
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(path).href}` };
  assert.is((await runCli(words, { env })).signal, 'SIGKILL');
}

test('a backup that is killed leaves the previous one, and the next one succeeds', async () => {
  const { data, id } = await smallFolder();
  const backups = join(tempFolder(), 'backups');
  const first = (await succeeded(venc('backup', backups, data))).stdout.trim();
  await addHostedFilm(data);
  await killedInCopy(['backup', backups, '--data', data]);
  assert.ok((await readdir(backups)).includes('.unfinished'));
  const target = join(tempFolder(), 'data');
  const { stderr } = await succeeded(venc('restore', backups, target));
  assert.ok(stderr.includes(first), stderr);
  assert.ok((await readdir(join(target, 'jobs', 'active'))).includes(`${id}.json`));
  await rm(join(data, 'hosted', 'token'), { recursive: true });
  const next = (await succeeded(venc('backup', backups, data))).stdout.trim();
  assert.equal(await readdir(backups), [next.slice(backups.length + 1)]);
});

test('a restore that is killed can be repeated', async () => {
  const { data, id } = await smallFolder();
  await addHostedFilm(data);
  const backups = join(tempFolder(), 'backups');
  await succeeded(venc('backup', backups, data));
  const target = join(tempFolder(), 'data');
  await killedInCopy(['restore', backups, '--data', target]);
  assert.ok((await listRecursively(target)).some((name) => name.endsWith('/hosted.mp4')));
  await succeeded(venc('restore', backups, target));
  assert.ok((await readdir(join(target, 'jobs', 'active'))).includes(`${id}.json`));
  assert.not.ok((await readdir(target)).includes('.restore'));
});

test('a backup of a killed daemon has the jobs that are only in its journal', async () => {
  const killed = await killedAfterCreate((await smallFolder()).data);
  const names = await readdir(join(killed.folder, 'jobs', 'active'));
  assert.not.ok(names.includes(`${killed.id}.json`));
  const backups = join(tempFolder(), 'backups');
  await succeeded(venc('backup', backups, killed.folder));
  const target = join(tempFolder(), 'data');
  await succeeded(venc('restore', backups, target));
  const again = await venc('restore', backups, target);
  assert.match(again.stderr, /has jobs already/);
  const restored = await startTestDaemon({ dataFolder: target, filesRoots: [root], jobs: 0 });
  const found = await fetch(`${restored.url}/v2/jobs/${killed.id}`, {
    headers: { 'Service-Api-Key': restored.key },
  });
  assert.is(found.status, 200);
  await restored.stop();
});

test('a restore is rejected while a daemon runs, over jobs, and from a damaged or missing backup', async () => {
  const { data } = await smallFolder();
  const backups = join(tempFolder(), 'backups');
  const backup = (await succeeded(venc('backup', backups, data))).stdout.trim();
  const overJobs = await venc('restore', backups, data);
  assert.is(overJobs.code, 2, overJobs.stderr);
  assert.match(overJobs.stderr, /has jobs already/);
  const running = await startTestDaemon({ jobs: 0 });
  const overDaemon = await venc('restore', backups, running.dataFolder);
  await running.stop();
  assert.is(overDaemon.code, 6, overDaemon.stderr);
  assert.match(overDaemon.stderr, /is in use by the daemon/);
  // A daemon that has started once has accounts and a key, and no jobs.
  await succeeded(venc('restore', backups, running.dataFolder));
  const none = await venc('restore', tempFolder(), join(tempFolder(), 'data'));
  assert.is(none.code, 2, none.stderr);
  assert.match(none.stderr, /There is no backup in/);
  await writeFile(join(backup, 'data', 'accounts.json'), '{');
  const target = join(tempFolder(), 'data');
  const damaged = await venc('restore', backups, target);
  assert.is(damaged.code, 2, damaged.stderr);
  assert.match(damaged.stderr, /damaged: data\/accounts\.json is missing or incomplete/);
  assert.equal(await readdir(target), []);
});

test('a backup is rejected in the data folder, of another folder, and during another backup', async () => {
  const { data } = await smallFolder();
  const inside = await venc('backup', join(data, 'backups'), data);
  assert.is(inside.code, 2, inside.stderr);
  assert.match(inside.stderr, /is in the data folder/);
  const missing = await venc('backup', tempFolder(), tempFolder());
  assert.is(missing.code, 2, missing.stderr);
  assert.match(missing.stderr, /is not the data folder of a daemon/);
  const backups = tempFolder();
  const holder = spawn('sleep', ['60']);
  const start = /^\d+ \(.*\) (.*)$/s
    .exec(await readFile(`/proc/${holder.pid}/stat`, 'utf8'))?.[1]
    ?.split(' ')[19];
  await writeFile(join(backups, 'lock'), `${holder.pid} ${start}\n`);
  const busy = await venc('backup', backups, data);
  holder.kill();
  assert.is(busy.code, 6, busy.stderr);
  assert.match(busy.stderr, /Another backup into .* is running: process id \d+/);
});

test('with a database, the backup has the folder and says what to dump', async () => {
  const { data } = await smallFolder();
  const backups = join(tempFolder(), 'backups');
  const database = 'postgres://venc:secret@db.example.com/venc';
  const { stderr } = await succeeded(
    runCli(['backup', backups, '--data', data], { env: { VENC_DATABASE: database } }),
  );
  assert.match(
    stderr,
    'in the database, not in this backup: pg_dump --format=custom --file=venc.dump postgres://venc@db.example.com/venc',
  );
  assert.match(stderr, 'keep VENC_DATABASE_KEY with the dump');
  const restored = await succeeded(venc('restore', backups, join(tempFolder(), 'data')));
  assert.match(restored.stderr, 'restore its dump as well');
});

test.run();
