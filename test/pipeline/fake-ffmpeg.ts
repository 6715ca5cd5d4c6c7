import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** An ffmpeg that reports the capabilities of the real one, and runs a script instead of an encode. */
export interface FakeFfmpeg {
  readonly path: string;
  /** Number of starts. */
  starts(): Promise<number>;
  /** Sets the script that replaces encodes: lines of `sh`, in which `$product` is the output file. */
  does(lines: string): Promise<void>;
}

/** Creates a fake that fails every encode until a script is set. */
export async function fakeFfmpeg(): Promise<FakeFfmpeg> {
  const folder = tempFolder();
  const [path, acts, log] = ['ffmpeg', 'acts', 'starts'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const real = (await testFfmpeg()).ffmpeg.path;
  const script = [
    '#!/bin/sh',
    `echo started >> '${log}'`,
    'for product; do :; done',
    // Only encodes report progress.
    `case "$*" in *-progress*) product="\${product#file:}"; . '${acts}'; exit;; esac`,
    `exec '${real}' "$@"`,
  ];
  await writeFile(path, `${script.join('\n')}\n`);
  await chmod(path, 0o755);
  await writeFile(acts, 'exit 1\n');
  return {
    path,
    starts: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').length - 1,
    does: (lines) => writeFile(acts, `${lines}\n`),
  };
}
