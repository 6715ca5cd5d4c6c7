import { posix } from 'node:path';
import { type FileInfo, FTPError, parseList } from 'basic-ftp';
import type { RemoteFacts } from '../file-server/file-server.js';
import type { ControlConnection, ServerCapabilities } from './control-connection.js';
import { isDeniedMessage, isMissingMessage } from './map-ftp-error.js';

/** A file or folder on the server. */
export interface FtpEntry extends RemoteFacts {
  readonly isFolder: boolean;
}

/** Options of {@link statPath}. */
export interface FtpStatOptions {
  readonly control: ControlConnection;
  readonly capabilities: ServerCapabilities;
  /** Sends a command and returns the listing from its data connection. */
  readonly listing: (command: string) => Promise<string>;
  /** Creates the error for denied access. */
  readonly createDeniedError: () => Error;
}

const folderEntry: FtpEntry = { isFolder: true, sizeBytes: null, version: null };

/**
 * The file or folder at a path, or null if absent. Uses MLST if the server supports it, then SIZE and MDTM, then the listing of the parent
 * folder: most servers reply 550 both to a missing file and to denied access.
 */
export async function statPath(options: FtpStatOptions, path: string): Promise<FtpEntry | null> {
  const { control, capabilities, createDeniedError } = options;
  if (capabilities.features.has('MLST')) {
    const { code, message } = await control.sendCommand(`MLST ${path}`);
    const entry = code === 250 ? parseMlstFacts(message) : null;
    if (entry !== null) return entry;
    if (code === 550 && isMissingMessage(message)) return null;
  }
  const { code, message } = await control.sendCommand(`SIZE ${path}`);
  const size = code === 213 ? Number(/^213 +(\d+)/.exec(message)?.[1]) : Number.NaN;
  if (Number.isSafeInteger(size))
    return { isFolder: false, sizeBytes: size, version: await readModifiedAt(control, path) };
  if (isMissingMessage(message)) return null;
  if (isDeniedMessage(message) && code === 550) throw createDeniedError();
  if (await canEnterFolder(options, path)) return folderEntry;
  return findInListing(options, path);
}

/** Whether a path is a folder that can be entered. Only absolute paths are tried, because CWD changes what relative paths mean. */
export async function canEnterFolder({ control }: FtpStatOptions, path: string): Promise<boolean> {
  return path.startsWith('/') && (await control.sendCommand(`CWD ${path}`)).code < 300;
}

async function readModifiedAt(control: ControlConnection, path: string): Promise<string | null> {
  const { code, message } = await control.sendCommand(`MDTM ${path}`);
  return code === 213 ? message.slice(4).trim() || null : null;
}

function parseMlstFacts(message: string): FtpEntry | null {
  const line = message.split('\n').find((text) => /^\s*[\w.-]+=[^;]*;/.test(text));
  if (line === undefined) return null;
  const facts = new Map(
    [...line.matchAll(/\s*([\w.-]+)=([^;]*);/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
  if (/^(dir|[cp]dir)$/i.test(facts.get('type') ?? '')) return folderEntry;
  const size = Number(facts.get('size') ?? Number.NaN);
  const version = [facts.get('modify'), facts.get('unique')].filter((value) => value !== undefined).join(' ');
  return {
    isFolder: false,
    sizeBytes: Number.isSafeInteger(size) ? size : null,
    // An overwritten file keeps its "unique" fact, so a version requires the modification time.
    version: facts.has('modify') ? version : null,
  };
}

async function findInListing(options: FtpStatOptions, path: string): Promise<FtpEntry | null> {
  const parent = posix.dirname(path);
  if (parent === path) return null;
  const entries = await listFolder(options, parent);
  if (entries === null) {
    // A file cannot exist in a missing folder. If the folder exists, access to it is denied.
    if (parent === '.' || parent === '/' || (await findInListing(options, parent)) === null) return null;
    throw options.createDeniedError();
  }
  const name = posix.basename(path);
  const entry = entries.find((item) => item.name === name || item.name === name.trim());
  if (entry === undefined) return null;
  return entry.isDirectory ? folderEntry : { isFolder: false, sizeBytes: sizeOf(entry), version: null };
}

/** The size of a regular file. A listing shows the size of a link, not of its target, so that is ignored. */
function sizeOf({ isFile, size }: FileInfo): number | null {
  return isFile ? size : null;
}

/** The entries of a folder; null if it cannot be entered. */
async function listFolder(options: FtpStatOptions, path: string): Promise<readonly FileInfo[] | null> {
  if (path !== '.' && !(await canEnterFolder(options, path))) return null;
  const commands = options.capabilities.features.has('MLST') ? ['MLSD', 'LIST'] : ['LIST -a', 'LIST'];
  for (const command of commands) {
    try {
      return parseList(await options.listing(command));
    } catch (error) {
      // Some servers return an error for an empty folder, or for an unknown option.
      if (!(error instanceof FTPError) || error.code === 421) throw error;
    }
  }
  return [];
}
