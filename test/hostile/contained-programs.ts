import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFfmpeg } from '../../daemon/ffmpeg/index.js';
import type { OpenedFfmpeg, OpenOptions } from '../../daemon/ffmpeg/open-ffmpeg.js';
import { isVencError, type VencError } from '../../src/shared/errors.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const cacheFolder = join(tempFolder(), 'cache');

/** Opens the ffmpeg of tests with some options. */
export async function openContained(options: OpenOptions): Promise<OpenedFfmpeg> {
  const { ffmpeg, ffprobe } = await testFfmpeg();
  return openFfmpeg({ ffmpeg: ffmpeg.path, ffprobe: ffprobe.path, cacheFolder, ...options });
}

/** Writes a script that answers version queries as ffmpeg does, and otherwise runs the given lines of bash. Returns its path. */
export async function scriptedFfmpeg(lines: string): Promise<string> {
  const path = join(tempFolder(), 'ffmpeg');
  const answer = 'case "$*" in *-progress*) ;; *) echo "ffmpeg version 6.0"; exit;; esac';
  await writeFile(path, `#!/bin/bash\n${answer}\n${lines}\n`, { mode: 0o755 });
  return path;
}

/** Runs ffmpeg in a scratch folder; resolves to its error, or null if it succeeded. */
export async function runError(
  { ffmpeg }: OpenedFfmpeg,
  args: readonly string[],
  options: { readonly scratch?: string; readonly work?: { seconds: number; pixels: number } } = {},
): Promise<VencError | null> {
  if (ffmpeg === null) throw new Error('no ffmpeg was found');
  try {
    await ffmpeg.run(args, {
      signal: AbortSignal.timeout(60_000),
      onProgress: () => {},
      scratch: options.scratch ?? tempFolder(),
      ...(options.work === undefined ? {} : { work: options.work }),
    });
    return null;
  } catch (error) {
    if (!isVencError(error)) throw error;
    return error;
  }
}

/** The processes whose arguments contain a text, from `/proc`. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

/** Whether a test can run that needs limits of the kernel, or a sandbox too. If not, prints why it is skipped. */
export async function canContain(needs: 'limits' | 'sandbox'): Promise<boolean> {
  const { report } = await openContained({});
  if (needs === 'limits' && report.hasLimits) return true;
  if (needs === 'sandbox' && report.bwrap !== null) return true;
  const reason = needs === 'limits' ? 'prlimit is not installed' : report.sandboxProblem;
  process.stdout.write(`skipped: ffmpeg cannot be contained here: ${reason}\n`);
  return false;
}
