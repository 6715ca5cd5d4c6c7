import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, media } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();

async function logo(): Promise<Buffer> {
  const path = join(folder, 'logo.png');
  await makeMedia(path, ['-f', 'lavfi', '-i', 'color=red:size=40x20:duration=0.04', '-frames:v', '1']);
  return readFile(path);
}

/** The header of a GIF, which contains its dimensions, and nothing else. */
function hugeGif(): Buffer {
  const head = Buffer.alloc(14);
  head.write('GIF89a', 'latin1');
  head.writeUInt16LE(12_000, 6);
  head.writeUInt16LE(12_000, 8);
  head[13] = 0x3b;
  return head;
}

/** A complete BMP of one colour with 24 bits per pixel. */
function hugeBmp(width: number, height: number): Buffer {
  const file = Buffer.alloc(54 + width * height * 3);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  return file;
}

/** How a server responds at a path, and the expected error of an output whose watermark is there. */
const answers: Readonly<
  Record<string, { say(to: ServerResponse, good: Buffer): void; ends: RegExp | null }>
> = {
  '/good.png': { say: (to, good) => to.end(good), ends: null },
  '/moved.png': { say: (to) => to.writeHead(302, { Location: '/good.png' }).end(), ends: null },
  '/none.png': { say: (to) => to.writeHead(404).end('none'), ends: /none\.png cannot be fetched: .*404/ },
  '/closed.png': { say: (to) => to.writeHead(403).end(), ends: /closed\.png cannot be fetched: .*403/ },
  '/locked.png': { say: (to) => to.writeHead(401).end(), ends: /locked\.png cannot be fetched: .*password/ },
  '/empty.png': { say: (to) => to.end(), ends: /empty\.png cannot be fetched: .*empty/ },
  '/page.png': {
    say: (to) => to.end('<html></html>'),
    ends: /page\.png cannot be fetched: .*not a PNG, GIF, JPEG or BMP/,
  },
  '/half.png': {
    say: (to, good) => to.end(good.subarray(0, 20)),
    ends: /half\.png cannot be fetched: .*damaged/,
  },
  '/huge.gif': { say: (to) => to.end(hugeGif()), ends: /huge\.gif cannot be fetched: .*36000000 pixels/ },
  '/huge.bmp': {
    say: (to) => to.end(hugeBmp(6001, 6000)),
    ends: /huge\.bmp cannot be fetched: .*36000000 pixels/,
  },
};

async function jobWith(daemon: TestDaemon, outputs: readonly object[]): Promise<JobRecord> {
  return daemon.waitForJob(await daemon.create({ input: `file://${await media('silent.mp4')}`, outputs }));
}

test('watermarks are downloaded like inputs, and the error of a failed download names the URL', async () => {
  const good = await logo();
  const source = await startHttpSource((request, response) =>
    answers[request.url ?? '']?.say(response, good),
  );
  const daemon = await startTestDaemon({ filesRoots: [join(await media('silent.mp4'), '..')] });
  try {
    const paths = Object.keys(answers);
    const job = await jobWith(
      daemon,
      paths.map((path) => ({ label: path, speed: 5, watermark: { url: source.url(path, 'user:secret') } })),
    );
    for (const [index, output] of job.output_media_files.entries()) {
      const ends = answers[paths[index] ?? '']?.ends ?? null;
      const { state, error_class: errorClass, error_message: message } = output;
      if (ends === null) {
        assert.equal([state, errorClass], ['finished', null], `${paths[index]}: ${message}`);
      } else {
        assert.equal([state, errorClass], ['failed', 'WatermarkError'], paths[index]);
        assert.match(message ?? '', ends);
        assert.not.match(message ?? '', /secret/);
      }
    }
    // A watermark of an output without video is not downloaded.
    const requested = source.seen.length;
    const input = `file://${await media('clip.mp4')}`;
    const outputs = [{ skip_video: true, filename: 'a.m4a', watermark: { url: source.url('/none.png') } }];
    assert.is((await daemon.waitForJob(await daemon.create({ input, outputs }))).state, 'finished');
    assert.is(source.seen.length, requested);
  } finally {
    await daemon.stop();
    await source.close();
  }
});

test('a watermark in a private network is forbidden, like an input', async () => {
  const good = await logo();
  const source = await startHttpSource((_request, response) => response.end(good));
  const filesRoots = [join(await media('silent.mp4'), '..')];
  const daemon = await startTestDaemon({ filesRoots, allowPrivateNetwork: false });
  try {
    const job = await jobWith(daemon, [{ watermark: { url: source.url('/logo.png') } }]);
    const [output] = job.output_media_files;
    assert.is(output?.error_class, 'WatermarkError');
    assert.match(output?.error_message ?? '', /logo\.png cannot be fetched: .*127\.0\.0\.1/);
    assert.is(source.seen.length, 0);
  } finally {
    await daemon.stop();
    await source.close();
  }
});

test('a watermark whose scaled size is too large is left out with a warning, and fails its output in strict mode', async () => {
  await logo();
  const daemon = await startTestDaemon({ filesRoots: [folder, join(await media('silent.mp4'), '..')] });
  try {
    const url = `file://${join(folder, 'logo.png')}`;
    const watermark = { url, width: 8000, height: 8000 };
    const job = await jobWith(daemon, [{ watermark }, { watermark, strict: true }]);
    const [lenient, strict] = job.output_media_files;
    assert.equal([lenient?.state, strict?.state], ['finished', 'failed']);
    assert.match(lenient?.warnings?.join() ?? '', /watermark/i);
    assert.is(strict?.error_class, 'WatermarkError');
    assert.match(strict?.error_message ?? '', /8000x8000/);
  } finally {
    await daemon.stop();
  }
});

test.run();
