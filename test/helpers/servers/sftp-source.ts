import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import ssh2, { type Connection, type SFTPWrapper } from 'ssh2';

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** How an SFTP server differs from a usual one. */
export interface SftpOverrides {
  /** A private key in PEM; a new one by default. */
  readonly hostKey?: string;
  /** Authentication methods; only `password` by default. */
  readonly ways?: readonly string[];
  /** Called before a read or a write is answered, with its number from 1. Returns how to respond. */
  readonly onData?: (count: number, connection: Connection) => 'usual' | 'none' | 'failure';
  /** Maximum size of a response to a read. */
  readonly maxBytes?: number;
  /** Replaces the reported size of a file. */
  readonly reportedSize?: (sizeBytes: number) => number;
  /** Whether the SFTP subsystem is missing. */
  readonly isShellOnly?: boolean;
  /** Modification time of every file, in seconds. */
  readonly mtime?: () => number;
}

/** A small SFTP server with files in memory and without protocol extensions. */
export interface SftpSource {
  readonly port: number;
  readonly files: Map<string, Buffer>;
  /** The operations so far: `rename`, `open r+` and others. */
  readonly asked: string[];
  /** Number of open connections. */
  readonly open: () => number;
  url(path: string, login?: string): string;
  close(): Promise<void>;
}

/** The password of every user. */
export const sftpPassword = 'hunter2secret';

/** Creates a private key for a server or a user, in a format that OpenSSH reads. */
export function newRsaKey(): string {
  const { privateKey }: { privateKey: KeyObject } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

/** Starts a server on a free port. */
export async function startSftpSource(overrides: SftpOverrides = {}): Promise<SftpSource> {
  const files = new Map<string, Buffer>();
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const ways = overrides.ways ?? ['password'];
  const server = new ssh2.Server({ hostKeys: [overrides.hostKey ?? newRsaKey()] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => {
      asked.push(`auth ${context.method}`);
      if (!ways.includes(context.method)) return context.reject(ways as never);
      if (context.method === 'password' && context.password === sftpPassword) return context.accept();
      if (context.method !== 'keyboard-interactive') return context.reject(ways as never);
      context.prompt([{ prompt: 'Password: ', echo: false }], ([answer]: string[]) =>
        answer === sftpPassword ? context.accept() : context.reject(),
      );
    });
    connection.on('session', (accept) => {
      const session = accept();
      if (overrides.isShellOnly === true) session.on('sftp', (_accept, reject) => reject());
      else session.on('sftp', (acceptSftp) => serve(acceptSftp(), connection, files, asked, overrides));
    });
  });
  // Counts the connections of the TCP server, because the library reports its own differently.
  (server as unknown as { _srv: import('node:net').Server })._srv.on('connection', (socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    files,
    asked,
    open: () => sockets.size,
    url: (path, login = `user:${sftpPassword}`) => `sftp://${login}@127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serve(
  sftp: SFTPWrapper,
  connection: Connection,
  files: Map<string, Buffer>,
  asked: string[],
  overrides: SftpOverrides,
): void {
  const paths = new Map<number, string>();
  let handles = 0;
  let count = 0;
  const pathOf = (handle: Buffer) => paths.get(handle.readUInt32BE(0)) ?? '';
  const status = (id: number, isDone: boolean) =>
    sftp.status(id, isDone ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE);
  const isFolder = (path: string) => path === '/' || path === '.' || path.endsWith('folder');
  const attributes = (path: string) => {
    const bytes = files.get(path);
    if (bytes === undefined && !isFolder(path)) return null;
    const time = overrides.mtime?.() ?? 1;
    const size = overrides.reportedSize?.(bytes?.byteLength ?? 0) ?? bytes?.byteLength ?? 0;
    return {
      mode: bytes === undefined ? 0o040755 : 0o100644,
      uid: 0,
      gid: 0,
      size,
      atime: time,
      mtime: time,
    };
  };
  const sendAttributes = (id: number, path: string) => {
    const found = attributes(path);
    if (found === null) sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    else sftp.attrs(id, found);
  };
  const answer = (id: number, usual: () => void) => {
    count += 1;
    const kind = overrides.onData?.(count, connection) ?? 'usual';
    if (kind === 'failure') sftp.status(id, STATUS_CODE.FAILURE);
    if (kind === 'usual') usual();
  };
  sftp.on('error', () => undefined);
  sftp.on('STAT', sendAttributes);
  sftp.on('LSTAT', sendAttributes);
  sftp.on('FSTAT', (id, handle) => sendAttributes(id, pathOf(handle)));
  sftp.on('OPEN', (id, path, flags) => {
    const isWritten = (flags & OPEN_MODE.WRITE) !== 0;
    asked.push(`open ${isWritten ? ((flags & OPEN_MODE.TRUNC) !== 0 ? 'w' : 'r+') : 'r'}`);
    if (!isWritten && attributes(path) === null) return status(id, false);
    if ((flags & OPEN_MODE.TRUNC) !== 0) files.set(path, Buffer.alloc(0));
    handles += 1;
    paths.set(handles, path);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(handles);
    sftp.handle(id, handle);
  });
  sftp.on('READ', (id, handle, offset, length) =>
    answer(id, () => {
      const bytes = files.get(pathOf(handle)) ?? Buffer.alloc(0);
      const chunk = bytes.subarray(offset, offset + Math.min(length, overrides.maxBytes ?? length));
      if (chunk.byteLength === 0) sftp.status(id, STATUS_CODE.EOF);
      else sftp.data(id, chunk);
    }),
  );
  sftp.on('WRITE', (id, handle, offset, data) =>
    answer(id, () => {
      const path = pathOf(handle);
      const before = files.get(path) ?? Buffer.alloc(0);
      const after = Buffer.alloc(Math.max(before.byteLength, offset + data.byteLength));
      before.copy(after);
      data.copy(after, offset);
      files.set(path, after);
      status(id, true);
    }),
  );
  sftp.on('CLOSE', (id) => status(id, true));
  sftp.on('REMOVE', (id, path) => status(id, files.delete(path)));
  sftp.on('MKDIR', (id) => sftp.status(id, STATUS_CODE.FAILURE));
  sftp.on('RENAME', (id, from, to) => {
    asked.push('rename');
    const bytes = files.get(from);
    if (bytes === undefined || files.has(to)) return sftp.status(id, STATUS_CODE.FAILURE);
    files.set(to, bytes);
    files.delete(from);
    status(id, true);
  });
}
