import { posix } from 'node:path';
import { type FileInfo, FTPError, parseList } from 'basic-ftp';
import type { RemoteFacts } from '../file-server/file-server.js';
import type { ControlConnection } from './control-connection.js';
import { saysDenied, saysMissing } from './ftp-trouble.js';
import type { ServerTraits } from './log-in.js';

/** What is at a path. */
export interface Found extends RemoteFacts {
  readonly isFolder: boolean;
}

/** What looking takes. */
export interface LookOptions {
  readonly control: ControlConnection;
  readonly traits: ServerTraits;
  /** The text of the answer to a command whose answer comes as data. */
  readonly listing: (command: string) => Promise<string>;
  /** The error for a path that is kept from us. */
  readonly denied: () => Error;
}

const folder: Found = { isFolder: true, sizeBytes: null, version: null };

/**
 * What is at a path, null where nothing is. By MLST where there is such a thing, else by SIZE and MDTM; what neither tells is looked up
 * in the listing of the folder above, as most servers answer 550 to what is missing and to what is kept from us alike.
 */
export async function look(options: LookOptions, path: string): Promise<Found | null> {
  const { control, traits, denied } = options;
  if (traits.features.has('MLST')) {
    const { code, message } = await control.ask(`MLST ${path}`);
    const found = code === 250 ? factsOf(message) : null;
    if (found !== null) return found;
    if (code === 550 && saysMissing(message)) return null;
  }
  const { code, message } = await control.ask(`SIZE ${path}`);
  const size = code === 213 ? Number(/^213 +(\d+)/.exec(message)?.[1]) : Number.NaN;
  if (Number.isSafeInteger(size))
    return { isFolder: false, sizeBytes: size, version: await changedAt(control, path) };
  if (saysMissing(message)) return null;
  if (saysDenied(message) && code === 550) throw denied();
  if (await enters(options, path)) return folder;
  return inListing(options, path);
}

/** Whether a path is a folder that may be gone into. Paths are from the root, so that nothing depends on where we stand. */
export async function enters({ control }: LookOptions, path: string): Promise<boolean> {
  return path.startsWith('/') && (await control.ask(`CWD ${path}`)).code < 300;
}

async function changedAt(control: ControlConnection, path: string): Promise<string | null> {
  const { code, message } = await control.ask(`MDTM ${path}`);
  return code === 213 ? message.slice(4).trim() || null : null;
}

function factsOf(message: string): Found | null {
  const line = message.split('\n').find((text) => /^\s*[\w.-]+=[^;]*;/.test(text));
  if (line === undefined) return null;
  const facts = new Map(
    [...line.matchAll(/\s*([\w.-]+)=([^;]*);/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
  if (/^(dir|[cp]dir)$/i.test(facts.get('type') ?? '')) return folder;
  const size = Number(facts.get('size') ?? Number.NaN);
  const version = [facts.get('modify'), facts.get('unique')].filter((part) => part !== undefined).join(' ');
  return {
    isFolder: false,
    sizeBytes: Number.isSafeInteger(size) ? size : null,
    // A file that is written anew keeps its "unique"; only the time tells.
    version: facts.has('modify') ? version : null,
  };
}

async function inListing(options: LookOptions, path: string): Promise<Found | null> {
  const above = posix.dirname(path);
  if (above === path) return null;
  const entries = await entriesOf(options, above);
  if (entries === null) {
    // Nothing can be in a folder that is not there; what is in one that is closed to us is not told.
    if (above === '.' || above === '/' || (await inListing(options, above)) === null) return null;
    throw options.denied();
  }
  const name = posix.basename(path);
  const entry = entries.find((each) => each.name === name || each.name === name.trim());
  if (entry === undefined) return null;
  return entry.isDirectory ? folder : { isFolder: false, sizeBytes: sizeOf(entry), version: null };
}

/** The size of a link is that of its own text. */
function sizeOf({ isFile, size }: FileInfo): number | null {
  return isFile ? size : null;
}

/** What a folder holds; null where it cannot be gone into. */
async function entriesOf(options: LookOptions, path: string): Promise<readonly FileInfo[] | null> {
  if (path !== '.' && !(await enters(options, path))) return null;
  const commands = options.traits.features.has('MLST') ? ['MLSD', 'LIST'] : ['LIST -a', 'LIST'];
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
