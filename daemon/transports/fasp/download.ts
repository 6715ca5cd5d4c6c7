import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import type { Guard } from '../../net/ssrf-guard.js';
import { ownDiskFault } from '../../transfer/map-disk-error.js';
import { createMeter } from '../../transfer/progress-reporter.js';
import { measureFile } from '../../transfer/read-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { connectionTrouble, finalTrouble, type Trouble } from '../../transfer/transfer-error.js';
import { type RemoteOptions, untilDone, type Watched, withoutStall } from '../../transfer/with-retry.js';
import { ascpTrouble } from './ascp-trouble.js';
import { type FaspPlace, readFaspUrl } from './fasp-url.js';
import { findOnPath } from './find-ascp.js';
import { runAscp } from './run-ascp.js';

/** What downloads by `ascp` depend on. */
export interface FaspOptions extends RemoteOptions {
  /** Where programs are looked for; `PATH` where it is not given. */
  readonly searchPath?: string;
}

/** How often the growth of the file is looked at, in milliseconds: the program tells nothing that could be relied upon. */
const lookEveryMs = 250;
const missingProgram =
  'needs the program ascp of IBM Aspera, which is not installed on the machine of the daemon';

/** Why an input cannot be fetched; null where it can. */
export async function faspComplaint(url: string, options: FaspOptions): Promise<string | null> {
  const place = readFaspUrl(url);
  if (typeof place === 'string') return place;
  return (await findOnPath('ascp', searchPathOf(options))) === null ? missingProgram : null;
}

/**
 * Fetches a file by the program `ascp`, into a folder of its own beside the final name. The program is given the address that has passed
 * the guard, not the name; it goes on by itself with what an earlier attempt has brought.
 */
export async function downloadByAscp(
  from: string,
  toPath: string,
  transfer: Transfer,
  options: FaspOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const place = readFaspUrl(from);
  const complaint = typeof place === 'string' ? place : null;
  const program = await findOnPath('ascp', searchPathOf(options));
  if (typeof place === 'string' || program === null)
    throw new VencError('DownloadFailureError', `The address of the input ${complaint ?? missingProgram}.`);
  const folder = join(dirname(toPath), `.venc-${randomBytes(6).toString('hex')}.part`);
  const meter = createMeter(transfer);
  let furthestBytes = 0;
  const attempt = () =>
    withoutStall(
      { signal, stallTimeoutMs: options.stallTimeoutMs, direction: 'download', host: place.name },
      (watched) =>
        fetchOnce(program, place, folder, watched, options, (bytes) => {
          if (bytes <= furthestBytes) return;
          furthestBytes = bytes;
          watched.alive();
          meter.at(bytes, null);
        }),
    );
  try {
    await mkdir(folder, { mode: 0o700 });
    await untilDone({ attempt, furthestBytes: () => furthestBytes, signal }, options);
    const facts = await measureFile(join(folder, fileName), meter, signal);
    await rename(join(folder, fileName), toPath);
    return facts;
  } catch (error) {
    signal.throwIfAborted();
    throw ownDiskFault(error, 'download');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const fileName = 'input';

async function fetchOnce(
  program: string,
  place: FaspPlace,
  folder: string,
  watched: Watched,
  options: FaspOptions,
  grown: (bytes: number) => void,
): Promise<Trouble | null> {
  const { signal } = watched;
  const address = await resolved(options.guard, place.host, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return connectionTrouble(error, place.name, 'download');
  });
  if (typeof address !== 'string') return address;
  const look = setInterval(() => void sizeBelow(folder).then(grown), lookEveryMs);
  const args = [
    '--mode=recv',
    `--user=${place.user}`,
    `--host=${address}`,
    ...(place.port === null ? [] : ['-P', String(place.port)]),
    ...['--policy=fair', '-l', '10G', '-k', '2', '--overwrite=always'],
    place.path,
    join(folder, fileName),
  ];
  const { password } = place;
  const searchPath = searchPathOf(options);
  const ending = await runAscp({ program, args, password, searchPath, signal });
  clearInterval(look);
  signal.throwIfAborted();
  grown(await sizeBelow(folder));
  if (ending.exitCode !== 0) return ascpTrouble(ending.said, ending.exitCode, place);
  const found = await lstat(join(folder, fileName)).catch(() => null);
  if (found?.isFile() === true) return null;
  return finalTrouble('DownloadFailureError', `${place.path} on ${place.name} is no file.`);
}

/** The address to connect to. Rejects with the error of the guard, or of the system. */
function resolved(guard: Guard, host: string, signal: AbortSignal): Promise<string> {
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
async function sizeBelow(folder: string): Promise<number> {
  const entries = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) =>
      lstat(join(folder, entry)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function searchPathOf({ searchPath }: FaspOptions): string {
  return searchPath ?? process.env.PATH ?? '';
}
