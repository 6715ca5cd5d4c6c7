import type { Capabilities } from '../plan/plan-types.js';
import { parseCapabilities } from './parse-capabilities.js';
import { type ProgramQueryOptions, queryProgram } from './query-program.js';

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
