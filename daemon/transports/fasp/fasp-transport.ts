import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { inScope } from '../../../src/shared/util/error-scope.js';
import type { AsperaSettings, FileFacts } from '../../jobs/job.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import { mapLocalDiskError, outOfSpaceError } from '../../transfer/disk-errors.js';
import { measureFile } from '../../transfer/read-file.js';
import { parseRemoteUrl, type RemoteUrl } from '../../transfer/remote-url.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import {
  mapConnectionError,
  permanentError,
  type TransferError,
  transientError,
} from '../../transfer/transfer-error.js';
import { type RemoteOptions, type Watchdog, withIdleTimeout, withRetry } from '../../transfer/with-retry.js';
import { findOnPath, type ProgramResult, runProgram } from '../run-program.js';
import type { Transport } from '../transport.js';

/**
 * The transport of inputs from Aspera servers, `fasp://user:password@host/path` (section 1). It runs the program
 * `ascp`. If `ascp` is not installed, jobs with such inputs are rejected when they are created (contract, section 9).
 */
export function createFaspTransport(options: FaspOptions): Transport {
  return {
    schemes: ['fasp'],
    checkInput: (url) => validateFaspUrl(url, options),
    download: (from, toPath, transfer) => downloadWithAscp(from, toPath, transfer, options),
  };
}

/** Options of the FASP transport. */
export interface FaspOptions extends RemoteOptions {
  /** Search path of programs; `PATH` by default. */
  readonly searchPath?: string;
}

/** How often the file size is read, in milliseconds. `ascp` has no reliable progress output. */
const sizePollIntervalMs = 250;
const missingProgram =
  'needs the program ascp of IBM Aspera, which is not installed on the machine of the daemon';

/** The validation error of an input, or null. */
async function validateFaspUrl(url: string, options: FaspOptions): Promise<string | null> {
  const location = parseFaspUrl(url);
  if (typeof location === 'string') return location;
  return (await findOnPath('ascp', searchPathOf(options))) === null ? missingProgram : null;
}

/**
 * Downloads a file with `ascp` into a temporary folder next to the final path. `ascp` gets the address that the guard
 * has checked, not the host name. It resumes the file of an earlier attempt.
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
        fetchOnce(program, location, folder, watchdog, { ...options, ...transfer.aspera }, (bytes) => {
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
  options: FaspOptions & AsperaSettings,
  onGrowth: (bytes: number) => void,
): Promise<TransferError | null> {
  const { policy = 'fair', minimumKbps, maximumKbps } = options;
  const { signal } = watchdog;
  const address = await resolveAddress(options.guard, location.host, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return mapConnectionError(error, location.name, 'download');
  });
  if (typeof address !== 'string') return address;
  const sizePoll = setInterval(
    inScope(() => void folderSize(folder).then(onGrowth)),
    sizePollIntervalMs,
  );
  const args = [
    '--mode=recv',
    `--user=${location.user}`,
    `--host=${address}`,
    ...(location.port === null ? [] : ['-P', String(location.port)]),
    `--policy=${policy}`,
    ...['-l', maximumKbps === undefined ? '10G' : `${maximumKbps}k`],
    ...(minimumKbps === undefined ? [] : ['-m', `${minimumKbps}k`]),
    ...['-k', '2', '--overwrite=always'],
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
  return permanentError(
    'DownloadFailureError',
    `${location.path} on ${location.name} is not a regular file.`,
  );
}

/** Resolves the address to connect to. Rejects with the error of the guard or of the system. */
function resolveAddress(guard: SsrfGuard, host: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    guard.checkHost(host);
    if (isIP(host) !== 0) return resolve(host);
    guard.lookup(host, {}, (error, address) => {
      if (error !== null) reject(error);
      else if (typeof address === 'string') resolve(address);
      else reject(new TypeError('expected one address'));
    });
  });
}

/** Total size of the files in a folder. `ascp` uses temporary names of its own. */
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

/** A file on an Aspera server. */
interface FaspLocation extends Omit<RemoteUrl, 'credentials'> {
  readonly user: string;
  readonly password: string;
  /** The path for the server: relative to the home folder of the user, or from the root. */
  readonly path: string;
  /** Host with its port, for messages. */
  readonly name: string;
}

/**
 * Parses `fasp://user:password@host:port/path` (section 1). Returns the validation error as a sentence without subject
 * if it is invalid.
 */
function parseFaspUrl(url: string): FaspLocation | string {
  const parsed = parseRemoteUrl(url);
  if (!parsed.ok) return parsed.validationError;
  const { host, port, credentials, parts, isFromRoot } = parsed;
  if (credentials === null || credentials.user === '' || credentials.password === '')
    return 'must have user:password@ before the host';
  const path = `${isFromRoot ? '/' : ''}${parts.join('/')}`;
  const displayHost = host.includes(':') ? `[${host}]` : host;
  return {
    ...parsed,
    ...credentials,
    // A path that begins with a dash would be parsed as an option.
    path: path.startsWith('-') ? `./${path}` : path,
    name: port === null ? displayHost : `${displayHost}:${port}`,
  };
}

/** Options of a run of `ascp`. */
interface AscpOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly password: string;
  readonly searchPath: string;
  /** Kills its processes. */
  readonly signal: AbortSignal;
}

/**
 * Runs `ascp` until it exits. The password is passed in the environment, which only the user of the process can read;
 * arguments are visible to all users. Never rejects.
 */
function runAscp({ password, searchPath, ...options }: AscpOptions): Promise<ProgramResult> {
  return runProgram({
    ...options,
    searchPath,
    variables: { PATH: searchPath, LC_ALL: 'C.UTF-8', ASPERA_SCP_PASS: password },
  });
}

/** The requested file, for messages. */
interface AscpSource {
  readonly path: string;
  /** Host with its port. */
  readonly name: string;
}

type AscpErrorMapper = (source: AscpSource) => TransferError;

/**
 * Errors by patterns of the output; the first match wins. The output itself is never shown, because it may contain
 * secrets.
 */
const errorMappers: readonly (readonly [RegExp, AscpErrorMapper])[] = [
  [
    /authenticat|permission denied \(|(?:wrong|invalid|incorrect) (?:password|user)/i,
    ({ name }) =>
      permanentError('InvalidUsernameOrPasswordError', `${name} does not accept the user and the password.`),
  ],
  [
    /no such file|file not found|does not exist/i,
    ({ name, path }) => permanentError('FileNotFoundError', `There is no file ${path} on ${name}.`),
  ],
  [
    /permission denied|access denied|not permitted|not allowed/i,
    ({ name, path }) =>
      permanentError('DownloadAccessDeniedError', `${name} denies its user read access to ${path}.`),
  ],
  [
    /no space left|disk full|insufficient (?:disk )?space|disk quota/i,
    () => ({ kind: 'permanent', error: outOfSpaceError(), retryAfterMs: null }),
  ],
  [
    /refused|unable to connect|(?:ssh|tcp) connection|no route to host|unreachable/i,
    ({ name }) => ({
      ...transientError('DownloadFailureError', `${name} could not be connected to.`),
      kind: 'connect',
    }),
  ],
  [
    /time(?:d )?\s?out/i,
    ({ name }) => transientError('DownloadTimeoutError', `${name} did not answer in time.`),
  ],
];

/** Maps a failed run of `ascp`. */
function mapAscpError(output: string, exitCode: number | null, source: AscpSource): TransferError {
  const mapper = errorMappers.find(([pattern]) => pattern.test(output))?.[1];
  if (mapper !== undefined) return mapper(source);
  const exitDescription = exitCode === null ? 'was killed' : `exited with code ${exitCode}`;
  return transientError(
    'DownloadFailureError',
    `The program ascp ${exitDescription} while it downloaded from ${source.name}.`,
  );
}
