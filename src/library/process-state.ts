import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUrl } from '../shared/text/url-text.js';
import { Semaphore } from '../shared/util/semaphore.js';
import type { Configuration, EncodeOptions } from './declarations.js';
import { InvalidRequestError, OutputError } from './errors.js';

/* What all calls in a process share: the turns of the encodes, the programs, and the files that are being written. */

/** The turns of all calls that run ffmpeg. */
export const turns = new Semaphore(availableParallelism());

const programs: { ffmpeg: string | null; ffprobe: string | null } = { ffmpeg: null, ffprobe: null };

/** The programs that `configure` or the environment names; null for one that has to be searched for. */
export function configuredPrograms(): { readonly ffmpeg: string | null; readonly ffprobe: string | null } {
  return {
    ffmpeg: programs.ffmpeg ?? (process.env.VENC_FFMPEG || null),
    ffprobe: programs.ffprobe ?? (process.env.VENC_FFPROBE || null),
  };
}

/** Changes what all later calls use. Throws `InvalidRequestError`; nothing is changed then. */
export function changeConfiguration(configuration: Configuration): void {
  const { concurrency, ffmpeg, ffprobe, ...others } = configuration;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw invalid(unknown, 'is not a part of the configuration', 'it has concurrency, ffmpeg and ffprobe');
  if (concurrency !== undefined && (!Number.isInteger(concurrency) || concurrency < 1))
    throw invalid('concurrency', 'must be a whole number from 1');
  for (const [name, value] of Object.entries({ ffmpeg, ffprobe }))
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalid(name, 'must be the path of a program');
  if (concurrency !== undefined) turns.resize(concurrency);
  if (ffmpeg !== undefined) programs.ffmpeg = ffmpeg;
  if (ffprobe !== undefined) programs.ffprobe = ffprobe;
}

function invalid(field: string, rule: string, hint?: string): InvalidRequestError {
  return new InvalidRequestError(`${field} ${rule}.`, { code: 'invalid_request', field, hint });
}

/** What every call needs. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly turns: Semaphore;
  readonly programs: ReturnType<typeof configuredPrograms>;
  /** The current folder at the time of the call, which relative paths begin at. */
  readonly cwd: string;
}

/** The files and URLs that calls are writing. */
const taken = new Set<string>();

/** What a call writes, under the names that are known of each place, and the options that name them. */
export interface Claim {
  /**
   * Adds the paths and addresses of outputs, by their fields, with their identities in the file system where these are
   * known. Throws `OutputError` if another call has one.
   */
  add(places: ReadonlyMap<string, string>, identities?: ReadonlyMap<string, string>): void;
  release(): void;
}

/** Claims nothing yet. */
export function openClaim(): Claim {
  const own = new Set<string>();
  return {
    add(places, identities = places) {
      const seen = new Set<string>();
      for (const [field, place] of places) {
        const key = identities.get(field) ?? place;
        const isOther = taken.has(key) && !own.has(key);
        if (isOther || seen.has(key))
          throw new OutputError(
            isOther
              ? `${place} is being written by another encode of this process.`
              : `Two outputs would be written to ${place}.`,
            {
              ...{ code: 'conflict', field },
              hint: isOther ? 'wait for it, or name another output' : 'name another output',
            },
          );
        taken.add(key);
        own.add(key);
        seen.add(key);
      }
    },
    release() {
      for (const key of own) taken.delete(key);
    },
  };
}

/** The places that options name, as far as they are known without the disk. Other values are checked later. */
export function namedPlaces(options: EncodeOptions): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const add = (field: string, output: unknown) => {
    const text = output instanceof URL ? output.href : output;
    if (typeof text !== 'string') return;
    if (!isUrl(text)) places.set(field, resolve(text));
    else if (/^file:/i.test(text)) {
      try {
        places.set(field, fileURLToPath(text));
      } catch {
        // Reported with the other options.
      }
    } else places.set(field, text);
  };
  for (const [field, output] of destinationsOf(options)) add(field, output);
  return places;
}

/** What options name as the destinations of their outputs. Other values are checked later. */
export function namedDestinations(options: EncodeOptions): readonly unknown[] {
  return destinationsOf(options).map(([, output]) => output);
}

function destinationsOf(options: EncodeOptions): readonly (readonly [string, unknown])[] {
  if (typeof options !== 'object' || options === null) return [];
  const outputs: unknown = options.outputs;
  const several = Array.isArray(outputs) ? outputs : [];
  return [
    ['output', options.output],
    ...several.map((one, index) => [`outputs[${index}].output`, one?.output] as const),
  ];
}
