import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import type { Services } from '../../daemon/transports/services.js';
import { createSftpTransport } from '../../daemon/transports/sftp/sftp-transport.js';
import {
  factsOf,
  failureOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../contracts/transport/evidence.js';
import { findPrograms, runProgram, skipSuite } from '../helpers/servers/program.js';
import { type Sshd, startSshd } from '../helpers/servers/sshd.js';

const server = await startSshd();
const programs = findPrograms('ssh-keygen');
if ('missing' in server) skipSuite('logins at sshd', server);
else if ('missing' in programs) skipSuite('logins at sshd', programs);
else prove(server, programs['ssh-keygen']);

function prove(sshd: Sshd, keygen: Parameters<typeof runProgram>[0]): void {
  const test = suite('logins at sshd');
  const bytes = sampleBytes(100_000);
  writeFileSync(join(sshd.folder, 'a.mp4'), bytes);
  const url = `sftp://${sshd.user}@127.0.0.1:${sshd.port}${sshd.folder}/a.mp4`;
  const known = `[127.0.0.1]:${sshd.port}`;
  const keyed: Services['sftp'] = { key: sshd.keyPath, passphrase: null };
  const get = async (from: string, folder: string, key = keyed, others: readonly string[] = []) =>
    createSftpTransport({
      guard: createSsrfGuard({ allowPrivateNetwork: true }),
      cleanupJournal: noCleanupJournal,
      stallTimeoutMs: 10_000,
      retryDelayMs: 1,
      key,
      hostKeysPath: join(folder, 'known_hosts'),
      knownHostsPaths: others,
    }).download?.(from, join(folder, 'in'), transferOf());

  test('the configured private key may be its text, protected by a passphrase', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'locked');
    writeFileSync(path, sshd.key, { mode: 0o600 });
    await runProgram(keygen, ['-q', '-p', '-P', '', '-N', 'hunter2secret', '-f', path]);
    const key = readFileSync(path, 'utf8');
    assert.equal(await get(url, folder, { key, passphrase: 'hunter2secret' }), factsOf(bytes));
    const failure = await failureOf(get(url, scratchFolder(), { key, passphrase: 'another' }));
    assert.is(failure.errorClass, 'DownloadFailureError');
    assert.match(failure.hint ?? '', /VENC_SFTP_PASSPHRASE/);
  });

  test('a key that the server does not know is reported as wrong credentials', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'other');
    await runProgram(keygen, ['-q', '-t', 'ecdsa', '-N', '', '-f', path]);
    const failure = await failureOf(get(url, folder, { key: path, passphrase: null }));
    assert.is(failure.errorClass, 'InvalidUsernameOrPasswordError');
  });

  test('a tilde refers to the login folder', async () => {
    // Without a test user, the login folder is the home folder of the current user.
    if (sshd.password === null) return;
    const from = `sftp://${sshd.user}@127.0.0.1:${sshd.port}/~/a.mp4`;
    assert.equal(await get(from, scratchFolder()), factsOf(bytes));
  });

  test('the remembered host key is found by ssh-keygen', async () => {
    const folder = scratchFolder();
    await get(url, folder);
    const found = await runProgram(keygen, ['-F', known, '-f', join(folder, 'known_hosts')]);
    const [kind = '', key = ''] = sshd.hostKey.split(' ');
    assert.ok(found.includes(`${kind} ${key}`), found);
  });

  test('hosts hashed by ssh-keygen are recognized', async () => {
    const folder = scratchFolder();
    const theirs = join(folder, 'theirs');
    writeFileSync(theirs, `${known} ${sshd.hostKey}\n`);
    await runProgram(keygen, ['-H', '-f', theirs]);
    assert.match(readFileSync(theirs, 'utf8'), /^\|1\|/);
    await get(url, folder, keyed, [theirs]);
    assert.not.ok(existsSync(join(folder, 'known_hosts')));
  });

  test('a host whose key differs from the known one is rejected, with file and line in the message', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'other');
    await runProgram(keygen, ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
    const own = join(folder, 'known_hosts');
    writeFileSync(own, `# two lines\n${known} ${readFileSync(`${path}.pub`, 'utf8')}`);
    const failure = await failureOf(get(url, folder));
    assert.is(failure.errorClass, 'DownloadFailureError');
    assert.ok(failure.message.endsWith(`remove line 2 of ${own}.`), failure.message);
    assert.is(readFileSync(own, 'utf8').split('\n').length, 3);
  });

  test('if the known hosts cannot be read, no host is trusted', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'known_hosts'));
    const failure = await failureOf(get(url, folder));
    assert.is(failure.errorClass, 'DownloadFailureError');
    assert.match(failure.message, /known host keys/);
  });

  test.after(sshd.close);
  test.run();
}
