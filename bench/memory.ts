import { createReadStream } from 'node:fs';
import { appendFile, chmod, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { s3rverKeys, startS3rver } from '../test/helpers/servers/s3rver.js';
import { startDaemon } from './daemon.js';
import { type Figure, spreadOf } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { peakMegabytesOf, residentMegabytesOf } from './programs.js';

/** Number of bytes that are appended to files. */
const padBytes = 2 * 1024 ** 3;
/**
 * The S3 server of this benchmark copies an upload in parts before it responds that the upload is complete. If the
 * daemon repeats the request meanwhile, as it does after the default half minute, the server finds no parts and
 * responds with 500.
 */
const timeoutMs = ['--stall-timeout', '10m'];

/**
 * Measures the peak memory of a daemon that downloads a file of 2 GB over HTTP, encodes the short film in it, and
 * delivers an output of 2 GB: to a bucket, in parts, and as a hosted file. ffmpeg is the real one; a box that players
 * skip is appended to its output.
 */
export async function measureMemory(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = (await requireFfmpeg()).ffmpeg.path;
  const clip = await makeClip(ffmpeg, folder, { size: '320x180', seconds: 1, megabits: 1 });
  const head = join(folder, 'head');
  await writeFile(head, boxHead(padBytes));
  await appendFile(clip, boxHead(padBytes));
  await truncate(clip, (await stat(clip)).size + padBytes);
  const encoder = await paddingEncoder(folder, ffmpeg, head);
  const server = await startServer(clip);
  const storage = await startS3rver(['films'], join(folder, 'bucket'));
  const { id, secret } = s3rverKeys;
  const env = { AWS_ENDPOINT_URL_S3: storage.endpoint, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
  const peaks = { hosted: [] as number[], bucket: [] as number[] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [where, output] of [
        ['hosted', {}],
        ['bucket', { url: 's3://films/out.mp4' }],
      ] as const) {
        const data = join(folder, `data-${where}-${round}`);
        const daemon = await startDaemon(data, folder, ['--ffmpeg', encoder, ...timeoutMs], env);
        try {
          const bytes = await daemon.outputBytesOf(await daemon.runJob(server.url, output));
          if (bytes < padBytes) throw new Error(`the output has only ${bytes} bytes`);
          peaks[where].push(await peakMegabytesOf(daemon.pid));
        } finally {
          await daemon.stop();
        }
      }
    }
  } finally {
    await server.close();
    await storage.close();
  }
  const figure = (to: string, samples: readonly number[]): Figure => ({
    name: `2 GB in over HTTP and 2 GB out ${to}`,
    unit: 'MB',
    value: spreadOf(samples),
    atMost: 250,
    basis: 'resident at its peak',
  });
  return [figure('to S3', peaks.bucket), figure('hosted', peaks.hosted)];
}

/** The header of an MP4 box of type `free` with a payload of `bytes` bytes. */
function boxHead(bytes: number): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1, 0);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(bytes + head.length), 8);
  return head;
}

/** Creates a wrapper of ffmpeg that pads its outputs. */
async function paddingEncoder(folder: string, ffmpeg: string, head: string): Promise<string> {
  const path = join(folder, 'padding-ffmpeg');
  const lines = [
    '#!/bin/sh',
    `'${ffmpeg}' "$@" || exit`,
    'for product; do :; done',
    `product="\${product#file:}"`,
    `case "$*" in *-progress*) cat '${head}' >> "$product" && truncate -s +${padBytes} "$product";; esac`,
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Starts an HTTP server of one file, at full speed and with byte ranges. */
async function startServer(path: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { size } = await stat(path);
  const server = createServer(({ headers }, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const start = Number(from ?? 0);
    const end = to ? Math.min(Number(to), size - 1) : size - 1;
    const range = from === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` };
    const length = { 'Content-Length': end - start + 1, ETag: '"film"', 'Accept-Ranges': 'bytes' };
    response.writeHead(from === undefined ? 200 : 206, { ...length, ...range });
    createReadStream(path, { start, end })
      .on('error', () => response.destroy())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/clip.mp4`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// Long enough for the engine to collect the garbage of the start and of a job.
const settleMs = 2000;

/** Measures the resident memory of an idle daemon: after its start, and after it has run a job. */
export async function measureIdle(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = await makeClip((await requireFfmpeg()).ffmpeg.path, folder);
  const fresh: number[] = [];
  const afterWork: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const daemon = await startDaemon(join(folder, `data-${round}`), folder);
    try {
      await sleep(settleMs);
      fresh.push(await residentMegabytesOf(daemon.pid));
      await daemon.runJob(pathToFileURL(clip).href);
      await sleep(settleMs);
      afterWork.push(await residentMegabytesOf(daemon.pid));
    } finally {
      await daemon.stop();
    }
  }
  const figure = (name: string, samples: readonly number[]): Figure => ({
    name,
    unit: 'MB',
    value: spreadOf(samples),
    atMost: 90,
    basis: 'resident',
  });
  return [figure('daemon at rest, started', fresh), figure('daemon at rest, after a job', afterWork)];
}
