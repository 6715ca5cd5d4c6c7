import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCli } from '../../cli/run-cli.js';
import { tempFolder } from '../../helpers/temp.js';

/*
 * Locks whose holders cannot be inspected: they are in another PID namespace, or hidden from this user. The test plays the holder:
 * it sets the modification time of the file, and removes it when it is done.
 */
const test = suite('a lock whose holder cannot be inspected');

const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const startOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[19];

/** Keeps a lock alive for a while, then releases it. Resolves to whether it was still this lock until then. */
async function heldFor(path: string, text: string, milliseconds: number) {
  writeFileSync(path, text);
  const isMine = () => existsSync(path) && readFileSync(path, 'utf8') === text;
  const timer = setInterval(() => isMine() && utimesSync(path, new Date(), new Date()), 200);
  await once(AbortSignal.timeout(milliseconds), 'abort');
  clearInterval(timer);
  if (!isMine()) return false;
  unlinkSync(path);
  return true;
}

test('keys are created only after a holder in another namespace released the accounts', async () => {
  const folder = tempFolder();
  const path = join(folder, 'accounts.lock');
  const held = heldFor(path, `1 4711 ${boot} pid:[1] container -\n`, 1500);
  let isBack = false;
  const back = held.then((isMine) => {
    isBack = true;
    return isMine;
  });
  const { code, stderr } = await startCli(['accounts', 'create', 'film'], { env: { VENC_DATA: folder } })
    .ended;
  assert.is(code, 0, stderr);
  assert.ok(isBack, 'it took the lock from a living process');
  assert.ok(await back, 'the lock was replaced meanwhile');
  assert.equal(
    readdirSync(folder).filter((name) => /lock|tmp/.test(name)),
    [],
  );
});

const other = 65_534;
const hiding = `mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid ${other} --regid ${other} --clear-groups "$@"`;
const unseen = ['/usr/bin/unshare', '--mount', 'sh', '-c', hiding, 'sh'] as const;
const { status, stderr: reason } = spawnSync(unseen[0], [...unseen.slice(1), 'true'], { encoding: 'utf8' });

if (status === 0) {
  test('nor are they while a user with hidden processes holds the accounts (hidepid, ProtectProc=invisible)', async () => {
    const folder = tempFolder();
    chmodSync(folder, 0o700);
    chownSync(folder, other, other);
    const path = join(folder, 'accounts.lock');
    const namespace = spawnSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).stdout.trim();
    const text = `${process.pid} ${startOf(process.pid)} ${boot} ${namespace} here -\n`;
    const held = heldFor(path, text, 1500);
    const [command, ...words] = [...unseen, process.execPath, join(process.cwd(), 'bin/venc.js')];
    const child = spawn(command, [...words, 'accounts', 'create', 'film'], {
      env: { PATH: process.env.PATH, HOME: folder, VENC_DATA: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderrText = '';
    child.stderr.on('data', (chunk) => {
      stderrText += String(chunk);
    });
    const [code] = await once(child, 'close');
    const hasLockLeft = existsSync(path);
    assert.is(code, 0, stderrText);
    assert.ok(await held, 'the lock was taken from a living process');
    assert.not.ok(hasLockLeft);
  });
} else process.stdout.write(`skipped: hidepid cannot be tried here: ${reason.trim()}\n`);

test('a lock of this namespace is checked at once: one whose pid was reused blocks nobody', async () => {
  const folder = tempFolder();
  const namespace = spawnSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(join(folder, 'accounts.lock'), `${process.pid} 17 ${boot} ${namespace} here -\n`);
  const begunAt = performance.now();
  const { code, stderr } = await startCli(['accounts', 'create', 'film'], { env: { VENC_DATA: folder } })
    .ended;
  assert.is(code, 0, stderr);
  assert.ok(performance.now() - begunAt < 8000, 'it waited for a heartbeat');
});

test.run();
