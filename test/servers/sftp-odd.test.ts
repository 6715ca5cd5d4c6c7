import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import type { Services } from '../../daemon/transports/services.js';
import { createSftpTransport } from '../../daemon/transports/sftp/sftp-transport.js';
import {
  contentsOf,
  factsOf,
  failureOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../contracts/transport/evidence.js';
import { startSocketSource } from '../helpers/servers/http-source.js';
import {
  newRsaKey,
  type SftpOverrides,
  type SftpSource,
  startSftpSource,
} from '../helpers/servers/sftp-source.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite('unusual SFTP servers');
const hostKey = newRsaKey();
const largeBytes = 5 * 1024 * 1024 + 7;
const servers: { close(): Promise<void> }[] = [];
const noKey: Services['sftp'] = { key: null, passphrase: null };

async function start(overrides: SftpOverrides = {}): Promise<SftpSource> {
  const server = await startSftpSource({ hostKey, ...overrides });
  servers.push(server);
  return server;
}

function transportAt(folder: string, others: readonly string[] = [], key = noKey, stallTimeoutMs = 10_000) {
  return createSftpTransport({
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    cleanupJournal: noCleanupJournal,
    stallTimeoutMs,
    retryDelayMs: 1,
    key,
    hostKeysPath: join(folder, 'data', 'known_hosts'),
    knownHostsPaths: others,
  });
}

async function get(transport: ReturnType<typeof transportAt>, url: string, folder = scratchFolder()) {
  const facts = await transport.download?.(url, join(folder, 'in'), transferOf());
  return { facts, bytes: readFileSync(join(folder, 'in')) };
}

async function put(transport: ReturnType<typeof transportAt>, url: string, bytes: Buffer) {
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, bytes);
  return transport.upload?.(path, url, transferOf());
}

test('transfers resume after each of several disconnects, and the file is complete', async () => {
  let left = 2;
  let breakAt = 60;
  const broken = new Set<unknown>();
  const overrides: SftpOverrides = {
    onData(count, connection) {
      if (count < breakAt || left === 0) return 'usual';
      // Once per connection, because its pending responses are lost with it.
      if (!broken.has(connection)) left -= 1;
      broken.add(connection);
      connection.end();
      return 'none';
    },
  };
  const bytes = sampleBytes(largeBytes);
  const server = await start(overrides);
  const transport = transportAt(scratchFolder());
  server.files.set('/a.mp4', bytes);
  assert.equal((await get(transport, server.url('/a.mp4'))).facts, factsOf(bytes));
  assert.is(left, 0);
  left = 2;
  // Late enough that a part of the upload is known to be stored.
  breakAt = 100;
  assert.equal(await put(transport, server.url('/b.mp4'), bytes), factsOf(bytes));
  assert.is(left, 0);
  assert.ok(server.files.get('/b.mp4')?.equals(bytes));
  assert.ok(server.asked.includes('open r+'), server.asked.join());
  assert.equal([...server.files.keys()], ['/a.mp4', '/b.mp4']);
  await waitUntil('every connection is closed', () => server.open() === 0);
});

test('a file that changed during a disconnect is downloaded again from the start', async () => {
  let mtime = 1;
  let server: SftpSource | null = null;
  const old = sampleBytes(largeBytes);
  const replacement = Buffer.from(old).fill(7);
  const overrides: SftpOverrides = {
    mtime: () => mtime,
    onData(count, connection) {
      if (count < 100 || mtime === 2) return 'usual';
      mtime = 2;
      server?.files.set('/a.mp4', replacement);
      connection.end();
      return 'none';
    },
  };
  server = await start(overrides);
  server.files.set('/a.mp4', old);
  assert.equal((await get(transportAt(scratchFolder()), server.url('/a.mp4'))).facts, factsOf(replacement));
});

test('short responses are joined', async () => {
  const server = await start({ maxBytes: 10_000 });
  const bytes = sampleBytes(1_000_003);
  server.files.set('/a.mp4', bytes);
  assert.equal((await get(transportAt(scratchFolder()), server.url('/a.mp4'))).facts, factsOf(bytes));
});

for (const [what, reported, expected] of [
  ['more', (size: number) => size + 70_000, /sent 200000 bytes of a file of 270000/],
  ['less', (size: number) => size - 70_000, /sent more than the 130000 bytes/],
] as const) {
  test(`a download fails if the reported size is ${what} than the file has`, async () => {
    const server = await start({ reportedSize: reported });
    server.files.set('/a.mp4', sampleBytes(200_000));
    const folder = scratchFolder();
    const failure = await failureOf(get(transportAt(scratchFolder()), server.url('/a.mp4'), folder));
    assert.is(failure.errorClass, 'DownloadFailureError');
    assert.match(failure.message, expected);
    assert.equal(contentsOf(folder), []);
  });
}

test('downloads and uploads time out if the server stalls halfway, and leave nothing', async () => {
  let answered = 0;
  const onData = () => {
    answered += 1;
    return answered > 20 ? 'none' : 'usual';
  };
  const server = await start({ onData });
  const transport = transportAt(scratchFolder(), [], noKey, 600);
  server.files.set('/a.mp4', sampleBytes(largeBytes));
  const folder = scratchFolder();
  const down = await failureOf(get(transport, server.url('/a.mp4'), folder));
  assert.is(down.errorClass, 'DownloadTimeoutError');
  assert.equal(contentsOf(folder), []);
  answered = 0;
  const up = await failureOf(put(transport, server.url('/b.mp4'), sampleBytes(largeBytes)));
  assert.is(up.errorClass, 'UploadTimeoutError');
  await waitUntil('every connection is closed', () => server.open() === 0);
  assert.equal([...server.files.keys()], ['/a.mp4']);
});

test('a rejected write ends the upload at once and leaves nothing', async () => {
  const server = await start({ onData: (count) => (count > 20 ? 'failure' : 'usual') });
  const failure = await failureOf(
    put(transportAt(scratchFolder()), server.url('/b.mp4'), sampleBytes(largeBytes)),
  );
  assert.is(failure.errorClass, 'UploadFailureError');
  assert.equal([...server.files.keys()], []);
});

test('an upload replaces a file on a server without the rename extension', async () => {
  const server = await start();
  server.files.set('/b.mp4', sampleBytes(9));
  await put(transportAt(scratchFolder()), server.url('/b.mp4'), sampleBytes(5));
  assert.ok(server.files.get('/b.mp4')?.equals(sampleBytes(5)));
  assert.equal([...server.files.keys()], ['/b.mp4']);
});

test('a path may be relative to the home folder', async () => {
  const server = await start();
  server.files.set('a.mp4', sampleBytes(3));
  assert.equal(
    (await get(transportAt(scratchFolder()), server.url('/~/a.mp4'))).facts,
    factsOf(sampleBytes(3)),
  );
});

test('keyboard-interactive authentication sends the password', async () => {
  const server = await start({ ways: ['keyboard-interactive'] });
  server.files.set('/a.mp4', sampleBytes(3));
  await get(transportAt(scratchFolder()), server.url('/a.mp4'));
  const failure = await failureOf(
    get(transportAt(scratchFolder()), server.url('/a.mp4', 'user:hunter2secret-not')),
  );
  assert.is(failure.errorClass, 'InvalidUsernameOrPasswordError');
});

test('a user without password and key is reported as InvalidUsernameOrPasswordError', async () => {
  const server = await start();
  const failure = await failureOf(get(transportAt(scratchFolder()), server.url('/a.mp4', 'user')));
  assert.is(failure.errorClass, 'InvalidUsernameOrPasswordError');
});

for (const key of ['/nowhere/hunter2secret', '-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2secret\n']) {
  test(`an invalid private key (${key.slice(0, 8)}) is reported as a configuration error`, async () => {
    const server = await start();
    const transport = transportAt(scratchFolder(), [], { key, passphrase: null });
    const failure = await failureOf(get(transport, server.url('/a.mp4', 'user')));
    assert.is(failure.errorClass, 'DownloadFailureError');
    assert.match(failure.hint ?? '', /VENC_SFTP_KEY/);
  });
}

test('a login without SFTP is reported as such', async () => {
  const server = await start({ isShellOnly: true });
  const failure = await failureOf(get(transportAt(scratchFolder()), server.url('/a.mp4')));
  assert.is(failure.errorClass, 'DownloadFailureError');
  assert.match(failure.message, /does not offer SFTP/);
});

test('a server with another protocol is reported as DownloadFailureError', async () => {
  const source = await startSocketSource((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html>'));
  servers.push(source);
  const { host } = new URL(source.url);
  const failure = await failureOf(
    get(transportAt(scratchFolder()), `sftp://user:hunter2secret@${host}/a.mp4`),
  );
  assert.is(failure.errorClass, 'DownloadFailureError');
});

test('a host key is stored once, at the first connection, readable only by its owner', async () => {
  const server = await start();
  server.files.set('/a.mp4', sampleBytes(3));
  const folder = scratchFolder();
  const transport = transportAt(folder);
  await Promise.all([1, 2, 3].map(() => get(transport, server.url('/a.mp4'))));
  const path = join(folder, 'data', 'known_hosts');
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.match(
    readFileSync(path, 'utf8'),
    new RegExp(`^\\[127\\.0\\.0\\.1\\]:${server.port} ssh-rsa \\S+\\n$`),
  );
});

test('another host key is rejected before the password is sent, with the line in the message', async () => {
  const folder = scratchFolder();
  const first = await start();
  first.files.set('/a.mp4', sampleBytes(3));
  await get(transportAt(folder), first.url('/a.mp4'));
  const path = join(folder, 'data', 'known_hosts');
  const other = await start({ hostKey: newRsaKey() });
  writeFileSync(path, `# kept\n${readFileSync(path, 'utf8').replace(`:${first.port} `, `:${other.port} `)}`);
  const failure = await failureOf(get(transportAt(folder), other.url('/a.mp4')));
  assert.is(failure.errorClass, 'DownloadFailureError');
  assert.ok(failure.message.includes(`remove line 2 of ${path}`), failure.message);
  assert.equal(other.asked, []);
});

test("the user's known hosts are used: a key in them is not stored again, and a revoked one is rejected", async () => {
  const folder = scratchFolder();
  const server = await start();
  server.files.set('/a.mp4', sampleBytes(3));
  await get(transportAt(folder), server.url('/a.mp4'));
  const theirs = join(folder, 'theirs');
  writeFileSync(theirs, readFileSync(join(folder, 'data', 'known_hosts')));
  const next = scratchFolder();
  await get(transportAt(next, [theirs]), server.url('/a.mp4'));
  assert.not.ok(existsSync(join(next, 'data', 'known_hosts')));
  writeFileSync(theirs, `@revoked ${readFileSync(theirs, 'utf8')}`);
  const failure = await failureOf(get(transportAt(next, [theirs]), server.url('/a.mp4')));
  assert.match(failure.message, /revoked/);
});

test.after(async () => {
  for (const server of servers) await server.close();
});

test.run();
