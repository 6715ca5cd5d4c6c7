import type { Stats } from 'ssh2';
import { VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf } from '../../transfer/transfer-error.js';
import type { Watched } from '../../transfer/with-retry.js';
import type { FileSession } from '../file-server/file-server.js';
import type { Line } from './line.js';
import { readAhead } from './read-ahead.js';
import { statusCode } from './trouble.js';
import { writeBehind } from './write-behind.js';

/** What a session is made of. */
export interface SessionParts {
  readonly line: Line;
  readonly watched: Watched;
  readonly direction: Direction;
  /** The host with its port. */
  readonly name: string;
  readonly close: () => void;
}

/** A login at an SFTP server, with many requests under way at once. */
export function openSession({ line, watched, direction, name, close }: SessionParts): FileSession {
  const find = async (path: string): Promise<Stats | null> => {
    try {
      return await line.ask<Stats>((sftp, answer) => sftp.stat(path, answer));
    } catch (error) {
      if (statusCode(error) === 'missing') return null;
      throw error;
    }
  };
  const noFolder = async (path: string): Promise<void> => {
    if ((await find(path))?.isDirectory() === true)
      throw new VencError(
        classOf('failure', direction),
        `${path} on ${name} is a folder, where a file should be.`,
      );
  };
  const rename = (from: string, to: string) => line.have((sftp, answer) => sftp.rename(from, to, answer));
  const unlink = (path: string) => line.have((sftp, answer) => sftp.unlink(path, answer));

  return {
    async stat(path) {
      const stats = await find(path);
      if (stats === null) return null;
      return {
        sizeBytes: stats.size ?? null,
        version: stats.mtime === undefined ? null : String(stats.mtime),
      };
    },

    async read(path, fromByte, take) {
      const handle = await line
        .ask<Buffer>((sftp, answer) => sftp.open(path, 'r', answer))
        .catch(async (error) => {
          await noFolder(path);
          throw error;
        });
      const stats = await line.ask<Stats>((sftp, answer) => sftp.fstat(handle, answer));
      if (stats.isDirectory()) await noFolder(path);
      await readAhead(line, handle, { fromByte, sizeBytes: stats.size }, take);
    },

    async write(path, fromByte, bytes) {
      // Without `w` nothing is cut off: what is there stays.
      const flags = fromByte === 0 ? 'w' : 'r+';
      try {
        const handle = await line.ask<Buffer>((sftp, answer) => sftp.open(path, flags, answer));
        await writeBehind(line, handle, fromByte, bytes, watched.alive);
        await line.have((sftp, answer) => sftp.close(handle, answer));
      } catch (error) {
        if (statusCode(error) === 'failure' && (await isFull(line, path)))
          throw new VencError('UploadFailureError', `There is no room left on ${name}.`, { cause: error });
        throw error;
      }
    },

    async rename(from, to) {
      try {
        await line.have((sftp, answer) => sftp.ext_openssh_rename(from, to, answer));
      } catch (error) {
        if (statusCode(error) !== null && statusCode(error) !== 'unsupported') {
          await noFolder(to);
          throw error;
        }
        // The protocol itself knows no renaming in the place of another file: that one has to go first.
        await rename(from, to).catch(async (reason: unknown) => {
          const standing = await find(to);
          if (standing === null) throw reason;
          await noFolder(to);
          await unlink(to);
          await rename(from, to);
        });
      }
    },

    async remove(path) {
      await unlink(path).catch((error: unknown) => {
        if (statusCode(error) !== 'missing') throw error;
      });
    },

    async makeFolder(path) {
      try {
        await line.have((sftp, answer) => sftp.mkdir(path, answer));
        return true;
      } catch (error) {
        // Whatever a server says where there is one already.
        if ((await find(path).catch(() => null))?.isDirectory() === true) return false;
        throw error;
      }
    },

    removeFolder: (path) => line.have((sftp, answer) => sftp.rmdir(path, answer)),

    close,
  };
}

/** Less than this counts as none: a file system keeps some blocks for itself. */
const tooLittleBytes = 1 << 20;

/** Whether the place of a file is full, as far as the server can tell. */
async function isFull(line: Line, path: string): Promise<boolean> {
  try {
    const volume = await line.ask<unknown>((sftp, answer) => sftp.ext_openssh_statvfs(path, answer));
    if (typeof volume !== 'object' || volume === null) return false;
    if (!('f_bavail' in volume) || !('f_frsize' in volume)) return false;
    return Number(volume.f_bavail) * Number(volume.f_frsize) < tooLittleBytes;
  } catch {
    return false;
  }
}
