import { posix } from 'node:path';
import { type FileInfo, FTPError, parseList } from 'basic-ftp';
import type { RemoteFacts } from '../file-server/file-server.js';
import type { ControlConnection, ServerCapabilities } from './control-connection.js';
import { isDeniedMessage, isMissingMessage } from './map-ftp-error.js';

/** What is at a path. */
export interface FtpEntry extends RemoteFacts {
  readonly isFolder: boolean;
}

/** What looking takes. */
export interface FtpStatOptions {
  readonly control: ControlConnection;
  readonly capabilities: ServerCapabilities;
  /** The text of the answer to a command whose answer comes as data. */
  readonly listing: (command: string) => Promise<string>;
  /** The error for a path that is kept from us. */
  readonly createDeniedError: () => Error;
}

const folderEntry: FtpEntry = { isFolder: true, sizeBytes: null, version: null };

/**
 * What is at a path, null where nothing is. By MLST where there is such a thing, else by SIZE and MDTM; what neither tells is looked up
 * in the listing of the folder above, as most servers answer 550 to what is missing and to what is kept from us alike.
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

/** Whether a path is a folder that may be gone into. Paths are from the root, so that nothing depends on where we stand. */
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
    // A file that is written anew keeps its "unique"; only the time tells.
    version: facts.has('modify') ? version : null,
  };
}

async function findInListing(options: FtpStatOptions, path: string): Promise<FtpEntry | null> {
  const parent = posix.dirname(path);
  if (parent === path) return null;
  const entries = await listFolder(options, parent);
  if (entries === null) {
    // Nothing can be in a folder that is not there; what is in one that is closed to us is not told.
    if (parent === '.' || parent === '/' || (await findInListing(options, parent)) === null) return null;
    throw options.createDeniedError();
  }
  const name = posix.basename(path);
  const entry = entries.find((item) => item.name === name || item.name === name.trim());
  if (entry === undefined) return null;
  return entry.isDirectory ? folderEntry : { isFolder: false, sizeBytes: sizeOf(entry), version: null };
}

/** The size of a link is that of its own text. */
function sizeOf({ isFile, size }: FileInfo): number | null {
  return isFile ? size : null;
}

/** What a folder holds; null where it cannot be gone into. */
async function listFolder(options: FtpStatOptions, path: string): Promise<readonly FileInfo[] | null> {
  if (path !== '.' && !(await canEnterFolder(options, path))) return null;
  const commands = options.capabilities.features.has('MLST') ? ['MLSD', 'LIST'] : ['LIST -a', 'LIST'];
  for (const command of commands) {
    try {
      return parseList(await options.listing(command));
    } catch (error) {
      // An empty folder is an error to some servers, and so is an option that they don't know.
      if (!(error instanceof FTPError) || error.code === 421) throw error;
    }
  }
  return [];
}
