import { execFile } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { createHttpTransport } from '../../daemon/transports/http/http-transport.js';
import { unreachableHosts } from '../contracts/transport/common-error-cases.js';
import {
  factsOf,
  failureOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../contracts/transport/evidence.js';
import { secret } from '../contracts/transport/transport-harness.js';
import { transportContract } from '../contracts/transport.js';
import { type Nginx, startNginx } from '../helpers/servers/nginx.js';
import { skipSuite } from '../helpers/servers/program.js';
import { testCertificate } from '../helpers/servers/test-certificate.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const bytesPerSecond = 500_000;
const nginx = await startNginx({ bytesPerSecond });
const guard = createSsrfGuard({ allowPrivateNetwork: true });

if ('missing' in nginx) skipSuite('http (nginx)', nginx);
else {
  contract(nginx);
  ranges(nginx);
}

function contract(nginx: Nginx): void {
  const offer = (name: string, bytes: Buffer) => {
    writeFileSync(join(nginx.folder, name), bytes);
    return nginx.url('plain', name);
  };
  const withSecret = (url: string) => url.replace('://', `://${nginx.user}:${secret}@`);
  const at =
    (...[way, options]: [Parameters<Nginx['url']>[0], Parameters<Nginx['url']>[2]?]) =>
    async () => {
      offer('film', sampleBytes(100_000));
      return withSecret(nginx.url(way, 'film', options));
    };
  const transportOf = (stallTimeoutMs: number) =>
    createHttpTransport({ guard, stallTimeoutMs, retryDelayMs: 1 });
  transportContract('http (nginx)', {
    against: nginx.version,
    transport: transportOf(10_000),
    download: {
      offer: async (name, bytes) => offer(name, bytes),
      common: {
        'a wrong password': at('private'),
        'a missing file': async () => withSecret(nginx.url('plain', 'no such film')),
        'a file without permission': at('forbidden'),
        // The others would exceed a short timeout on a busy machine.
        'a server that stalls': { transport: transportOf(500), url: at('dripping') },
        ...unreachableHosts((host) => `http://user:${secret}@${host}/a`),
      },
      errorCases: [
        { what: 'a file that is gone', errorClass: 'FileNotFoundError', url: at('gone') },
        { what: 'a server error', errorClass: 'DownloadFailureError', url: at('broken') },
        { what: 'a redirect loop', errorClass: 'DownloadFailureError', url: at('circle') },
        {
          what: 'an untrusted certificate',
          errorClass: 'DownloadFailureError',
          url: at('plain', { isTls: true }),
        },
      ],
    },
  });
}

function ranges(nginx: Nginx): void {
  const test = suite('http (nginx), in ranges');
  const film = sampleBytes(4_000_000);
  writeFileSync(join(nginx.folder, 'long film'), film);
  // Splits as soon as the rate is known, so that small files are enough.
  const transport = createHttpTransport({
    guard,
    stallTimeoutMs: 5_000,
    retryDelayMs: 10,
    ranges: { minRangeBytes: 100_000, splitThresholdSeconds: 0.2 },
  });
  const take = (url: string, connections = 5) =>
    transport.download?.(url, join(scratchFolder(), 'in'), transferOf({ connections }));

  /** The requests since then. Waits until the log contains all received bytes, because nginx logs a request when its response has ended. */
  const asked = async (before: number, bytes: number) => {
    const since = () => nginx.log().slice(before);
    const sent = () =>
      since().reduce((sum, { status, bodyBytes }) => (status < 300 ? sum + bodyBytes : sum), 0);
    await waitUntil('the log contains all received bytes', () => sent() >= bytes);
    return since();
  };

  test('a slow file is downloaded over several connections', async () => {
    const before = nginx.log().length;
    assert.equal(await take(nginx.url('limited', 'long film')), factsOf(film));
    const requests = await asked(before, film.byteLength);
    assert.ok(new Set(requests.map(({ connection }) => connection)).size >= 4, JSON.stringify(requests));
    assert.ok(requests.some(({ status, range }) => status === 206 && /^bytes=\d+-\d+$/.test(range)));
  });

  test('a download uses no more connections than allowed', async () => {
    const before = nginx.log().length;
    const clip = film.subarray(0, 1_000_000);
    writeFileSync(join(nginx.folder, 'clip'), clip);
    assert.equal(await take(nginx.url('limited', 'clip'), 1), factsOf(clip));
    assert.is((await asked(before, clip.byteLength)).length, 1);
  });

  test('a redirect is followed once, and the ranges are requested from its target', async () => {
    const before = nginx.log().length;
    assert.equal(await take(nginx.url('moved', 'long film')), factsOf(film));
    const requests = await asked(before, film.byteLength);
    assert.is(requests.filter(({ status }) => status === 302).length, 1);
    assert.ok(requests.length > 3);
  });

  test('a server that limits connections is not sent more', async () => {
    const before = nginx.log().length;
    assert.equal(await take(nginx.url('crowded', 'long film'), 8), factsOf(film));
    const requests = await asked(before, film.byteLength);
    assert.ok(
      requests.some(({ status }) => status === 503),
      'no connection was rejected',
    );
    const accepted = requests.filter(({ status }) => status !== 503);
    assert.ok(new Set(accepted.map(({ connection }) => connection)).size >= 2, JSON.stringify(requests));
  });

  test('a file from a server without ranges is downloaded over one connection', async () => {
    const before = nginx.log().length;
    const clip = film.subarray(0, 1_500_000);
    writeFileSync(join(nginx.folder, 'clip'), clip);
    assert.equal(await take(nginx.url('whole', 'clip')), factsOf(clip));
    const requests = await asked(before, clip.byteLength);
    assert.ok(requests.length <= 2, JSON.stringify(requests));
    assert.ok(requests.some(({ bodyBytes }) => bodyBytes === clip.byteLength));
  });

  test('user and password are sent with every range request', async () => {
    const before = nginx.log().length;
    const url = nginx.url('guarded', 'long film');
    const credentials = `${nginx.user}:${encodeURIComponent(nginx.password)}@`;
    assert.equal(await take(url.replace('://', `://${credentials}`)), factsOf(film));
    const requests = await asked(before, film.byteLength);
    assert.ok(requests.filter(({ status }) => status === 206).length >= 3, JSON.stringify(requests));
    assert.ok(
      requests.every(({ status, user }) => status < 300 && user === nginx.user),
      JSON.stringify(requests),
    );
  });

  test('a download that is allowed 25 connections uses many', async () => {
    const before = nginx.log().length;
    const many = sampleBytes(60_000_000);
    writeFileSync(join(nginx.folder, 'very long film'), many);
    assert.equal(await take(nginx.url('limited', 'very long film'), 25), factsOf(many));
    const connections = new Set((await asked(before, many.byteLength)).map(({ connection }) => connection))
      .size;
    // Counts all connections of the transfer, including those that ended. http-ranges tests the number of concurrent ones.
    assert.ok(connections > 5, String(connections));
  });

  test('a file that is replaced during the download is downloaded again from the start', async () => {
    const served = join(nginx.folder, 'changing film');
    const other = Buffer.from(film.map((byte) => byte ^ 0xff));
    const changed = other.subarray(0, 3_000_000);
    writeFileSync(served, film);
    writeFileSync(`${served}.new`, changed);
    let isReplaced = false;
    const onProgress = (done: number) => {
      // Before another connection has requested a range.
      if (isReplaced || done === 0) return;
      isReplaced = true;
      renameSync(`${served}.new`, served);
    };
    const url = nginx.url('limited', 'changing film');
    const before = nginx.log().length;
    const path = join(scratchFolder(), 'in');
    const facts = await transport.download?.(url, path, transferOf({ onProgress }));
    assert.ok(isReplaced);
    assert.equal(facts, factsOf(changed));
    assert.ok(readFileSync(path).equals(changed));
    // Restarted: the first response with the whole file is followed by another one. All received bytes may be
    // in the log before that one is: those of the first response count, too.
    const since = () => nginx.log().slice(before);
    const wholeCount = () => since().filter(({ status }) => status === 200).length;
    await waitUntil('two responses with the whole file are logged', () => wholeCount() >= 2);
  });

  test('a download from a server that stalls beyond the timeout resumes where it stopped', async () => {
    const stalled = createHttpTransport({
      guard,
      stallTimeoutMs: 700,
      retryDelayMs: 10,
      ranges: { minRangeBytes: 100_000, splitThresholdSeconds: 0.2 },
    });
    let isStopped = false;
    let stoppedMs = 0;
    const onProgress = (done: number) => {
      if (isStopped || done < 2_000_000) return;
      isStopped = true;
      nginx.signal('SIGSTOP');
      const at = performance.now();
      setTimeout(() => {
        nginx.signal('SIGCONT');
        stoppedMs = performance.now() - at;
      }, 1_500);
    };
    const url = nginx.url('limited', 'long film');
    const before = nginx.log().length;
    const facts = await stalled.download?.(url, join(scratchFolder(), 'in'), transferOf({ onProgress }));
    assert.equal(facts, factsOf(film));
    assert.ok(stoppedMs > 700, 'it was not stopped longer than the stall timeout');
    const later = await asked(before, film.byteLength);
    // Interrupted ranges are requested again from where they stopped: only the first response has the whole file.
    assert.is(later.filter(({ status }) => status === 200).length, 1, JSON.stringify(later));
    assert.ok(later.length > 5, JSON.stringify(later));
  });

  test('the size of a file is known before the download', async () => {
    const sizeOf = (url: string) => transport.sizeOf?.(url, new AbortController().signal) ?? null;
    assert.is(await sizeOf(nginx.url('moved', 'long film')), film.byteLength);
    assert.is(await sizeOf(nginx.url('whole', 'long film')), film.byteLength);
    writeFileSync(join(nginx.folder, 'nothing'), '');
    assert.is(await sizeOf(nginx.url('plain', 'nothing')), 0);
    const missing = transport.sizeOf?.(nginx.url('plain', 'no such film'), new AbortController().signal);
    assert.is((await failureOf(missing ?? Promise.resolve())).errorClass, 'FileNotFoundError');
  });

  test('with a trusted authority, a certificate of the host is accepted and one of another host is rejected', async () => {
    const authority = join(tempFolder(), 'authority.pem');
    writeFileSync(authority, testCertificate);
    const harness = new URL('../transports/http/http-harness.js', import.meta.url).href;
    const script = `import(${JSON.stringify(harness)}).then(async (harness) => {
      const resultOf = (url) => harness.tryDownload(url).then(({ md5 }) => md5, ({ errorClass }) => errorClass);
      process.stdout.write([await resultOf(process.argv[1]), await resultOf(process.argv[2])].join(' '));
    });`;
    const urls = ['127.0.0.1', '127.0.0.2'].map((host) =>
      nginx.url('plain', 'long film', { isTls: true, host }),
    );
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, ...urls], { env });
    assert.is(stdout, `${factsOf(film).md5} DownloadFailureError`);
  });

  test('a file is downloaded over several encrypted connections', async () => {
    const before = nginx.log().length;
    const authority = join(tempFolder(), 'authority.pem');
    writeFileSync(authority, testCertificate);
    const harness = new URL('../transports/http/http-harness.js', import.meta.url).href;
    const script = `import(${JSON.stringify(harness)}).then(async (harness) => {
      const ranges = { minRangeBytes: 100_000, splitThresholdSeconds: 0.2 };
      process.stdout.write((await harness.tryDownload(process.argv[1], { ranges, connections: 5 })).md5);
    });`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
    const url = nginx.url('limited', 'long film', { isTls: true });
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, url], { env });
    assert.is(stdout, factsOf(film).md5);
    const requests = await asked(before, film.byteLength);
    const parts = requests.filter(({ status }) => status === 206);
    assert.ok(new Set(parts.map(({ connection }) => connection)).size >= 3, JSON.stringify(requests));
  });

  test.after(nginx.close);
  test.run();
}
