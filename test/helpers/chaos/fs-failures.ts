import callbacks, { existsSync, realpathSync, statSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { FsFailures } from './disk-failures.js';

let installed: Promise<FsFailures> | null = null;

/** Installs the failures in this process; once, however often it is called. */
export function installFsFailures(): Promise<FsFailures> {
  installed ??= install();
  return installed;
}

async function install(): Promise<FsFailures> {
  const failuresOfProcess = new FsFailures();
  const original = { ...fs };
  const paths = new WeakMap<object, string>();
  const replacement: Partial<typeof fs> = {
    async open(path, flags, mode) {
      const at = pathOf(path);
      await failuresOfProcess.step('open', at);
      const handle = await original.open(path, flags, mode);
      paths.set(handle, at);
      failuresOfProcess.noteOpened(handle, at);
      return handle;
    },
    async rename(from, to) {
      const target = pathOf(to);
      await failuresOfProcess.step('rename', target);
      await original.rename(from, to);
      failuresOfProcess.noteRenamed(pathOf(from), target);
    },
    async link(from, to) {
      await failuresOfProcess.step('link', pathOf(to));
      await original.link(from, to);
    },
    async utimes(path, atime, mtime) {
      await failuresOfProcess.step('touch', pathOf(path));
      await original.utimes(path, atime, mtime);
    },
    async copyFile(from, to, mode) {
      const target = pathOf(to);
      await failuresOfProcess.step('write', target, () => original.writeFile(to, 'half'));
      await original.copyFile(from, to, mode);
      failuresOfProcess.noteWritten(target);
    },
  };
  for (const name of ['unlink', 'rm', 'rmdir'] as const) {
    const remove = original[name] as (path: string, options?: object) => Promise<void>;
    Object.assign(replacement, {
      [name]: async (path: string, options?: object) => {
        await failuresOfProcess.step('remove', pathOf(path));
        await remove(path, options);
      },
    });
  }
  for (const name of ['writeFile', 'appendFile'] as const) {
    const write = original[name] as (path: string, data: string | Buffer, options?: object) => Promise<void>;
    Object.assign(replacement, {
      [name]: async (path: string, data: string | Buffer, options?: object) => {
        const at = pathOf(path);
        await failuresOfProcess.step('write', at, () => write(path, halfOf(data), options));
        await write(path, data, options);
        failuresOfProcess.noteWritten(at);
      },
    });
  }
  const make = original.mkdir as (path: string, options?: object) => Promise<string | undefined>;
  Object.assign(replacement, {
    mkdir: async (path: string, options?: object) => {
      const at = pathOf(path);
      await failuresOfProcess.step('make', at);
      const first = await make(path, options);
      if (first !== undefined || !isRecursive(options)) failuresOfProcess.noteNamed(first ?? at);
      return first;
    },
  });
  Object.assign(fs, replacement);
  replaceCallbacks(failuresOfProcess);
  syncBuiltinESMExports();
  await replaceHandleMethods(failuresOfProcess, paths);
  return failuresOfProcess;
}

/** Replaces the methods of open files, which `node:fs/promises` does not export. */
async function replaceHandleMethods(
  failuresOfProcess: FsFailures,
  paths: WeakMap<object, string>,
): Promise<void> {
  const handle = await fs.open('/dev/null', 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync, write, writev, writeFile } = prototype;
  Object.assign(prototype, {
    async sync(this: FileHandle) {
      const path = paths.get(this) ?? '';
      await failuresOfProcess.step('sync', path);
      await sync.call(this);
      failuresOfProcess.noteSynced(path);
    },
    async writeFile(this: FileHandle, data: string) {
      const path = paths.get(this) ?? '';
      await failuresOfProcess.step('write', path, () => writeFile.call(this, halfOf(data)));
      await writeFile.call(this, data);
      failuresOfProcess.noteWritten(path);
    },
    async writev(this: FileHandle, buffers: readonly Uint8Array[], position?: number) {
      const path = paths.get(this) ?? '';
      const [first] = buffers;
      if (first !== undefined && first.length > 1 && failuresOfProcess.takesShortWrite(path))
        return writev.call(this, [first.subarray(0, first.length / 2)], position);
      await failuresOfProcess.step('write', path);
      failuresOfProcess.noteWritten(path);
      return writev.call(this, buffers, position);
    },
    async write(this: FileHandle, ...args: Parameters<FileHandle['write']>) {
      const path = paths.get(this) ?? '';
      await failuresOfProcess.step('write', path);
      failuresOfProcess.noteWritten(path);
      return write.apply(this, args);
    },
  });
}

type Done = (error: Error | null, result?: number) => void;

/** Replaces the functions with callbacks with which the stores write small files. */
function replaceCallbacks(failuresOfProcess: FsFailures): void {
  const { open, write, fsync, close } = callbacks;
  const files = new Map<number, { readonly entry: { fd: number }; readonly path: string }>();
  Object.assign(callbacks, {
    open(path: string, ...rest: [...unknown[], Done]) {
      const at = pathOf(path);
      const done = rest.at(-1) as Done;
      const opened = (error: Error | null, file = -1) => {
        if (error === null) {
          const entry = { fd: file };
          files.set(file, { entry, path: at });
          failuresOfProcess.noteOpened(entry, at);
        }
        done(error, file);
      };
      failuresOfProcess
        .step('open', at)
        .then(() => Reflect.apply(open, callbacks, [path, ...rest.slice(0, -1), opened]), done);
    },
    write(file: number, bytes: Buffer, ...rest: [...unknown[], Done]) {
      const path = files.get(file)?.path ?? '';
      const done = rest.at(-1) as Done;
      const [offset, length, position] = rest.map((value) => (typeof value === 'number' ? value : null));
      const from = offset ?? 0;
      const half = Math.floor((length ?? bytes.length - from) / 2);
      const writeHalf = (then: Done) => write(file, bytes, from, half, position ?? null, then);
      if (half > 0 && failuresOfProcess.takesShortWrite(path)) return void writeHalf(done);
      const fail = () => new Promise<void>((resolve) => writeHalf(() => resolve()));
      failuresOfProcess.step('write', path, fail).then(() => {
        failuresOfProcess.noteWritten(path);
        Reflect.apply(write, callbacks, [file, bytes, ...rest]);
      }, done);
    },
    close(file: number, done?: Done) {
      const opened = files.get(file);
      if (opened !== undefined) opened.entry.fd = -1;
      files.delete(file);
      close(file, done);
    },
    fsync(file: number, done: Done) {
      const path = files.get(file)?.path ?? '';
      const synced: Done = (error) => {
        if (error === null) failuresOfProcess.noteSynced(path);
        done(error);
      };
      failuresOfProcess.step('sync', path).then(() => fsync(file, synced), done);
    },
  });
}

/** The path of a file, also if it is given by an open folder in `/proc`. */
function pathOf(path: unknown): string {
  const text = String(path);
  if (!text.startsWith('/proc/')) return text;
  return existsSync(text) ? realpathSync(text) : join(realpathSync(dirname(text)), basename(text));
}

function halfOf(data: string | Buffer): string | Buffer {
  return typeof data === 'string' ? data.slice(0, data.length / 2) : data.subarray(0, data.length / 2);
}

function isRecursive(options: unknown): boolean {
  return (
    typeof options === 'object' && options !== null && 'recursive' in options && options.recursive === true
  );
}

/** Whether two folders are on different volumes. */
export function areOnDifferentVolumes(one: string, other: string): boolean {
  return statSync(one).dev !== statSync(other).dev;
}
