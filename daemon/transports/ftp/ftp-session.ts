import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FTPError, type FTPResponse } from 'basic-ftp';
import { VencError } from '../../../src/shared/errors.js';
import type { SocketBuffers } from '../../net/socket-buffers.js';
import { bytesOf, restOf } from '../../transfer/chunks.js';
import { drainInBatches } from '../../transfer/drain-in-batches.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import type { FileSession, RemoteFacts, RemotePlace, TakePieces } from '../file-server/file-server.js';
import type { ControlConnection } from './control-connection.js';
import type { DataConnection } from './data-connection.js';
import { deniedError, saysDenied, saysMissing } from './ftp-trouble.js';
import type { ServerTraits } from './log-in.js';
import { enters, type Found, type LookOptions, look } from './look.js';
import { moveData } from './move-data.js';

/** What a session works on. */
export interface FtpSessionParts {
  readonly control: ControlConnection;
  readonly traits: ServerTraits;
  readonly openData: () => Promise<DataConnection>;
  /** What data connections read into. */
  readonly buffers: SocketBuffers;
  readonly place: RemotePlace;
  readonly direction: Direction;
}

/** Nobody needs a listing that is longer, and a server could go on for ever. */
const maxListingBytes = 40 << 20;

/** A session with an FTP server, after the login. */
export function ftpSession(parts: FtpSessionParts): FileSession {
  const { control, traits, openData, buffers, place, direction } = parts;
  const denied = () => deniedError(direction, place);
  const missing = () =>
    new VencError('FileNotFoundError', `There is no file ${place.path} on ${place.name}.`);
  // From the root, names may begin with dashes and blanks, and no folder has to be stood in.
  const at = (path: string): string => {
    if (path.startsWith('/')) return path;
    if (traits.home !== null) return posix.join(traits.home, path);
    return /^[\s-]/.test(path) ? `./${path}` : path;
  };

  const transfer = async (command: string, move: (data: DataConnection['socket']) => Promise<void>) =>
    moveData(control, command, await openData(), move);
  const listing = async (command: string): Promise<string> => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    await transfer(command, async (data) => {
      for await (const piece of data as AsyncIterable<Buffer>) {
        bytes += piece.byteLength;
        if (bytes > maxListingBytes) throw new Error('the listing has no end');
        pieces.push(piece);
      }
    });
    return Buffer.concat(pieces).toString();
  };
  const looking: LookOptions = { control, traits, listing, denied };

  let seen: Found | null = null;
  const stat = async (path: string): Promise<RemoteFacts | null> => {
    seen = await look(looking, at(path));
    return seen;
  };

  const read = async (path: string, fromByte: number, take: TakePieces): Promise<void> => {
    if (seen?.isFolder === true) {
      throw new VencError('DownloadFailureError', `${place.path} on ${place.name} is a folder.`);
    }
    const isResumed = fromByte > 0 && (await control.ask(`REST ${fromByte}`)).code === 350;
    let unwanted = isResumed ? 0 : fromByte;
    try {
      await transfer(`RETR ${at(path)}`, async (data) => {
        await drainInBatches(data, async (pieces) => {
          const unwantedBytes = Math.min(unwanted, bytesOf(pieces));
          unwanted -= unwantedBytes;
          await take(restOf(pieces, unwantedBytes));
          buffers.giveBack(pieces);
          return true;
        });
      });
    } catch (error) {
      throw await refusal(error);
    }
  };

  /** A file that was seen a moment ago and is not given out is one that may not be read. */
  const refusal = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof FTPError) || error.code !== 550) return error;
    if (saysMissing(error.message)) return missing();
    return saysDenied(error.message) || seen !== null ? denied() : error;
  };

  const write = async (path: string, fromByte: number, bytes: Readable): Promise<void> => {
    let isBegun = false;
    const put = (command: string) =>
      transfer(`${command} ${at(path)}`, async (data) => {
        isBegun = true;
        await pipeline(bytes, data);
      });
    if (fromByte === 0) return put('STOR');
    // An offset is safer than the end of the file: what an earlier connection still brings falls into its own place.
    for (const way of ['STOR', 'APPE']) {
      if (way === 'STOR' && (await control.ask(`REST ${fromByte}`)).code !== 350) continue;
      try {
        return await put(way);
      } catch (error) {
        if (isBegun || !(error instanceof FTPError) || error.code === 421) throw error;
      }
    }
    // The next attempt finds nothing to go on from.
    await control.ask(`DELE ${at(path)}`);
    throw new FTPError({ code: 426, message: 'the server cannot go on with a file' });
  };

  const rename = async (from: string, to: string): Promise<void> => {
    const once = async () => {
      const first = await control.ask(`RNFR ${at(from)}`);
      if (first.code !== 350) throw new FTPError(first);
      return control.ask(`RNTO ${at(to)}`);
    };
    const answer = await once();
    if (answer.code < 300) return;
    // Some servers give a name to a file only where no other has it.
    if ((await control.ask(`DELE ${at(to)}`)).code >= 300) throw await unnamed(answer, to);
    const second = await once();
    if (second.code >= 300) throw await unnamed(second, to);
  };

  /** The file was put into that folder a moment ago: it is the name that is wrong, or a folder that has it. */
  const unnamed = async (answer: FTPResponse, to: string): Promise<Error> => {
    const isName = answer.code >= 500 && !saysDenied(answer.message);
    if (!isName && (await look(looking, at(to)))?.isFolder !== true) return new FTPError(answer);
    return new VencError('UploadFailureError', `${place.name} cannot give the file the name ${place.path}.`);
  };

  return {
    stat,
    read,
    write,
    rename,
    async remove(path) {
      const answer = await control.ask(`DELE ${at(path)}`);
      if (answer.code < 300 || saysMissing(answer.message)) return;
      if ((await look(looking, at(path))) !== null) throw new FTPError(answer);
    },
    async makeFolder(path) {
      const answer = await control.ask(`MKD ${at(path)}`);
      if (answer.code < 300) return true;
      if (await enters(looking, at(path))) return false;
      if ((await look(looking, at(path)))?.isFolder === true) return false;
      throw new FTPError(answer);
    },
    async removeFolder(path) {
      await control.demand(`RMD ${at(path)}`);
    },
    close: () => control.end(),
  };
}
