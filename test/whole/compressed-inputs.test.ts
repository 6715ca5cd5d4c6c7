import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { serviceAt } from '../helpers/bucket-files-harness.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';
import { startRecordingBucket } from '../helpers/servers/recording-bucket.js';
import { tempFolder } from '../helpers/temp.js';
import { clientFor } from '../transports/s3/s3-harness.js';

const small = { width: 64, clip_length: 0.2, speed: 5 };
const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');
const failureOf = ({ input_media_file: input, output_media_files: [output] }: JobRecord) =>
  `${input.error_class ?? output?.error_class}: ${input.error_message ?? output?.error_message}`;

async function withServer(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
  work: (daemon: TestDaemon, url: string, folder: string, seen: readonly IncomingMessage[]) => Promise<void>,
): Promise<void> {
  const folder = tempFolder();
  const seen: IncomingMessage[] = [];
  const source = await startHttpSource((request, response) => {
    seen.push(request);
    answer(request, response, seen.length);
  });
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    await work(daemon, source.url('/film.mp4'), folder, seen);
  } finally {
    await daemon.stop();
    await source.close();
  }
}

test('a file that a server sends compressed is decoded, and its checksum and size are those of the received bytes', async () => {
  const film = readFileSync(await media('clip.mp4'));
  const sent: Readonly<Record<string, readonly [string, Buffer]>> = {
    gzip: ['gzip', gzipSync(film)],
    'x-gzip in two members': [
      'x-gzip',
      Buffer.concat([gzipSync(film.subarray(0, 1000)), gzipSync(film.subarray(1000))]),
    ],
    deflate: ['deflate', deflateSync(film)],
    'raw deflate': ['deflate', deflateRawSync(film)],
    brotli: ['br', brotliCompressSync(film)],
    'gzip in name only': ['gzip', film],
  };
  let current = '';
  await withServer(
    (_, response) => {
      const [encoding, bytes] = sent[current] ?? ['', film];
      response.writeHead(200, {
        'content-encoding': encoding,
        'content-length': bytes.byteLength,
        etag: '"a"',
        'accept-ranges': 'bytes',
      });
      response.end(bytes);
    },
    async (daemon, url, folder) => {
      for (const [what, [, bytes]] of Object.entries(sent)) {
        current = what;
        const name = what.replaceAll(' ', '-');
        const id = await daemon.create({
          input: url,
          expected_md5_checksum: md5Of(bytes),
          download_connections: 5,
          outputs: [
            { ...small, url: pathToFileURL(join(folder, `${name}.mp4`)).href },
            { type: 'transfer-only', url: pathToFileURL(join(folder, `${name}.bin`)).href },
          ],
        });
        const job = await daemon.waitForJob(id);
        assert.is(job.state, 'finished', `${what}: ${failureOf(job)}`);
        assert.is(job.input_media_file.md5_checksum, md5Of(bytes), what);
        assert.is(job.input_media_file.file_size_bytes, bytes.byteLength, what);
        assert.is(job.input_media_file.format, 'mpeg4', what);
        assert.equal(readFileSync(join(folder, `${name}.bin`)), bytes, what);
        const warnings = job.output_media_files[1]?.warnings ?? [];
        assert.is(warnings.join().includes('is compressed'), what !== 'gzip in name only', what);
      }
    },
  );
});

test('a bucket gets a file that came compressed as it was received, with its Content-Encoding', async () => {
  const film = readFileSync(await media('clip.mp4'));
  const bucket = await startRecordingBucket();
  const { endpoint } = bucket;
  const env = { AWS_ENDPOINT_URL_S3: endpoint, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  Object.assign(process.env, env);
  const sent = gzipSync(film);
  const headers = { 'content-encoding': 'gzip', 'content-length': sent.byteLength };
  await withServer(
    (_, response) => response.writeHead(200, headers).end(sent),
    async (daemon, url) => {
      const outputs = [
        { type: 'transfer-only', url: 's3://films/sent.mp4' },
        { ...small, url: 's3://films/made.mp4' },
      ];
      const job = await daemon.waitForJob(await daemon.create({ input: url, outputs }));
      assert.is(job.state, 'finished', failureOf(job));
      assert.not.match((job.output_media_files[0]?.warnings ?? []).join(), 'is compressed');
    },
  );
  const client = clientFor(serviceAt(endpoint));
  const read = async (Key: string) => {
    const { ContentEncoding, Body } = await client.send(new GetObjectCommand({ Bucket: 'films', Key }));
    return { encoding: ContentEncoding, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
  };
  assert.equal(await read('sent.mp4'), { encoding: 'gzip', bytes: sent });
  assert.is((await read('made.mp4')).encoding, undefined);
  client.destroy();
  for (const name of Object.keys(env)) delete process.env[name];
  await bucket.close();
});

test('a compressed file is never resumed: after a break its download starts over', async () => {
  const bytes = gzipSync(readFileSync(await media('clip.mp4')));
  await withServer(
    (request, response, number) => {
      assert.is(request.headers.range, undefined);
      const headers = { 'content-encoding': 'gzip', 'content-length': bytes.byteLength, etag: '"a"' };
      response.writeHead(200, headers);
      if (number > 1) return response.end(bytes);
      return response.write(bytes.subarray(0, 9000), () => response.destroy());
    },
    async (daemon, url, folder, seen) => {
      const outputs = [{ ...small, url: pathToFileURL(join(folder, 'out.mp4')).href }];
      const job = await daemon.waitForJob(await daemon.create({ input: url, outputs }));
      assert.is(job.state, 'finished', failureOf(job));
      assert.is(job.input_media_file.md5_checksum, md5Of(bytes));
      assert.is(seen.length, 2);
    },
  );
});

/** Answers that cannot be decoded, and the words of the failure. */
const unusable: readonly (readonly [string, string, () => Buffer, RegExp])[] = [
  ['an encoding without a decoder', 'zstd', () => Buffer.from('film'), /Content-Encoding zstd/],
  ['damaged gzip', 'gzip', () => gzipSync(Buffer.alloc(1e6)).subarray(0, 500), /damaged or incomplete/],
  ['a bomb', 'gzip', () => Buffer.concat(Array(22).fill(gzipSync(Buffer.alloc(5e7)))), /which is the limit/],
];

test('a file that cannot be decoded fails with a sentence that says why', async () => {
  let current = unusable[0];
  await withServer(
    (_, response) => {
      response.writeHead(200, { 'content-encoding': current?.[1] }).end(current?.[2]());
    },
    async (daemon, url, folder) => {
      for (const one of unusable) {
        current = one;
        const outputs = [{ ...small, url: pathToFileURL(join(folder, 'out.mp4')).href }];
        const job = await daemon.waitForJob(await daemon.create({ input: url, outputs }));
        assert.match(failureOf(job), /^DownloadFailureError: /, one[0]);
        assert.match(failureOf(job), one[3], one[0]);
      }
    },
  );
});

test.run();
