import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { measureFile } from '../../transfer/read-file.js';
import { parseRemoteUrl, type RemoteUrl } from '../../transfer/remote-url.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import { mapConnectionError, permanentError, type TransferError } from '../../transfer/transfer-error.js';
import { type RemoteOptions, type Watchdog, withIdleTimeout, withRetry } from '../../transfer/with-retry.js';
import type { Transport } from '../transport.js';
import { findOnPath, mapAscpError, runAscp } from './run-ascp.js';

/**
 * Inputs from servers of Aspera: `fasp://user:password@host/path` (section 1), by the program `ascp` where it is installed; where it is
 * not, they are refused at creation (contract, section 9).
 */
export function createFaspTransport(options: FaspOptions): Transport {
  return {
    schemes: ['fasp'],
    checkInput: (url) => validateFaspUrl(url, options),
    download: (from, toPath, transfer) => downloadWithAscp(from, toPath, transfer, options),
  };
}

/** What downloads by `ascp` depend on. */
export interface FaspOptions extends RemoteOptions {
  /** Where programs are looked for; `PATH` where it is not given. */
  readonly searchPath?: string;
}

/** How often the growth of the file is looked at, in milliseconds: the program tells nothing that could be relied upon. */
const sizePollIntervalMs = 250;
const missingProgram =
  'needs the program ascp of IBM Aspera, which is not installed on the machine of the daemon';

/** Why an input cannot be fetched; null where it can. */
async function validateFaspUrl(url: string, options: FaspOptions): Promise<string | null> {
  const location = parseFaspUrl(url);
  if (typeof location === 'string') return location;
  return (await findOnPath('ascp', searchPathOf(options))) === null ? missingProgram : null;
}

/**
 * Fetches a file by the program `ascp`, into a folder of its own beside the final name. The program is given the address that has passed
 * the guard, not the name; it goes on by itself with what an earlier attempt has brought.
 */
async function downloadWithAscp(
  from: string,
  toPath: string,
  transfer: Transfer,
  options: FaspOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const location = parseFaspUrl(from);
  const validationError = typeof location === 'string' ? location : null;
  const program = await findOnPath('ascp', searchPathOf(options));
  if (typeof location === 'string' || program === null)
    throw new VencError('DownloadFailureError', `The URL of the input ${validationError ?? missingProgram}.`);
  const folder = join(dirname(toPath), `.venc-${randomBytes(6).toString('hex')}.part`);
  const progress = createProgressReporter(transfer);
  let highWaterMarkBytes = 0;
  const attempt = () =>
    withIdleTimeout(
      { signal, stallTimeoutMs: options.stallTimeoutMs, direction: 'download', host: location.name },
      (watchdog) =>
        fetchOnce(program, location, folder, watchdog, options, (bytes) => {
          if (bytes <= highWaterMarkBytes) return;
          highWaterMarkBytes = bytes;
          watchdog.reportActivity();
          progress.update(bytes, null);
        }),
    );
  try {
    await mkdir(folder, { mode: 0o700 });
    await withRetry({ attempt, highWaterMarkBytes: () => highWaterMarkBytes, signal }, options);
    const facts = await measureFile(join(folder, fileName), progress, signal);
    await rename(join(folder, fileName), toPath);
    return facts;
  } catch (error) {
    signal.throwIfAborted();
    throw mapLocalDiskError(error, 'download');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const fileName = 'input';

async function fetchOnce(
  program: string,
  location: FaspLocation,
  folder: string,
  watchdog: Watchdog,
  options: FaspOptions,
  onGrowth: (bytes: number) => void,
): Promise<TransferError | null> {
  const { signal } = watchdog;
  const address = await resolveAddress(options.guard, location.host, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return mapConnectionError(error, location.name, 'download');
  });
  if (typeof address !== 'string') return address;
  const sizePoll = setInterval(() => void folderSize(folder).then(onGrowth), sizePollIntervalMs);
  const args = [
    '--mode=recv',
    `--user=${location.user}`,
    `--host=${address}`,
    ...(location.port === null ? [] : ['-P', String(location.port)]),
    ...['--policy=fair', '-l', '10G', '-k', '2', '--overwrite=always'],
    location.path,
    join(folder, fileName),
  ];
  const { password } = location;
  const searchPath = searchPathOf(options);
  const result = await runAscp({ program, args, password, searchPath, signal });
  clearInterval(sizePoll);
  signal.throwIfAborted();
  onGrowth(await folderSize(folder));
  if (result.exitCode !== 0) return mapAscpError(result.output, result.exitCode, location);
  const stats = await lstat(join(folder, fileName)).catch(() => null);
  if (stats?.isFile() === true) return null;
  return permanentError('DownloadFailureError', `${location.path} on ${location.name} is no file.`);
}

/** The address to connect to. Rejects with the error of the guard, or of the system. */
function resolveAddress(guard: SsrfGuard, host: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    guard.checkHost(host);
    if (isIP(host) !== 0) return resolve(host);
    guard.lookup(host, {}, (error, address) => {
      if (error !== null) reject(error);
      else if (typeof address === 'string') resolve(address);
      else reject(new TypeError('one address was asked for'));
    });
  });
}

/** How much there is, whatever the program calls its files. */
async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) =>
      lstat(join(folder, entry)).then(
        (stats) => (stats.isFile() ? stats.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function searchPathOf({ searchPath }: FaspOptions): string {
  return searchPath ?? process.env.PATH ?? '';
}

/** A file on a server of Aspera. */
export interface FaspLocation extends Omit<RemoteUrl, 'credentials'> {
  readonly user: string;
  readonly password: string;
  /** As the server is to be asked for it: below the folder of its user, or from the root. */
  readonly path: string;
  /** The host with its port, to be named in messages. */
  readonly name: string;
}

/** Where `fasp://user:password@host:port/path` leads (section 1); or a sentence without subject that says why it cannot be used. */
export function parseFaspUrl(url: string): FaspLocation | string {
  const parsed = parseRemoteUrl(url);
  if (!parsed.ok) return parsed.validationError;
  const { host, port, credentials, parts, isFromRoot } = parsed;
  if (credentials === null || credentials.user === '' || credentials.password === '')
    return 'must hold user:password@ in front of the host';
  const path = `${isFromRoot ? '/' : ''}${parts.join('/')}`;
  const displayHost = host.includes(':') ? `[${host}]` : host;
  return {
    ...parsed,
    ...credentials,
    // What begins with a dash would be an option.
    path: path.startsWith('-') ? `./${path}` : path,
    name: port === null ? displayHost : `${displayHost}:${port}`,
  };
}
