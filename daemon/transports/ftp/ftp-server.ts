import { posix } from 'node:path';
import { type FileInfo, FTPError, type FTPResponse, parseList } from 'basic-ftp';
import { VencError } from '../../../src/shared/errors.js';
import { openSocket } from '../../net/open-socket.js';
import { SocketBuffers } from '../../net/socket-buffers.js';
import { drainInBatches, skipBytes, totalByteLength } from '../../transfer/chunks.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { closeOnAbort, connectTimeoutOf, type RemoteOptions } from '../../transfer/with-retry.js';
import type {
  FileServer,
  FileSession,
  OnChunks,
  ReadPieces,
  RemoteFacts,
  RemoteLocation,
} from '../file-server/file-server.js';
import {
  type ControlConnection,
  logIn,
  openControlConnection,
  type ServerCapabilities,
} from './control-connection.js';
import { createDataConnector, type DataConnection, transferData, writePieces } from './data-connection.js';
import { deniedError, isDeniedMessage, isMissingMessage, mapFtpError } from './map-ftp-error.js';

/** Options of FTP connections. */
export interface FtpOptions extends RemoteOptions {
  /** CA certificates (PEM) that are trusted in addition to Node's own and those of `NODE_EXTRA_CA_CERTS`. */
  readonly authorities?: readonly string[];
}

/** Creates the file server for FTP. */
export function createFtpServer(options: FtpOptions): FileServer {
  const { guard, authorities = [] } = options;
  const timeoutMs = connectTimeoutOf(options);
  const tlsModes = new Map<string, boolean>();
  return {
    mapError: mapFtpError,
    async connect(location, watchdog, direction) {
      const { signal } = watchdog;
      const openControl = () =>
        openSocket(guard, { host: location.host, port: location.port, isTls: false }, timeoutMs, signal);
      const control = await openControlConnection({
        location,
        watchdog,
        openSocket: openControl,
        serverFirstTimeoutMs: timeoutMs / 4,
        tlsModes,
        authorities,
      });
      try {
        const capabilities = await closeOnAbort(
          signal,
          () => control.end(),
          () => logIn(control, location.credentials),
        );
        watchdog.reportActivity();
        const buffers = new SocketBuffers();
        const openData = createDataConnector(control, { guard, buffers, timeoutMs, signal });
        return createFtpSession({ control, capabilities, openData, buffers, location, direction });
      } catch (error) {
        control.end();
        throw error;
      }
    },
  };
}

/** Options of an FTP session. */
interface FtpSessionOptions {
  readonly control: ControlConnection;
  readonly capabilities: ServerCapabilities;
  readonly openData: () => Promise<DataConnection>;
  /** Buffers that data connections read into. */
  readonly buffers: SocketBuffers;
  readonly location: RemoteLocation;
  readonly direction: Direction;
}

/** Maximum length of a listing. A server could send one without end. */
const maxListingBytes = 40 << 20;

/** Creates a session with an FTP server after the login. */
function createFtpSession(options: FtpSessionOptions): FileSession {
  const { control, capabilities, openData, buffers, location, direction } = options;
  const createDeniedError = () => deniedError(direction, location);
  const createMissingError = () =>
    new VencError('FileNotFoundError', `There is no file ${location.path} on ${location.name}.`);
  // In an absolute path, names may begin with dashes and blanks, and the working directory does not matter.
  const absolutePath = (path: string): string => {
    if (path.startsWith('/')) return path;
    if (capabilities.home !== null) return posix.join(capabilities.home, path);
    return /^[\s-]/.test(path) ? `./${path}` : path;
  };

  const transfer = async (command: string, streamData: (data: DataConnection['socket']) => Promise<void>) =>
    transferData(control, command, await openData(), streamData);
  const listing = async (command: string): Promise<string> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    await transfer(command, async (data) => {
      for await (const chunk of data as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        if (bytes > maxListingBytes) throw new Error('the listing is too long');
        chunks.push(chunk);
      }
    });
    return Buffer.concat(chunks).toString();
  };
  const statOptions: FtpStatOptions = { control, capabilities, listing, createDeniedError };

  let lastEntry: FtpEntry | null = null;
  const stat = async (path: string): Promise<RemoteFacts | null> => {
    lastEntry = await statPath(statOptions, absolutePath(path));
    return lastEntry;
  };

  const read = async (path: string, fromByte: number, onChunks: OnChunks): Promise<void> => {
    if (lastEntry?.isFolder === true) {
      throw new VencError('DownloadFailureError', `${location.path} on ${location.name} is a folder.`);
    }
    const isResumed = fromByte > 0 && (await control.sendCommand(`REST ${fromByte}`)).code === 350;
    let skipBytesLeft = isResumed ? 0 : fromByte;
    try {
      await transfer(`RETR ${absolutePath(path)}`, async (data) => {
        await drainInBatches(data, async (chunks) => {
          const skippedBytes = Math.min(skipBytesLeft, totalByteLength(chunks));
          skipBytesLeft -= skippedBytes;
          await onChunks(skipBytes(chunks, skippedBytes));
          buffers.release(chunks);
          return true;
        });
      });
    } catch (error) {
      throw await mapReadError(error);
    }
  };

  /** A 550 reply for a file that was just found means that access is denied. */
  const mapReadError = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof FTPError) || error.code !== 550) return error;
    if (isMissingMessage(error.message)) return createMissingError();
    return isDeniedMessage(error.message) || lastEntry !== null ? createDeniedError() : error;
  };

  const write = async (path: string, fromByte: number, readPieces: ReadPieces): Promise<void> => {
    let hasStarted = false;
    const store = (command: string) =>
      transfer(`${command} ${absolutePath(path)}`, async (data) => {
        hasStarted = true;
        await writePieces(data, readPieces);
      });
    if (fromByte === 0) return store('STOR');
    // REST with STOR is safer than APPE: late data of an earlier connection is written at its own offset.
    for (const command of ['STOR', 'APPE']) {
      if (command === 'STOR' && (await control.sendCommand(`REST ${fromByte}`)).code !== 350) continue;
      try {
        return await store(command);
      } catch (error) {
        if (hasStarted || !(error instanceof FTPError) || error.code === 421) throw error;
      }
    }
    // Delete the partial file, so that the next attempt starts over.
    await control.sendCommand(`DELE ${absolutePath(path)}`);
    throw new FTPError({ code: 426, message: 'the server cannot resume an upload' });
  };

  const rename = async (from: string, to: string): Promise<void> => {
    const tryRename = async () => {
      const first = await control.sendCommand(`RNFR ${absolutePath(from)}`);
      if (first.code !== 350) throw new FTPError(first);
      return control.sendCommand(`RNTO ${absolutePath(to)}`);
    };
    const reply = await tryRename();
    if (reply.code < 300) return;
    // Some servers do not replace an existing file on rename.
    if ((await control.sendCommand(`DELE ${absolutePath(to)}`)).code >= 300)
      throw await mapRenameError(reply, to);
    const second = await tryRename();
    if (second.code >= 300) throw await mapRenameError(second, to);
  };

  /** The partial file was written to the same folder, so the name is invalid, or a folder has this name. */
  const mapRenameError = async (reply: FTPResponse, to: string): Promise<Error> => {
    const isNameRejected = reply.code >= 500 && !isDeniedMessage(reply.message);
    if (!isNameRejected && (await statPath(statOptions, absolutePath(to)))?.isFolder !== true)
      return new FTPError(reply);
    return new VencError(
      'UploadFailureError',
      `${location.name} cannot rename the file to ${location.path}.`,
    );
  };

  return {
    stat,
    read,
    write,
    rename,
    async remove(path) {
      const reply = await control.sendCommand(`DELE ${absolutePath(path)}`);
      if (reply.code < 300 || isMissingMessage(reply.message)) return;
      if ((await statPath(statOptions, absolutePath(path))) !== null) throw new FTPError(reply);
    },
    async makeFolder(path) {
      const reply = await control.sendCommand(`MKD ${absolutePath(path)}`);
      if (reply.code < 300) return true;
      if (await canEnterFolder(statOptions, absolutePath(path))) return false;
      if ((await statPath(statOptions, absolutePath(path)))?.isFolder === true) return false;
      throw new FTPError(reply);
    },
    async removeFolder(path) {
      await control.sendCommandOrThrow(`RMD ${absolutePath(path)}`);
    },
    close: () => control.end(),
  };
}

/** A file or folder on the server. */
interface FtpEntry extends RemoteFacts {
  readonly isFolder: boolean;
}

/** Options of {@link statPath}. */
interface FtpStatOptions {
  readonly control: ControlConnection;
  readonly capabilities: ServerCapabilities;
  /** Sends a command and returns the listing from its data connection. */
  readonly listing: (command: string) => Promise<string>;
  /** Creates the error for denied access. */
  readonly createDeniedError: () => Error;
}

const folderEntry: FtpEntry = { isFolder: true, sizeBytes: null, version: null };

/**
 * The file or folder at a path, or null if absent. Uses MLST if the server supports it, then SIZE and MDTM, then the
 * listing of the parent folder: most servers reply 550 both to a missing file and to denied access.
 */
async function statPath(options: FtpStatOptions, path: string): Promise<FtpEntry | null> {
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

/**
 * Whether a path is a folder that can be entered. Only absolute paths are tried, because CWD changes what relative
 * paths mean.
 */
async function canEnterFolder({ control }: FtpStatOptions, path: string): Promise<boolean> {
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
