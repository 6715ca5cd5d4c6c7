import type { Direction } from '../../transfer/disk-errors.js';
import type { RemoteUrl } from '../../transfer/remote-url.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import type { OnPiece } from '../../transfer/upload-source.js';
import { closeOnAbort, type Watchdog, withIdleTimeout } from '../../transfer/with-retry.js';

/** What a server reports about a file. */
export interface RemoteFacts {
  /** Null if the server does not report it. */
  readonly sizeBytes: number | null;
  /** Changes when the file changes, such as its modification time; null if the server reports nothing suitable. */
  readonly version: string | null;
}

/** Processes consecutive chunks of a file. */
export type OnChunks = (chunks: readonly Uint8Array[]) => Promise<void>;

/** Reads a file and passes its pieces to `onPiece`. Rejects with its error. */
export type ReadPieces = (onPiece: OnPiece) => Promise<void>;

/**
 * An open connection to a file server. It runs one operation at a time. Its methods reject with the errors of its
 * library, which
 * {@link FileServer.mapError} maps. After a rejection, only `close` may be called.
 */
export interface FileSession {
  /** The file at a path, or null if absent. */
  stat(path: string): Promise<RemoteFacts | null>;
  /**
   * Reads a file from an offset to its end, and passes the chunks to `onChunks` in order. It waits for `onChunks`
   * before it requests many more. Chunks are valid only until `onChunks` resolves.
   */
  read(path: string, fromByte: number, onChunks: OnChunks): Promise<void>;
  /**
   * Writes all pieces that `readPieces` passes on to a file from an offset on; 0 truncates the file. Resolves when the
   * server has confirmed all bytes.
   */
  write(path: string, fromByte: number, readPieces: ReadPieces): Promise<void>;
  /** Renames a file, replacing an existing one. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file. No-op if absent. */
  remove(path: string): Promise<void>;
  /** Creates one folder. Resolves to false if it exists already. */
  makeFolder(path: string): Promise<boolean>;
  /** Removes a folder. Rejects if it is not empty. */
  removeFolder(path: string): Promise<void>;
  /** Closes the connection immediately. Never throws. */
  close(): void;
}

/** A kind of file server: FTP or SFTP. */
export interface FileServer {
  /** Opens a connection through the guard, and logs in. */
  connect(location: RemoteLocation, watchdog: Watchdog, direction: Direction): Promise<FileSession>;
  /**
   * How many bytes at the end of a partial file may contain holes after an interruption, because several writes were
   * pipelined; 0 by default.
   */
  readonly unconfirmedBytes?: number;
  /** Maps an error of a session. */
  mapError(error: unknown, direction: Direction, location: RemoteLocation): TransferError;
}

/** A file on a file server. */
export interface RemoteLocation extends RemoteUrl {
  readonly port: number;
  /** The path of the file as sent to the server. */
  readonly path: string;
  /** Parent folders of the file, outermost first. An upload creates missing ones. */
  readonly folders: readonly string[];
  /** Host with its port, for messages. */
  readonly name: string;
  /** Whether the connection uses TLS from the first byte (`ftps` on its own port); undefined if the server decides. */
  readonly isImplicitTls?: boolean;
  /** Whether the connection must use TLS. */
  readonly isTls?: boolean;
}

/** Options of a session. */
interface RemoteSessionOptions {
  readonly server: FileServer;
  readonly location: RemoteLocation;
  readonly direction: Direction;
  readonly signal: AbortSignal;
  readonly stallTimeoutMs: number;
}

/**
 * Runs `work` in a new session. The session is closed when `work` is done, when the signal is aborted, or when it is
 * idle for the stall timeout. Errors of the session are mapped to a `TransferError`.
 */
export function withSession(
  { server, location, direction, signal, stallTimeoutMs }: RemoteSessionOptions,
  work: (session: FileSession, watchdog: Watchdog) => Promise<TransferError | null>,
): Promise<TransferError | null> {
  return withIdleTimeout({ signal, stallTimeoutMs, direction, host: location.name }, async (watchdog) => {
    let session: FileSession | null = null;
    const close = () => session?.close();
    try {
      return await closeOnAbort(watchdog.signal, close, async () => {
        session = await server.connect(location, watchdog, direction);
        watchdog.signal.throwIfAborted();
        return work(session, watchdog);
      });
    } catch (error) {
      watchdog.signal.throwIfAborted();
      return server.mapError(error, direction, location);
    } finally {
      close();
    }
  });
}
