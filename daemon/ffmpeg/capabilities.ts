import type { Capabilities } from '../plan/plan-types.js';
import { readVersion } from './find-binaries.js';
import { type ProgramQueryOptions, queryProgram } from './query-program.js';

/** What ffmpeg printed when it was asked for its abilities, by argument. */
interface CapabilityTexts {
  readonly version: string;
  readonly encoders: string;
  readonly filters: string;
  readonly muxers: string;
  /** Of `-h long`. */
  readonly help: string;
}

// Encoders: " V....D libx264  H.264 ..."; muxers: "  E mp4  MP4 ..." (releases from 7 on have a column more).
const encoderLine = /^ [VAS][A-Z.]{5} (\S+)\s/;
const muxerLine = /^ {1,2}[D ]?E[d ]* +(\S+)\s/;
// " T.C scale  V->V  Scale ..."; from release 8 on two flags stand where three did.
const filterLine = /^ [TSC.]{2,3} (\S+)\s+\S+->\S+/;

function parseNames(text: string, pattern: RegExp): ReadonlySet<string> {
  const names = text.split('\n').flatMap((line) => pattern.exec(line)?.[1]?.split(',') ?? []);
  return new Set(names.filter((name) => name !== '='));
}

/**
 * Abilities out of ffmpeg's own lists. Whether `-fps_mode` is understood is read in the help and not told from the
 * version, since builds from the development line bear none.
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

/** What an ffmpeg can do, asked of itself or remembered. Rejects where it does not answer. */
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
