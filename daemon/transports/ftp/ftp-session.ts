import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FTPError, type FTPResponse } from 'basic-ftp';
import { VencError } from '../../../src/shared/errors.js';
import type { SocketBuffers } from '../../net/socket-buffers.js';
import { drainInBatches, skipBytes, totalByteLength } from '../../transfer/chunks.js';
import type { Direction } from '../../transfer/disk-errors.js';
import type { FileSession, OnChunks, RemoteFacts, RemoteLocation } from '../file-server/file-server.js';
import type { ControlConnection, ServerCapabilities } from './control-connection.js';
import { type DataConnection, transferData } from './data-connection.js';
import { deniedError, isDeniedMessage, isMissingMessage } from './map-ftp-error.js';
import { canEnterFolder, type FtpEntry, type FtpStatOptions, statPath } from './stat-path.js';

/** Options of an FTP session. */
export interface FtpSessionOptions {
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
export function createFtpSession(options: FtpSessionOptions): FileSession {
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

  const write = async (path: string, fromByte: number, bytes: Readable): Promise<void> => {
    let hasStarted = false;
    const store = (command: string) =>
      transfer(`${command} ${absolutePath(path)}`, async (data) => {
        hasStarted = true;
        await pipeline(bytes, data);
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
