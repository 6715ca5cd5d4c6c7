import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { AtomicFiles } from '../../../../src/shared/util/atomic-files.js';
import { textFileOptions } from '../../../../src/shared/util/disk.js';
import { isObject } from '../../../../src/shared/util/is-object.js';
import { LineReader } from '../../../../src/shared/util/line-reader.js';
import { systemCode } from '../../../../src/shared/util/system-code.js';
import type { DataLayout } from '../../data-folder/layout.js';
import { readUsageRows, type UsageRow, writeUsageRow } from '../index-entry.js';
import type { KeyedJob } from './idempotency-index.js';
import { type TableFolder, type TableTexts, wordsPerJob } from './job-table.js';

/*
 * `jobs/index` saves a start from reading every final job. It is a cache per folder: the rows of a folder in
 * `jobs/done` are valid only while the folder's modification time equals the recorded one. Writes of the store rename
 * files, which changes that time; after kill -9, only the folders that changed since are read again, and a restored
 * backup is noticed too. An append-only log was rejected: it costs a write per change and a compaction, to save reading
 * one or two folders.
 *
 * The first line is a JSON object with the texts that the rows refer to. Each further line is a JSON array about one
 * folder, with the rows of the job table in base64: a million jobs are read in a second, a million JSON rows took five.
 */

// Versions 1 and 2 were one JSON object for all jobs: a file of these versions counts as missing.
const version = 3;
// As in git's index: a change within the same tick of a coarse clock would not change the time.
const settledMs = 2000;
/** Enough to keep a disk busy, and few enough that composing their lines takes only milliseconds. */
const foldersPerBatch = 32;
/** More than a folder of jobs with long texts needs. A longer line is damage, such as a file that is one hole. */
const maxLineCharacters = 2 ** 26;
const bytesPerRead = 2 ** 20;
/** The order of the bytes in a row: a folder may move to another machine. */
const byteOrder = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 'little' : 'big';

/** The cached rows of one folder in `jobs/done`. */
export interface CachedFolder extends TableFolder {
  /** Modification time of the folder in nanoseconds. A string, because it exceeds the precision of numbers. */
  readonly changedAtNs: string;
  /** Whether jobs of the folder were removed. */
  readonly hasRemoved: boolean;
  readonly keys: readonly KeyedJob[];
}

/** The content of the index. */
export interface IndexFile {
  readonly texts: TableTexts;
  /** By the name of the folder. */
  readonly folders: ReadonlyMap<string, CachedFolder>;
}

/** What is written. */
export interface IndexContent {
  readonly texts: TableTexts;
  readonly folders: Iterable<FolderToCache>;
}

/** A folder to be written. */
export interface FolderToCache extends Omit<CachedFolder, 'changedAtNs'> {
  readonly name: string;
  /** Whether the rows are still those of the files on disk. */
  readonly isCurrent: () => boolean;
}

interface Extras {
  readonly usage?: readonly (readonly [id: number, usage: readonly UsageRow[]])[];
  readonly keys?: readonly (readonly [id: number, accountId: string, key: string, createdAtMs: number])[];
}

type FolderLine = readonly [
  name: string,
  changedAtNs: string,
  hasRemoved: 0 | 1,
  checksum: number,
  rows: string,
  ...extras: readonly Extras[],
];

/** The content of an index without jobs. */
const emptyIndexFile: IndexFile = {
  texts: { accounts: [], days: [], groupings: [] },
  folders: new Map(),
};

/** Reads the cache. Empty if it is missing or of another version; damaged folders are omitted. */
export async function readIndexFile(layout: DataLayout): Promise<IndexFile> {
  const folders = new Map<string, CachedFolder>();
  let texts: TableTexts | null = null;
  for await (const line of readLines(layout.index)) {
    if (texts === null) {
      texts = readHeader(parse(line));
      if (texts === null) break;
    } else {
      const folder = readFolderLine(parse(line));
      if (folder !== null) folders.set(folder[0], folder[1]);
    }
  }
  return { texts: texts ?? emptyIndexFile.texts, folders };
}

/** The lines of a file; those before the damage if it cannot be read or has a line that no index has. */
async function* readLines(path: string): AsyncGenerator<string> {
  let file: FileHandle | null = null;
  let lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line), maxLineCharacters);
  try {
    file = await open(path, textFileOptions.flag);
    for await (const chunk of file.createReadStream({ encoding: 'utf8', highWaterMark: bytesPerRead })) {
      const isValid = reader.add(String(chunk));
      yield* lines;
      if (!isValid) return;
      lines = [];
    }
  } catch (error) {
    if (systemCode(error) === null) throw error;
  } finally {
    await file?.close();
  }
}

/**
 * Writes the cache of final jobs. Omits folders that changed within the last two seconds, and those that change
 * meanwhile.
 */
export async function writeIndexFile(
  files: AtomicFiles,
  layout: DataLayout,
  index: IndexContent,
  now: Date,
): Promise<void> {
  await files.writeParts(layout.index, linesOf(layout, index, now));
}

async function* linesOf(
  layout: DataLayout,
  { texts, folders }: IndexContent,
  now: Date,
): AsyncGenerator<string> {
  // Rows that refer to texts which are added meanwhile are invalid, and their folder is read again.
  yield `${JSON.stringify({ version, byteOrder, ...texts })}\n`;
  let batch: FolderToCache[] = [];
  for (const folder of folders) {
    batch.push(folder);
    if (batch.length < foldersPerBatch) continue;
    yield await linesOfBatch(layout, batch, now);
    batch = [];
  }
  yield await linesOfBatch(layout, batch, now);
}

async function linesOfBatch(
  layout: DataLayout,
  folders: readonly FolderToCache[],
  now: Date,
): Promise<string> {
  const times = await Promise.all(folders.map(({ name }) => folderChangedAtNs(join(layout.done, name))));
  const lines = folders.map((folder, position) => {
    const changedAtNs = times[position] ?? null;
    if (changedAtNs === null || Number(changedAtNs / 1_000_000n) > now.getTime() - settledMs) return '';
    return folder.isCurrent() ? `${JSON.stringify(writeFolderLine(folder, String(changedAtNs)))}\n` : '';
  });
  return lines.join('');
}

/** When names in a folder last changed, in nanoseconds; null if there is no such folder. */
export async function folderChangedAtNs(folder: string): Promise<bigint | null> {
  try {
    return (await stat(folder, { bigint: true })).mtimeNs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function readHeader(value: unknown): TableTexts | null {
  if (!isObject(value) || value.version !== version || value.byteOrder !== byteOrder) return null;
  const { accounts, days, groupings } = value;
  return isTexts(accounts) && isTexts(days) && isTexts(groupings) ? { accounts, days, groupings } : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function writeFolderLine(
  { name, hasRemoved, words, otherUsage, keys }: FolderToCache,
  changedAtNs: string,
): FolderLine {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const extras: Extras = {
    ...(otherUsage.length === 0
      ? {}
      : { usage: otherUsage.map(([id, usage]) => [id, usage.map(writeUsageRow)]) }),
    ...(keys.length === 0
      ? {}
      : { keys: keys.map(({ id, accountId, key, createdAtMs }) => [id, accountId, key, createdAtMs]) }),
  };
  const rows = bytes.toString('base64');
  const text = JSON.stringify(extras);
  const checksum = crc32(text, crc32(bytes));
  return [name, changedAtNs, hasRemoved ? 1 : 0, checksum, rows, ...(text === '{}' ? [] : [extras])] as const;
}

/** Decodes the line of a folder; null if it is damaged. */
function readFolderLine(line: unknown): readonly [name: string, folder: CachedFolder] | null {
  if (!Array.isArray(line)) return null;
  const [name, changedAtNs, removed, checksum, rows, extras = {}]: readonly unknown[] = line;
  if (typeof name !== 'string' || typeof changedAtNs !== 'string' || typeof rows !== 'string') return null;
  const words = wordsFrom(rows);
  const bytes = Buffer.from(words.buffer);
  if (crc32(JSON.stringify(extras), crc32(bytes)) !== checksum || !isObject(extras)) return null;
  const otherUsage = readAll(extras.usage, readOtherUsage);
  const keys = readAll(extras.keys, readKey);
  if (otherUsage === null || keys === null) return null;
  return [name, { changedAtNs, hasRemoved: removed !== 0, words, otherUsage, keys }];
}

function wordsFrom(base64: string): Uint32Array {
  const byteCount = Buffer.byteLength(base64, 'base64');
  const words = new Uint32Array(Math.floor(byteCount / (4 * wordsPerJob)) * wordsPerJob);
  Buffer.from(words.buffer).write(base64, 'base64');
  return words;
}

function readAll<T>(values: unknown, read: (value: readonly unknown[]) => T | null): readonly T[] | null {
  if (values === undefined) return [];
  if (!Array.isArray(values)) return null;
  const found = values.map((value: unknown) => (Array.isArray(value) ? read(value) : null));
  return found.includes(null) ? null : found.filter((one) => one !== null);
}

function readOtherUsage([id, rows]: readonly unknown[]): TableFolder['otherUsage'][number] | null {
  const usage = readUsageRows(rows);
  return typeof id === 'number' && usage !== null ? [id, usage] : null;
}

function readKey([id, accountId, key, createdAtMs]: readonly unknown[]): KeyedJob | null {
  if (typeof id !== 'number' || typeof accountId !== 'string') return null;
  return typeof key === 'string' && typeof createdAtMs === 'number'
    ? { id, accountId, key, createdAtMs }
    : null;
}
