import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * Loaded with `--import` before a program: each fsync takes a millisecond more, as on a disk, although the files are in memory.
 */

const delayMs = 1;

const { fsync } = fs;
fs.fsync = ((file: number, done: (error: Error | null) => void) =>
  fsync(file, (error) => void setTimeout(() => done(error), delayMs))) as typeof fs.fsync;

const handle = await open('/dev/null');
const prototype = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();
const { sync } = prototype;
prototype.sync = async function (this: FileHandle) {
  await sync.call(this);
  await pause(delayMs);
};
