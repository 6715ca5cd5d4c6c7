import type { Stats } from 'ssh2';
import { VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf } from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { FileSession } from '../file-server/file-server.js';
import { statusCode } from './map-sftp-error.js';
import { readAhead, writeBehind } from './pipelined-requests.js';
import type { SftpChannel } from './sftp-channel.js';

/** Options of an SFTP session. */
interface SftpSessionOptions {
  readonly channel: SftpChannel;
  readonly watchdog: Watchdog;
  readonly direction: Direction;
  /** Host with its port. */
  readonly name: string;
  readonly close: () => void;
}

/** Creates a session with an SFTP server, with pipelined reads and writes. */
export function createSftpSession({
  channel,
  watchdog,
  direction,
  name,
  close,
}: SftpSessionOptions): FileSession {
  const statOrNull = async (path: string): Promise<Stats | null> => {
    try {
      return await channel.call<Stats>((sftp, callback) => sftp.stat(path, callback));
    } catch (error) {
      if (statusCode(error) === 'missing') return null;
      throw error;
    }
  };
  const rejectFolder = async (path: string): Promise<void> => {
    if ((await statOrNull(path))?.isDirectory() === true)
      throw new VencError(errorClassOf('failure', direction), `${path} on ${name} is a folder, not a file.`);
  };
  const rename = (from: string, to: string) =>
    channel.callVoid((sftp, callback) => sftp.rename(from, to, callback));
  const unlink = (path: string) => channel.callVoid((sftp, callback) => sftp.unlink(path, callback));

  return {
    async stat(path) {
      const stats = await statOrNull(path);
      if (stats === null) return null;
      return {
        sizeBytes: stats.size ?? null,
        version: stats.mtime === undefined ? null : String(stats.mtime),
      };
    },

    async read(path, fromByte, onChunks) {
      const handle = await channel
        .call<Buffer>((sftp, callback) => sftp.open(path, 'r', callback))
        .catch(async (error) => {
          await rejectFolder(path);
          throw error;
        });
      const stats = await channel.call<Stats>((sftp, callback) => sftp.fstat(handle, callback));
      if (stats.isDirectory()) await rejectFolder(path);
      await readAhead(channel, handle, { fromByte, sizeBytes: stats.size }, onChunks);
    },

    async write(path, fromByte, bytes) {
      // `w` truncates the file, `r+` keeps its content.
      const flags = fromByte === 0 ? 'w' : 'r+';
      try {
        const handle = await channel.call<Buffer>((sftp, callback) => sftp.open(path, flags, callback));
        await writeBehind(channel, handle, fromByte, bytes, watchdog.reportActivity);
        await channel.callVoid((sftp, callback) => sftp.close(handle, callback));
      } catch (error) {
        if (statusCode(error) === 'failure' && (await isFull(channel, path)))
          throw new VencError('UploadFailureError', `There is no space left on ${name}.`, { cause: error });
        throw error;
      }
    },

    async rename(from, to) {
      try {
        await channel.callVoid((sftp, callback) => sftp.ext_openssh_rename(from, to, callback));
      } catch (error) {
        if (statusCode(error) !== null && statusCode(error) !== 'unsupported') {
          await rejectFolder(to);
          throw error;
        }
        // The standard rename does not replace an existing file, so that must be removed first.
        await rename(from, to).catch(async (reason: unknown) => {
          const existing = await statOrNull(to);
          if (existing === null) throw reason;
          await rejectFolder(to);
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
        await channel.callVoid((sftp, callback) => sftp.mkdir(path, callback));
        return true;
      } catch (error) {
        // Servers return different errors if the folder exists.
        if ((await statOrNull(path).catch(() => null))?.isDirectory() === true) return false;
        throw error;
      }
    },

    removeFolder: (path) => channel.callVoid((sftp, callback) => sftp.rmdir(path, callback)),

    close,
  };
}

/** Below this the volume counts as full, because file systems reserve some blocks. */
const fullVolumeThresholdBytes = 1 << 20;

/** Whether the volume of a file is full; false if the server does not report it. */
async function isFull(channel: SftpChannel, path: string): Promise<boolean> {
  try {
    const volume = await channel.call<unknown>((sftp, callback) => sftp.ext_openssh_statvfs(path, callback));
    if (typeof volume !== 'object' || volume === null) return false;
    if (!('f_bavail' in volume) || !('f_frsize' in volume)) return false;
    return Number(volume.f_bavail) * Number(volume.f_frsize) < fullVolumeThresholdBytes;
  } catch {
    return false;
  }
}
