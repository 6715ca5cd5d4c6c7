import type { Capabilities } from '../plan/plan-types.js';
import { readVersion } from './find-binaries.js';
import { type ProgramQueryOptions, queryProgram } from './query-program.js';

/** The outputs of ffmpeg that list its capabilities, by argument. */
interface CapabilityTexts {
  readonly version: string;
  readonly encoders: string;
  readonly filters: string;
  readonly muxers: string;
  /** The output of `-h long`. */
  readonly help: string;
}

// Encoders: " V....D libx264  H.264 ..."; muxers: "  E mp4  MP4 ..." (one more column since release 7).
const encoderLine = /^ [VAS][A-Z.]{5} (\S+)\s/;
const muxerLine = /^ {1,2}[D ]?E[d ]* +(\S+)\s/;
// " T.C scale  V->V  Scale ..."; since release 8, two flags instead of three.
const filterLine = /^ [TSC.]{2,3} (\S+)\s+\S+->\S+/;

function parseNames(text: string, pattern: RegExp): ReadonlySet<string> {
  const names = text.split('\n').flatMap((line) => pattern.exec(line)?.[1]?.split(',') ?? []);
  return new Set(names.filter((name) => name !== '='));
}

/**
 * Parses ffmpeg's lists of capabilities. Support of `-fps_mode` is read from the help, not derived from the version, because development
 * builds have no version number.
 */
export function parseCapabilities(texts: CapabilityTexts): Capabilities {
  return {
    version: readVersion(texts.version)?.number ?? null,
    encoders: parseNames(texts.encoders, encoderLine),
    filters: parseNames(texts.filters, filterLine),
    muxers: parseNames(texts.muxers, muxerLine),
    hasFpsMode: /^-fps_mode\b/m.test(texts.help),
  };
}

/** The capabilities of an ffmpeg, from the program or the cache. Rejects if the program fails. */
export async function queryCapabilities(path: string, options: ProgramQueryOptions): Promise<Capabilities> {
  const query = (...args: readonly string[]) => queryProgram(path, args, options);
  const [version, encoders, filters, muxers, help] = await Promise.all([
    query('-version'),
    query('-hide_banner', '-encoders'),
    query('-hide_banner', '-filters'),
    query('-hide_banner', '-muxers'),
    query('-hide_banner', '-h', 'long'),
  ]);
  return parseCapabilities({ version, encoders, filters, muxers, help });
}
