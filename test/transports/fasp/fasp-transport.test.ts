import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { createFaspTransport, type FaspOptions } from '../../../daemon/transports/fasp/fasp-transport.js';
import {
  contentsOf,
  factsOf,
  failureOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../../contracts/transport/evidence.js';
import { secret } from '../../contracts/transport/transport-harness.js';
import { transportContract } from '../../contracts/transport.js';
import { fakeAscp } from '../../helpers/servers/fake-ascp.js';
import { waitUntil } from '../../helpers/wait-until.js';

const ascp = fakeAscp();
const guard = createSsrfGuard({ allowPrivateNetwork: true });
const transportWith = (options: Partial<FaspOptions> = {}) =>
  createFaspTransport({
    guard,
    stallTimeoutMs: 10_000,
    retryDelayMs: 1,
    searchPath: ascp.searchPath,
    ...options,
  });
const transport = transportWith();

const urlOf = (name: string, password = ascp.password, host = '127.0.0.1') =>
  `fasp://ingest:${encodeURIComponent(password)}@${host}/${name.split('/').map(encodeURIComponent).join('/')}`;
const offer = async (name: string, bytes: Buffer) => {
  const path = join(ascp.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return urlOf(name);
};
const fetchTo = (url: string, folder: string, signal = new AbortController().signal, via = transport) => {
  assert.ok(via.download);
  return via.download(url, join(folder, 'in'), transferOf({ signal }));
};

const test = suite('fasp without the contract');

test('the password is not in the arguments, and no other variables of the environment are passed on', async () => {
  const folder = scratchFolder();
  await fetchTo(await offer('folder/plain.mp4', Buffer.from('hello')), folder);
  const { args, env } = ascp.lastStart();
  assert.not.match(args.join(' '), /sesame/);
  assert.ok(args.includes('--host=127.0.0.1'));
  assert.ok(args.includes('folder/plain.mp4'));
  const inherited =
    /^(PATH|HOME|TMPDIR|TZ|LANG|LANGUAGE|LC_.*|LD_LIBRARY_PATH|FONTCONFIG_(FILE|PATH)|XDG_(CACHE_HOME|CONFIG_HOME|DATA_HOME|DATA_DIRS))$/;
  const expected = Object.keys(process.env).filter((name) => inherited.test(name));
  assert.equal(
    env.filter((name) => !name.startsWith('__')).sort(),
    [...new Set(['ASPERA_SCP_PASS', 'LC_ALL', ...expected])].sort(),
  );
});

test('the program gets the address that a name resolved to, and the port of the URL', async () => {
  await offer('named.mp4', Buffer.from('hello'));
  await fetchTo(urlOf('named.mp4', ascp.password, 'localhost:33001'), scratchFolder());
  const { args } = ascp.lastStart();
  assert.ok(
    args.some((arg) => /^--host=(127\.0\.0\.1|::1)$/.test(arg)),
    args.join(' '),
  );
  assert.is(args[args.indexOf('-P') + 1], '33001');
});

test('the program gets the policy and the rates of the job', async () => {
  const url = await offer('rates.mp4', Buffer.from('hello'));
  assert.ok(transport.download);
  const aspera = { policy: 'low', minimumKbps: 2000, maximumKbps: 9000 } as const;
  await transport.download(url, join(scratchFolder(), 'in'), transferOf({ aspera }));
  const { args } = ascp.lastStart();
  assert.ok(args.includes('--policy=low'));
  assert.equal([args[args.indexOf('-m') + 1], args[args.indexOf('-l') + 1]], ['2000k', '9000k']);
});

test('an interrupted transfer is resumed', async () => {
  const bytes = sampleBytes(1000);
  const folder = scratchFolder();
  assert.equal(await fetchTo(await offer('cut.mp4', bytes), folder), factsOf(bytes));
  assert.ok(readFileSync(join(folder, 'in')).equals(bytes));
});

test('without the program an input is rejected, and the error names the program', async () => {
  const without = transportWith({ searchPath: '/nonexistent' });
  assert.match(String(await without.checkInput?.(urlOf('a.mp4'), 'default')), /needs the program ascp/);
});

for (const [url, validationError] of [
  ['fasp://example.com/a.mp4', /user:password@/],
  ['fasp://u:p@/a.mp4', /host/],
  ['fasp://u:p@example.com:0/a.mp4', /port/],
  ['fasp://u:p@example.com/', /name a file/],
  ['fasp://u:p@example.com/a/../b', /"\.\."/],
  ['fasp://u:p@example.com/a%0Ab', /line breaks/],
] as const) {
  test(`${url} is rejected`, async () => {
    assert.match(String(await transport.checkInput?.(url, 'default')), validationError);
  });
}

test('stopping a program also stops its children', async () => {
  const folder = scratchFolder();
  const controller = new AbortController();
  const work = rejectionOf(fetchTo(urlOf('child.mp4'), folder, controller.signal));
  const pidPath = join(dirname(ascp.root), 'child-pid');
  await waitUntil(
    'it has started a child',
    () => existsSync(pidPath) && readFileSync(pidPath, 'utf8') !== '',
  );
  controller.abort('cancelled');
  assert.is(await work, 'cancelled');
  for (const pid of [ascp.lastStart().pid, Number(readFileSync(pidPath, 'utf8'))])
    await waitUntil('it is gone', () => !runs(pid));
  assert.equal(contentsOf(folder), []);
});

test('an address that is not public is rejected before the program is started', async () => {
  const strict = transportWith({ guard: createSsrfGuard({ allowPrivateNetwork: false }) });
  const before = JSON.stringify(ascp.lastStart());
  for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '[::1]']) {
    const failure = await failureOf(
      fetchTo(urlOf('plain.mp4', secret, host), scratchFolder(), undefined, strict),
    );
    assert.is(failure.errorClass, 'ForbiddenAddressError');
  }
  assert.is(JSON.stringify(ascp.lastStart()), before);
});

test.run();

transportContract('fasp', {
  transport,
  against: 'a fake ascp',
  download: {
    offer,
    common: {
      'a wrong password': async () => urlOf('plain.mp4', secret),
      'a missing file': async () => urlOf('missing.mp4'),
      'a file without permission': async () => urlOf('denied.mp4'),
      'a refused connection': async () => urlOf('refused.mp4'),
      'a host that does not exist': async () => urlOf('a.mp4', secret, 'nowhere.invalid'),
      'a metadata service': async () => urlOf('a.mp4', secret, '169.254.169.254'),
      'a server that stalls': {
        transport: transportWith({ stallTimeoutMs: 150 }),
        url: async () => urlOf('silent.mp4'),
      },
    },
    errorCases: [
      { what: 'a full disk', errorClass: 'OutOfSpaceError', url: async () => urlOf('full.mp4') },
      { what: 'blocked UDP', errorClass: 'DownloadFailureError', url: async () => urlOf('udp.mp4') },
      { what: 'a folder', errorClass: 'DownloadFailureError', url: async () => urlOf('folder.mp4') },
      {
        what: 'words nobody knows',
        errorClass: 'DownloadFailureError',
        url: async () => urlOf('strange.mp4'),
      },
    ],
  },
});

function runs(pid: number): boolean {
  try {
    return !/\)\s+Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
