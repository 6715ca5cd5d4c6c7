import type { Readable } from 'node:stream';
import type { Direction } from '../../transfer/disk-errors.js';
import type { RemoteUrl } from '../../transfer/remote-url.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import { type Watchdog, withIdleTimeout } from '../../transfer/with-retry.js';

/** What a server tells of a file. */
export interface RemoteFacts {
  /** Null where the server does not tell. */
  readonly sizeBytes: number | null;
  /** Differs when the file is another one, such as the time of its last change; null where the server tells nothing of that kind. */
  readonly version: string | null;
}

/** What is done with pieces of a file that lie one behind the other. */
export type OnChunks = (chunks: readonly Uint8Array[]) => Promise<void>;

/**
 * An open connection to a server that keeps files by their paths. One thing at a time. Its methods reject with whatever its library
 * throws, which {@link FileServer.trouble} reads; after a rejection it is only good for `close`.
 */
export interface FileSession {
  /** What is at a path; null where nothing is. */
  stat(path: string): Promise<RemoteFacts | null>;
  /**
   * Hands on the bytes of a file from an offset to its end, in order, several pieces at once where they came meanwhile; waits for `take`
   * before it asks for many more. The pieces are only good until `take` has resolved.
   */
  read(path: string, fromByte: number, onChunks: OnChunks): Promise<void>;
  /** Writes a stream to a file, from an offset on: 0 begins it anew. Settles when the server has confirmed all of it. */
  write(path: string, fromByte: number, bytes: Readable): Promise<void>;
  /** Gives a file another name, in the place of what has that name. */
  rename(from: string, to: string): Promise<void>;
  /** Takes a file away. That there is none is as good. */
  remove(path: string): Promise<void>;
  /** Makes one folder; whether there was none before. */
  makeFolder(path: string): Promise<boolean>;
  /** Takes an empty folder away; rejects where it is not empty. */
  removeFolder(path: string): Promise<void>;
  /** Lets go of the connection at once. Never throws. */
  close(): void;
}

/** One kind of file server: FTP, or SFTP. */
export interface FileServer {
  /** Opens a connection that has passed the guard, and logs in. */
  connect(location: RemoteLocation, watchdog: Watchdog, direction: Direction): Promise<FileSession>;
  /**
   * How many bytes at the end of a file that a broken connection left may be holes, since the server was told to write several pieces at
   * once; none where it is not given.
   */
  readonly unconfirmedBytes?: number;
  /** What an error of a session means. */
  mapError(error: unknown, direction: Direction, location: RemoteLocation): TransferError;
}

/** A file on a server, as that one names it. */
export interface RemoteLocation extends RemoteUrl {
  readonly port: number;
  /** The path of the file in the server's own terms. */
  readonly path: string;
  /** Folders above the file, the outermost first, that may have to be made. */
  readonly folders: readonly string[];
  /** The host with its port, to be named in messages. */
  readonly name: string;
  /** Whether the connection is encrypted from its first byte (`ftps` on its own port), as the scheme has it. */
  readonly isImplicitTls?: boolean;
  /** Whether it must be encrypted at all. */
  readonly isTls?: boolean;
}

/** With whom, on which way, and for how long. */
export interface RemoteSessionOptions {
  readonly server: FileServer;
  readonly location: RemoteLocation;
  readonly direction: Direction;
  readonly signal: AbortSignal;
  readonly stallTimeoutMs: number;
}

/**
 * Does something in a session of its own, which ends with it, with the signal, and where nothing moves for the stall timeout. Errors of
 * the session become troubles.
 */
export function withSession(
  { server, location, direction, signal, stallTimeoutMs }: RemoteSessionOptions,
  work: (session: FileSession, watchdog: Watchdog) => Promise<TransferError | null>,
): Promise<TransferError | null> {
  return withIdleTimeout({ signal, stallTimeoutMs, direction, host: location.name }, async (watchdog) => {
    let session: FileSession | null = null;
    const close = () => session?.close();
    watchdog.signal.addEventListener('abort', close, { once: true });
    try {
      session = await server.connect(location, watchdog, direction);
      watchdog.signal.throwIfAborted();
      return await work(session, watchdog);
    } catch (error) {
      watchdog.signal.throwIfAborted();
      return server.mapError(error, direction, location);
    } finally {
      watchdog.signal.removeEventListener('abort', close);
      close();
    }
  });
}
