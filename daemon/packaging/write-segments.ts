import { type FileHandle, open, rename } from 'node:fs/promises';
import { encryptorOf, type SegmentCipher, type SegmentEncryption } from './encryption.js';
import type { ByteRange } from './media-playlist.js';
import type { Segment } from './segments.js';

/** A file of a rendition, in the scratch folder, and its name next to the playlist. */
export interface PackagedFile {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
}

/** A file that is to be written. */
type FileToWrite = Pick<PackagedFile, 'path' | 'name'>;

/** Where a segment was written. */
export interface WrittenSegment {
  readonly file: FileToWrite;
  /** The part of the file that it is. */
  readonly range: ByteRange;
  /** Bytes in front of those of the cut file. */
  readonly headerBytes: number;
}

/** The segments of a rendition as they were written, and their files in order. */
interface WrittenSegments {
  readonly segments: readonly WrittenSegment[];
  readonly files: readonly PackagedFile[];
}

/** How segments are written. */
export interface WriteOptions {
  /** The file of each segment. Consecutive segments with the same name are in one file. */
  readonly files: readonly FileToWrite[];
  /** The bytes to write in front of a segment; null for none. */
  readonly prefixOf: (segment: Segment) => Uint8Array | null;
  /** Null if the segments are not encrypted. */
  readonly encryption: SegmentEncryption | null;
  readonly signal: AbortSignal;
}

/**
 * Writes each segment of the file at `source` into its file. The source is moved if it has the bytes of the only file
 * already; otherwise it is left unchanged.
 */
export async function writeSegments(
  source: string,
  segments: readonly Segment[],
  options: WriteOptions,
): Promise<WrittenSegments> {
  const [first] = options.files;
  const isWhole =
    options.files.every(({ name }) => name === first?.name) &&
    segments.every((one) => options.prefixOf(one) === null) &&
    options.encryption === null;
  return isWhole && first !== undefined
    ? moveWhole(source, segments, first)
    : copyAll(source, segments, options);
}

async function moveWhole(
  source: string,
  segments: readonly Segment[],
  file: FileToWrite,
): Promise<WrittenSegments> {
  await rename(source, file.path);
  const sizeBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  const written = segments.map(({ offset, sizeBytes: size }) => ({
    file,
    range: { offset, sizeBytes: size },
    headerBytes: 0,
  }));
  return { segments: written, files: [{ ...file, sizeBytes }] };
}

async function copyAll(
  source: string,
  segments: readonly Segment[],
  { files, prefixOf, encryption, signal }: WriteOptions,
): Promise<WrittenSegments> {
  const from = await open(source, 'r');
  const writer = new SegmentWriter(encryption);
  // Allocated once: the memory of one for each segment would be freed late.
  const buffer = Buffer.allocUnsafe(bufferBytes);
  const written: WrittenSegment[] = [];
  try {
    for (const [index, segment] of segments.entries()) {
      const file = files[index];
      if (file === undefined) throw new TypeError('a segment has no file');
      const prefix = prefixOf(segment);
      const headerBytes = prefix?.byteLength ?? 0;
      await writer.begin(file);
      if (prefix !== null) await writer.append(prefix);
      await copyPart(from, segment, { writer, buffer, signal });
      written.push({ file, range: await writer.end(), headerBytes });
    }
    return { segments: written, files: await writer.close() };
  } finally {
    await writer.close();
    await from.close();
  }
}

/** Writes segments into files, one after the other, and encrypts them if they are to be. */
export class SegmentWriter {
  readonly #encryption: SegmentEncryption | null;
  readonly #files: PackagedFile[] = [];
  #file: { readonly to: FileToWrite; readonly handle: FileHandle; position: number } | null = null;
  /** Of the current segment. */
  #cipher: SegmentCipher | null = null;
  #start = 0;
  #count = 0;

  constructor(encryption: SegmentEncryption | null) {
    this.#encryption = encryption;
  }

  /** Opens a file and appends bytes to it that belong to no segment, and are not encrypted. */
  async appendOutside(to: FileToWrite, bytes: Uint8Array): Promise<void> {
    await this.#appendRaw(await this.#open(to), bytes);
  }

  /** Begins a segment: in the same file as the one before if that has this name. */
  async begin(to: FileToWrite): Promise<void> {
    this.#start = (await this.#open(to)).position;
    this.#cipher = this.#encryption === null ? null : encryptorOf(this.#encryption, this.#count);
    this.#count += 1;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#appendRaw(this.#current(), this.#cipher === null ? bytes : this.#cipher.update(bytes));
  }

  /** Ends the segment. Resolves to the part of its file that it is. */
  async end(): Promise<ByteRange> {
    const file = this.#current();
    if (this.#cipher !== null) await this.#appendRaw(file, this.#cipher.final());
    this.#cipher = null;
    return { offset: this.#start, sizeBytes: file.position - this.#start };
  }

  /** Replaces bytes of the current file. */
  async replace(bytes: Uint8Array, position: number): Promise<void> {
    await this.#current().handle.write(bytes, 0, bytes.byteLength, position);
  }

  /** Closes the last file. Resolves to all files, in the order in which they were written. May be called again. */
  async close(): Promise<readonly PackagedFile[]> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) {
      await file.handle.close();
      this.#files.push({ ...file.to, sizeBytes: file.position });
    }
    return this.#files;
  }

  async #open(to: FileToWrite) {
    if (this.#file?.to.name === to.name) return this.#file;
    await this.close();
    this.#file = { to, handle: await open(to.path, 'wx'), position: 0 };
    return this.#file;
  }

  #current() {
    if (this.#file === null) throw new TypeError('no segment was begun');
    return this.#file;
  }

  async #appendRaw(
    file: { readonly handle: FileHandle; position: number },
    bytes: Uint8Array,
  ): Promise<void> {
    await file.handle.writeFile(bytes);
    file.position += bytes.byteLength;
  }
}

/** As large as possible without a noticeable delay of an abort. */
const bufferBytes = 1 << 20;

async function copyPart(
  from: FileHandle,
  { offset, sizeBytes }: ByteRange,
  {
    writer,
    buffer,
    signal,
  }: { readonly writer: SegmentWriter; readonly buffer: Buffer; readonly signal: AbortSignal },
): Promise<void> {
  for (let done = 0; done < sizeBytes; ) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(
      buffer,
      0,
      Math.min(buffer.length, sizeBytes - done),
      offset + done,
    );
    if (bytesRead === 0) throw new RangeError('the file is shorter than it was');
    await writer.append(buffer.subarray(0, bytesRead));
    done += bytesRead;
  }
}

/** Reads a part of an open file into memory; less if the file ends before. */
export async function readPart(handle: FileHandle, { offset, sizeBytes }: ByteRange): Promise<Buffer> {
  const buffer = Buffer.alloc(sizeBytes);
  const { bytesRead } = await handle.read(buffer, 0, sizeBytes, offset);
  return buffer.subarray(0, bytesRead);
}
