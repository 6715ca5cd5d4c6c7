import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleBytes } from '../contracts/transport/evidence.js';
import { processKey } from './daemon-process.js';

const most = sampleBytes(3_000_000);

/** A file of the given size without media: its job ends as soon as the file has been probed. */
export function payloadOf(bytes: number): Buffer {
  return most.subarray(0, bytes);
}

/** The MD5 of such a file. */
export function payloadMd5(bytes: number): string {
  return createHash('md5').update(payloadOf(bytes)).digest('hex');
}

/** A fake ffprobe that finds nothing in any file and records the MD5 of each. */
interface ChecksumProbe {
  readonly path: string;
  /** The checksums so far. */
  sums(): readonly string[];
}

/** Creates the fake ffprobe in a folder. */
export function createChecksumProbe(folder: string): ChecksumProbe {
  const path = join(folder, 'ffprobe');
  const log = join(folder, 'sums');
  writeFileSync(
    path,
    `#!/bin/sh
if [ "$1" = -version ]; then echo 'ffprobe version 7.0 Copyright (c) 2007-2024'; exit 0; fi
for last; do :; done
md5sum < "\${last#file:}" >> '${log}'
echo 'Invalid data found when processing input' >&2
exit 1
`,
  );
  chmodSync(path, 0o755);
  return {
    path,
    sums: () => {
      const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.slice(0, 32));
    },
  };
}

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly input_media_file: { readonly error_class: string | null };
}

/** Creates a job for each input and waits until all have ended. Resolves to the error class of each input; rejects if the daemon ends. */
export async function downloadMany(
  daemon: { readonly url: string },
  inputs: readonly string[],
): Promise<readonly (string | null)[]> {
  const ids: string[] = [];
  for (const input of inputs) {
    const body = JSON.stringify({ input, download_connections: 1 });
    const response = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(`a job was rejected: ${await response.text()}`);
    ids.push(((await response.json()) as { id: string }).id);
  }
  const classes: (string | null)[] = [];
  for (const id of ids) {
    let job = await read(daemon, id);
    while (job.state !== 'failed') {
      await pause(pollMs);
      job = await read(daemon, id);
    }
    classes.push(job.input_media_file.error_class);
  }
  return classes;
}

const headers = { 'Service-Api-Key': processKey };
/** Rarely, because polling takes CPU time from the daemon. */
const pollMs = 50;

async function read(daemon: { readonly url: string }, id: string): Promise<Listed> {
  const response = await fetch(`${daemon.url}/v2/jobs/${id}`, { headers });
  return ((await response.json()) as { job: Listed }).job;
}
