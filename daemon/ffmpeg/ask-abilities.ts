import type { Abilities } from '../plan/plan-types.js';
import { type AskOptions, askProgram } from './ask-program.js';
import { readAbilities } from './read-abilities.js';

/** What an ffmpeg can do, asked of itself or remembered. Rejects where it does not answer. */
export async function askAbilities(path: string, options: AskOptions): Promise<Abilities> {
  const ask = (...args: readonly string[]) => askProgram(path, args, options);
  const [version, encoders, filters, muxers, help] = await Promise.all([
    ask('-version'),
    ask('-hide_banner', '-encoders'),
    ask('-hide_banner', '-filters'),
    ask('-hide_banner', '-muxers'),
    ask('-hide_banner', '-h', 'long'),
  ]);
  return readAbilities({ version, encoders, filters, muxers, help });
}
