import type { Agent } from 'undici';
import { isVencError } from '../../../src/api/errors.js';
import { outOfSpaceError, ownDiskFault } from '../disk-faults.js';
import { freeBytes } from '../folders.js';
import type { Meter } from '../meter.js';
import type { PartFile } from '../part-file.js';
import { withoutStall } from '../remote/attempts.js';
import { connectionTrouble, passingTrouble, type Trouble } from '../remote/trouble.js';
import type { KnownFile } from './answer.js';
import { type AskReading, ask, type Target } from './ask.js';
import { drain } from './drain.js';

/** What a download works with. */
export interface HttpDownloadParts {
  readonly agent: Agent;
  readonly target: Target;
  readonly part: PartFile;
  /** The folder that the file is written to: its volume must have room. */
  readonly folder: string;
  readonly meter: Meter;
  readonly stallTimeoutMs: number;
  readonly signal: AbortSignal;
}

type Body = Extract<AskReading, { type: 'body' }>;

/** One download over one connection at a time, as far as it has come: each attempt goes on where the one before broke off. */
export class HttpDownload {
  /** What the last answer said about the file; null where nothing may be built upon it. */
  #known: KnownFile | null = null;
  #furthestBytes = 0;

  constructor(private readonly parts: HttpDownloadParts) {}

  /** The most bytes that any attempt has brought. */
  get furthestBytes(): number {
    return this.#furthestBytes;
  }

  /**
   * Makes one attempt to get what is missing. Null when the file is whole; the trouble where another attempt may be made. Rejects where
   * the disk fails, and with the reason of the signal.
   */
  async attempt(): Promise<Trouble | null> {
    const { target, signal, stallTimeoutMs } = this.parts;
    const watch = { signal, stallTimeoutMs, direction: 'download', host: target.url.host } as const;
    return withoutStall(watch, (watched) => this.#askAndFill(watched.signal, watched.alive));
  }

  async #askAndFill(signal: AbortSignal, alive: () => void): Promise<Trouble | null> {
    const { agent, target, part } = this.parts;
    const fromByte = this.#known?.validator == null ? 0 : part.sizeBytes;
    const answer = await ask(agent, target, { fromByte, known: this.#known }, { signal, alive });
    if (answer.type === 'body') return this.#fill(answer, signal, alive);
    if (answer.type === 'trouble') return answer.trouble;
    this.#known = null;
    return passingTrouble('DownloadFailureError', `${target.url.host} changed the file while it was sent.`);
  }

  async #fill(answer: Body, signal: AbortSignal, alive: () => void): Promise<Trouble | null> {
    const { part, meter } = this.parts;
    const { totalBytes } = answer.file;
    this.#known = answer.file;
    const ready = this.#makeRoom(answer);
    const draining = drain(answer.body, async (piece) => {
      await ready;
      await part.write(piece).catch(rethrowAsOurDisk);
      alive();
      this.#furthestBytes = Math.max(this.#furthestBytes, part.sizeBytes);
      meter.at(part.sizeBytes, totalBytes);
    });
    try {
      await Promise.all([ready, draining]);
    } catch (error) {
      signal.throwIfAborted();
      if (isVencError(error)) throw error;
      return connectionTrouble(error, answer.host, 'download');
    }
    return this.#complaintAboutSize(answer);
  }

  async #makeRoom({ fromByte, file }: Body): Promise<void> {
    const { part, folder } = this.parts;
    try {
      if (fromByte !== part.sizeBytes) await part.startOver();
      if (file.totalBytes !== null && file.totalBytes - fromByte > (await freeBytes(folder)))
        throw outOfSpaceError();
    } catch (error) {
      throw ownDiskFault(error, 'download');
    }
  }

  #complaintAboutSize({ file, host }: Body): Trouble | null {
    const { sizeBytes } = this.parts.part;
    if (file.totalBytes === null || sizeBytes === file.totalBytes) return null;
    // A part that goes on beyond the end that was told belongs to another file.
    if (sizeBytes > file.totalBytes) this.#known = null;
    const said = `${host} sent ${sizeBytes} bytes where it had announced ${file.totalBytes}.`;
    return passingTrouble('DownloadFailureError', said);
  }
}

function rethrowAsOurDisk(error: unknown): never {
  throw ownDiskFault(error, 'download');
}
