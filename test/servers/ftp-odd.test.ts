import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { createFtpTransport } from '../../daemon/transports/ftp/ftp-transport.js';
import {
  contentsOf,
  factsOf,
  failureOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../contracts/transport/evidence.js';
import { secret } from '../contracts/transport/transport-harness.js';
import {
  type FtpOverrides,
  type FtpTestServer,
  startFtpTestServer,
} from '../helpers/servers/ftp-test-server.js';
import { startSocketSource } from '../helpers/servers/http-source.js';
import { waitUntil } from '../helpers/wait-until.js';

const bytes = sampleBytes(300_007);
const transportOf = (stallTimeoutMs: number) =>
  createFtpTransport({
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    cleanupJournal: noCleanupJournal,
    stallTimeoutMs,
    retryDelayMs: 1,
  });
const transport = transportOf(10_000);
/** With a short timeout, for downloads that fail by it. Others would exceed it on a busy machine. */
const shortTimeoutTransport = transportOf(250);

async function withOdd(
  overrides: FtpOverrides,
  work: (server: FtpTestServer) => Promise<void>,
): Promise<void> {
  const server = await startFtpTestServer(overrides);
  try {
    server.files.set('/film.mp4', bytes);
    await work(server);
  } finally {
    await server.close();
  }
}

const urlOf = ({ port }: FtpTestServer, path = 'film.mp4') =>
  `ftp://someone:${secret}@127.0.0.1:${port}/${path}`;

async function download(server: FtpTestServer) {
  const path = join(scratchFolder(), 'in');
  const facts = await transport.download?.(urlOf(server), path, transferOf());
  assert.ok(readFileSync(path).equals(bytes));
  return facts;
}

async function upload(server: FtpTestServer, path = 'out.mp4') {
  const from = join(scratchFolder(), 'out');
  writeFileSync(from, bytes);
  return transport.upload?.(from, urlOf(server, path), transferOf());
}

async function failedDownload(server: FtpTestServer, errorClass: string) {
  const folder = scratchFolder();
  const chosen = errorClass === 'DownloadTimeoutError' ? shortTimeoutTransport : transport;
  const failure = await failureOf(
    Promise.resolve(chosen.download?.(urlOf(server), join(folder, 'in'), transferOf())),
  );
  assert.equal(contentsOf(folder), []);
  return failure;
}

for (const lie of ['169,254,169,254', '10,11,12,13', '127,0,0,2', '8,8,8,8']) {
  test(`a PASV response with ${lie} is ignored: the data connection goes to the host of the control connection`, async () => {
    let asked = 0;
    // A client that used the wrong address would connect here.
    const trap = createServer(() => {
      asked += 1;
    });
    const pasv = (port: number) => `227 there (${lie},${port >> 8},${port & 255})`;
    await withOdd({ pasv }, async (server) => {
      await new Promise<void>((resolve) => trap.listen(0, '127.0.0.2', resolve));
      assert.equal(await download(server), factsOf(bytes));
      assert.ok(server.commands.includes('PASV'));
    });
    await new Promise((resolve) => trap.close(resolve));
    assert.is(asked, 0);
  });
}

test('a download from a server without SIZE and MDTM uses the listing', async () => {
  await withOdd({ answers: { SIZE: '502 what', MDTM: '502 what', FEAT: '502 what' } }, async (server) => {
    assert.equal(await download(server), factsOf(bytes));
    assert.ok(server.commands.includes('LIST -a'));
  });
});

test('responses that arrive byte by byte are parsed', async () => {
  const say: FtpOverrides['say'] = (control, text) => {
    for (const character of text) control.write(character);
  };
  await withOdd({ say }, async (server) => assert.equal(await download(server), factsOf(bytes)));
});

test('an interrupted download resumes where it stopped', async () => {
  const send: FtpOverrides['send'] = (data, part, attempt, control) => {
    if (attempt < 3)
      data.write(part.subarray(0, 50_000), () =>
        setTimeout(() => control.destroy(data.destroy() && undefined), 20),
      );
    else data.end(part, () => control.write('226 done\r\n'));
  };
  await withOdd({ send }, async (server) => {
    assert.equal(await download(server), factsOf(bytes));
    assert.ok(server.commands.some((command) => /^REST [1-9]/.test(command)));
  });
});

const badSends: readonly (readonly [
  what: string,
  errorClass: string,
  send: NonNullable<FtpOverrides['send']>,
])[] = [
  [
    'stops in the middle',
    'DownloadTimeoutError',
    (data, part, attempt) => void (attempt === 0 && data.write(part.subarray(0, 1000))),
  ],
  [
    'sends less than it announced',
    'DownloadFailureError',
    (data, part, _, control) => void data.end(part.subarray(1), () => control.write('226 done\r\n')),
  ],
  [
    'sends more than it announced',
    'DownloadFailureError',
    (data, part, _, control) =>
      void data.end(Buffer.concat([part, part]), () => control.write('226 done\r\n')),
  ],
  ['confirms nothing', 'DownloadTimeoutError', (data, part) => void data.end(part)],
  [
    'aborts with a response',
    'DownloadFailureError',
    (data, part, _, control) => void data.end(part.subarray(0, 0), () => control.write('426 no\r\n')),
  ],
];

for (const [what, errorClass, send] of badSends) {
  test(`a server that ${what} is reported as ${errorClass}, and no connection stays open`, async () => {
    await withOdd({ send }, async (server) => {
      const failure = await failedDownload(server, errorClass);
      assert.is(failure.errorClass, errorClass, failure.message);
      await waitUntil('no connection is open', () => server.openCount() === 0);
    });
  });
}

const rejections: readonly (readonly [
  what: string,
  errorClass: string,
  answers: Record<string, string | null>,
])[] = [
  ['has too many users', 'DownloadFailureError', { USER: '421 too many users' }],
  ['rejects the login', 'InvalidUsernameOrPasswordError', { PASS: `530 not you, ${secret}` }],
  ['requires an account', 'InvalidUsernameOrPasswordError', { PASS: '332 account' }],
  ['accepts only encrypted logins', 'DownloadFailureError', { USER: '530 must use encryption' }],
  ['does not support binary transfers', 'DownloadFailureError', { TYPE: '504 no' }],
  ['denies access to the file', 'DownloadAccessDeniedError', { RETR: '550 Failed to open file.' }],
  ['does not respond to a command', 'DownloadTimeoutError', { SIZE: null }],
  ['opens no data port', 'DownloadFailureError', { EPSV: '229 (|||99999|)', PASV: '227 (1,2)' }],
];

for (const [what, errorClass, answers] of rejections) {
  test(`a server that ${what} is reported as ${errorClass}`, async () => {
    await withOdd({ answers }, async (server) => {
      const failure = await failedDownload(server, errorClass);
      assert.is(failure.errorClass, errorClass, failure.message);
    });
  });
}

test('a server with another protocol is reported as DownloadFailureError', async () => {
  const other = await startSocketSource((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const url = `ftp://${new URL(other.url).host}/film.mp4`;
  const failure = await failureOf(
    Promise.resolve(transport.download?.(url, join(scratchFolder(), 'in'), transferOf())),
  );
  await other.close();
  assert.is(failure.errorClass, 'DownloadFailureError');
});

test('no login is sent unencrypted to a server that rejects TLS', async () => {
  await withOdd({ answers: { AUTH: '502 no TLS' } }, async (server) => {
    const url = urlOf(server).replace('ftp:', 'ftps:');
    const path = join(scratchFolder(), 'in');
    const failure = await failureOf(Promise.resolve(transport.download?.(url, path, transferOf())));
    assert.is(failure.errorClass, 'DownloadFailureError');
    assert.not.ok(existsSync(path));
    assert.equal([...new Set(server.commands)], ['AUTH TLS', 'QUIT']);
  });
});

test('the old file is deleted first if a server cannot replace it by a rename', async () => {
  await withOdd({ keepsNames: true }, async (server) => {
    await upload(server, 'film.mp4');
    assert.equal([...server.files.keys()], ['/film.mp4']);
    assert.ok(server.commands.includes('DELE /film.mp4'));
  });
});

test('an upload whose reported size is wrong fails and is removed', async () => {
  await withOdd({ answers: { SIZE: '213 5' } }, async (server) => {
    const failure = await failureOf(upload(server));
    assert.is(failure.errorClass, 'UploadFailureError');
    assert.equal([...server.files.keys()], ['/film.mp4']);
  });
});

for (const [answer, words] of [
  ['552 quota exceeded', /no space/],
  ['452 disk full', /no space/],
  ['553 no', /denies write access/],
] as const) {
  test(`the error of an upload that is answered with "${answer}" gives the reason`, async () => {
    await withOdd({ answers: { STOR: answer } }, async (server) => {
      const failure = await failureOf(upload(server));
      assert.match(failure.message, words);
    });
  });
}

test('a URL without a user logs in as anonymous', async () => {
  await withOdd({}, async (server) => {
    const path = join(scratchFolder(), 'in');
    await transport.download?.(`ftp://127.0.0.1:${server.port}/film.mp4`, path, transferOf());
    assert.ok(server.commands.includes('USER anonymous'));
  });
});

test.run();
