import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FileFacts } from '../daemon/jobs/job.js';
import { createSsrfGuard } from '../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../daemon/transfer/cleanup-journal.js';
import { createFtpTransport } from '../daemon/transports/ftp/ftp-transport.js';
import { createHttpTransport } from '../daemon/transports/http/http-transport.js';
import { createSftpTransport } from '../daemon/transports/sftp/sftp-transport.js';
import type { Transport } from '../daemon/transports/transport.js';

/*
 * A separate program: makes the transfers that its parent sends, one at a time, with the transports of the daemon.
 * Answers each with its duration and its processor time.
 */

/** A transfer: from the URL to the file, or from the file to the URL. */
export interface TransferRequest {
  readonly direction: 'in' | 'out';
  readonly url: string;
  readonly path: string;
  /** Size and MD5 of the file if they are known, as those of an input that is delivered unchanged. */
  readonly facts?: FileFacts;
}

/** What a transfer took. */
export interface TransferSample {
  readonly ms: number;
  /** Seconds of processor time of the whole process. */
  readonly cpuSeconds: number;
  /** Seconds of them in the thread that computed the MD5. */
  readonly md5Seconds: number;
  /** Why it failed; undefined if it did not. */
  readonly failure?: string;
}

const [keyPath = '', hostKeysPath = ''] = process.argv.slice(2);
const common = {
  guard: createSsrfGuard({ allowPrivateNetwork: true }),
  stallTimeoutMs: 30_000,
  cleanupJournal: noCleanupJournal,
};
const key = { key: keyPath, passphrase: null };
const transports: Readonly<Record<string, Transport>> = {
  'http:': createHttpTransport(common),
  'ftp:': createFtpTransport(common),
  'sftp:': createSftpTransport({ ...common, key, hostKeysPath, knownHostsPaths: [] }),
};

/**
 * As many objects as an idle daemon has, about 20 MB. V8 collects garbage more often the smaller the heap is, and a
 * transfer over SFTP leaves many buffers.
 */
const ballast = Array.from({ length: 250_000 }, (_, index) => ({ index }));

/** Nanoseconds of processor time of each thread of this process, by its id. */
function threadTimes(): ReadonlyMap<string, number> {
  const folder = '/proc/self/task';
  const times = readdirSync(folder).map((id): [string, number] => [
    id,
    Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')[0]),
  ]);
  return new Map(times);
}

/**
 * The threads of this process, but for the one that computes MD5s: that starts later. Node starts its own threads for
 * files with the first four requests.
 */
async function otherThreads(): Promise<ReadonlySet<string>> {
  await Promise.all(Array.from({ length: 4 }, () => readFile('/proc/self/stat')));
  return new Set(threadTimes().keys());
}

const others = await otherThreads();

async function measure({ direction, url, path, facts }: TransferRequest): Promise<TransferSample> {
  const transport = transports[new URL(url).protocol];
  const { signal } = new AbortController();
  const transfer = { signal, onProgress: () => undefined, ...(facts === undefined ? {} : { facts }) };
  const threadsBefore = threadTimes();
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  if (direction === 'in') await transport?.download?.(url, path, transfer);
  else await transport?.upload?.(path, url, transfer);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  const md5Times = [...threadTimes()].flatMap(([id, time]) =>
    others.has(id) ? [] : [time - (threadsBefore.get(id) ?? 0)],
  );
  const md5Seconds = md5Times.reduce((sum, time) => sum + time, 0) / 1e9;
  return { ms, cpuSeconds: (user + system) / 1e6, md5Seconds };
}

process.on('message', (request: TransferRequest) => {
  if (ballast.length === 0) throw new RangeError('the objects of the process are gone');
  measure(request)
    .catch((error: unknown) => ({ ms: 0, cpuSeconds: 0, md5Seconds: 0, failure: String(error) }))
    .then((sample) => process.send?.(sample));
});
