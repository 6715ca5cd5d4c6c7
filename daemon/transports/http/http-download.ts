import { dirname } from 'node:path';
import { freeBytes } from '../../transfer/folders.js';
import { outOfSpaceError, ownDiskFault } from '../../transfer/map-disk-error.js';
import type { PartFile } from '../../transfer/partial-file.js';
import type { Meter } from '../../transfer/progress-reporter.js';
import { passingTrouble, type Trouble } from '../../transfer/transfer-error.js';
import { type Watched, withoutStall } from '../../transfer/with-retry.js';
import type { GuardedAgent } from './agent.js';
import type { KnownFile } from './answer.js';
import { type AskReading, ask, type Target } from './ask.js';
import { type Body, bring } from './bring.js';
import { type CrewParts, crewOf, type Fetched } from './crew.js';
import { type Stretch, Stretches } from './stretches.js';

/** What a download works with. */
export interface HttpDownloadParts {
  readonly agent: GuardedAgent;
  readonly target: Target;
  readonly part: PartFile;
  /** Where the file is to stand: its volume must have room. */
  readonly toPath: string;
  readonly meter: Meter;
  readonly stallTimeoutMs: number;
  readonly retryDelayMs: number;
  readonly connections: number;
  readonly rules: RangeRules;
  readonly signal: AbortSignal;
}

/** When a file is brought over several connections. */
export interface RangeRules {
  /** No connection is opened for less than this, in bytes. */
  readonly leastBytes: number;
  /** How long the rest must take with the one connection there is, in seconds. */
  readonly worthSeconds: number;
}

/** A file as it was first answered for, and how far it is. */
interface Found {
  readonly known: KnownFile;
  readonly stretches: Stretches;
}

/** How many bytes count as a step forward (see `bring.ts`). */
const stepBytes = 1024;
/** A file that seems to change this often is rather told differently by several servers behind one name: it comes over one connection. */
const maxChanges = 2;

/** One download, as far as it has come: each attempt goes on where the one before broke off. */
export class HttpDownload {
  /** Null where nothing may be built upon what has come. */
  #found: Found | null = null;
  #resolved: Target | null = null;
  #limit: number;
  #hasParts: 'yes' | 'no' | 'unknown' = 'unknown';
  #changes = 0;
  #furthestBytes = 0;

  constructor(private readonly parts: HttpDownloadParts) {
    this.#limit = parts.connections;
  }

  /** The most bytes that any attempt has brought, in steps that are worth the name. */
  get furthestBytes(): number {
    return this.#furthestBytes - (this.#furthestBytes % stepBytes);
  }

  /**
   * Makes one attempt to get what is missing. Null when the file is whole; the trouble where another attempt may be made. Rejects where
   * the disk fails, and with the reason of the signal.
   */
  async attempt(): Promise<Trouble | null> {
    if (this.#found?.known.validator == null) this.#found = null;
    return withoutStall(this.#watch(this.parts.signal), (watched) => crewOf(this.#crewParts(watched)));
  }

  #watch(signal: AbortSignal) {
    const { target, stallTimeoutMs } = this.parts;
    const { host } = (this.#resolved ?? target).url;
    return { signal, stallTimeoutMs, direction: 'download', host } as const;
  }

  #crewParts(watched: Watched): CrewParts {
    const { retryDelayMs, stallTimeoutMs, rules } = this.parts;
    return {
      signal: watched.signal,
      retryDelayMs,
      mostDelayMs: stallTimeoutMs,
      worthSeconds: rules.worthSeconds,
      leastBytes: rules.leastBytes,
      stretches: () => this.#found?.stretches ?? null,
      limit: () => (this.#mayBeDivided ? this.#limit : 1),
      lowerLimit: (limit) => {
        this.#limit = Math.max(1, limit);
      },
      isProven: () => this.#hasParts === 'yes',
      fetch: (stretch, signal) => this.#fetch(stretch, signal, watched.alive),
      forget: (why) => this.#forget(why),
      withoutParts: () => {
        this.#hasParts = 'no';
      },
    };
  }

  get #mayBeDivided(): boolean {
    const known = this.#found?.known;
    return this.#hasParts !== 'no' && known?.validator != null && known.totalBytes !== null;
  }

  /** Brings a stretch, or all of a file of which nothing is known yet. */
  async #fetch(given: Stretch | null, signal: AbortSignal, allAlive: () => void): Promise<Fetched> {
    const stop = given === null ? signal : AbortSignal.any([signal, given.taken]);
    const ended: { as: Fetched | null } = { as: null };
    const trouble = await withoutStall(this.#watch(stop), async ({ signal: watched, alive }) => {
      const isFirst = given === null || this.#found?.stretches.isDivided !== true;
      const answered = (): void => {
        alive();
        // Of several connections only bytes count: they could go on answering for ever.
        if (isFirst) allAlive();
      };
      const came = (): void => {
        alive();
        allAlive();
      };
      const answer = await this.#ask(given, { signal: watched, alive: answered });
      ended.as = await this.#take(answer, given, { signal: watched, alive: came });
      return null;
    })
      .catch((error: unknown) => {
        if (given?.taken.aborted === true && !signal.aborted) return null;
        throw error;
      })
      .finally(() => {
        if (given !== null) this.#found?.stretches.release(given);
      });
    if (trouble !== null) return { type: 'trouble', trouble, isRefusal: false };
    return ended.as ?? { type: 'done' };
  }

  async #ask(stretch: Stretch | null, watched: Watched): Promise<AskReading> {
    const { agent, target } = this.parts;
    const known = this.#found?.known ?? null;
    const isToEnd = stretch === null || stretch.end === known?.totalBytes || !Number.isFinite(stretch.end);
    const asked = { fromByte: stretch?.at ?? 0, toByte: isToEnd ? null : stretch.end, known };
    const resolved = this.#resolved;
    const answer = await ask(agent, target, asked, { ...watched, resolved });
    if (answer.type === 'body') this.#resolved = answer.target;
    const isFinal = answer.type === 'trouble' && answer.isRefusal && answer.trouble.kind === 'final';
    if (!isFinal || resolved === null || resolved === target) return answer;
    // An address that was good for a while only: where the first one leads to now may be good again.
    this.#resolved = null;
    const again = await ask(agent, target, asked, watched);
    if (again.type === 'body') this.#resolved = again.target;
    return again;
  }

  async #take(answer: AskReading, given: Stretch | null, watched: Watched): Promise<Fetched> {
    if (answer.type !== 'body') return answer;
    if (given !== null && answer.fromByte !== given.at) return this.#takeWhole(answer, watched);
    if (given === null) return this.#fill(answer, this.#begin(answer), this.#makeRoom(answer), watched);
    if (this.#found?.stretches.isDivided) this.#hasParts = 'yes';
    return this.#fill(answer, given, Promise.resolve(), watched);
  }

  /** All of the file came where a part was asked for: it is another file, or a server that has no parts to give. */
  async #takeWhole(answer: Body, watched: Watched): Promise<Fetched> {
    const found = this.#found;
    const isSame =
      answer.file.validator === found?.known.validator && answer.file.totalBytes === found?.known.totalBytes;
    if (found?.stretches.isDivided) {
      answer.body.destroy();
      return { type: isSame ? 'unsound' : 'changed' };
    }
    // Over one connection it is as good: it is begun anew with what is here.
    return this.#fill(answer, this.#begin(answer), this.#makeRoom(answer), watched);
  }

  /** Takes an answer for the file that is brought from now on. */
  #begin({ file }: Body): Stretch {
    const { connections, rules } = this.parts;
    const totalBytes = file.totalBytes ?? 0;
    const chunkBytes = chunkBytesOf(totalBytes, connections, rules.leastBytes);
    const stretches = new Stretches(file.totalBytes, { chunkBytes, leastBytes: rules.leastBytes });
    this.#found = { known: file, stretches };
    return stretches.take() ?? stretches.nothing();
  }

  async #fill(answer: Body, stretch: Stretch, ready: Promise<void>, watched: Watched): Promise<Fetched> {
    const { part, meter } = this.parts;
    const found = this.#found;
    if (found === null) throw new TypeError('nothing is known of the file');
    const { stretches, known } = found;
    const result = await bring(answer, {
      stretch,
      ready,
      advance: (bytes) => stretches.advance(stretch, bytes),
      write: async (pieces, at) => {
        await part.writeAt(pieces, at);
        this.#furthestBytes = Math.max(this.#furthestBytes, part.sizeBytes);
        meter.at(part.sizeBytes, known.totalBytes);
      },
      watched,
    })
      .then((ended) => {
        if (ended === null && known.totalBytes === null) stretches.endAt(stretch);
        return ended;
      })
      .finally(() => stretches.release(stretch));
    if (result === 'unsound') return { type: 'unsound' };
    return result === null ? { type: 'done' } : { type: 'trouble', trouble: result, isRefusal: false };
  }

  async #makeRoom({ file }: Body): Promise<void> {
    const { part, toPath } = this.parts;
    try {
      if (part.sizeBytes > 0) await part.startOver();
      if (file.totalBytes !== null && file.totalBytes > (await freeBytes(dirname(toPath))))
        throw outOfSpaceError();
      if (file.totalBytes !== null) part.expect(file.totalBytes);
    } catch (error) {
      throw ownDiskFault(error, 'download');
    }
  }

  #forget(why: 'changed' | 'unsound'): Trouble {
    const { host } = this.parts.target.url;
    this.#found = null;
    this.#changes += 1;
    if (why === 'unsound' || this.#changes >= maxChanges) this.#hasParts = 'no';
    const said =
      why === 'changed'
        ? `${host} changed the file while it was sent.`
        : `${host} sent other parts of the file than it was asked for.`;
    return passingTrouble('DownloadFailureError', said);
  }
}

const mebibyte = 1 << 20;

/**
 * Large enough that the time between two requests does not count, small enough that the file is summed not far behind what
 * comes; a small file is shared out at once.
 */
function chunkBytesOf(totalBytes: number, connections: number, leastBytes: number): number {
  const quarter = Math.min(Math.max(totalBytes / (connections * 4), 4 * mebibyte), 64 * mebibyte);
  return Math.max(leastBytes, Math.ceil(Math.min(quarter, totalBytes / connections)));
}
