import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHeaderFacts } from '../../daemon/ffmpeg/probe/header-facts.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();

async function described(bytes: Buffer, probe: unknown): Promise<Record<string, unknown>> {
  const path = join(folder, 'file');
  await writeFile(path, bytes);
  return JSON.parse(
    await withHeaderFacts(JSON.stringify(probe), path, bytes.subarray(0, 4096), bytes.length),
  );
}

/** An element of Matroska with a size of four bytes; null for one of unknown size. */
function element(id: string, content: Buffer | string | number | null, ...others: readonly Buffer[]): Buffer {
  const size = Buffer.from('1fffffff', 'hex');
  const bytes =
    typeof content === 'number'
      ? Buffer.from([content])
      : content === null
        ? Buffer.concat(others)
        : Buffer.from(content);
  if (content !== null) size.writeUInt32BE(0x1000_0000 + bytes.length);
  return Buffer.concat([Buffer.from(id, 'hex'), size, bytes]);
}

const all = (...parts: readonly Buffer[]) => Buffer.concat(parts);
const track = (type: number, ...parts: readonly Buffer[]) =>
  element('ae', all(element('d7', 1), element('83', type), ...parts));
const borders = element('e0', all(element('54bb', 8), element('54cc', 2)));
const film = (...tracks: readonly Buffer[]) =>
  all(
    element('1a45dfa3', all(element('4282', 'matroska'))),
    element('18538067', null, element('1654ae6b', all(...tracks)), element('1f43b675', null)),
  );

const streams = [
  { index: 0, codec_type: 'video', tags: { title: 'Film' } },
  { index: 1, codec_type: 'audio', tags: { language: 'eng' } },
  { index: 2, codec_type: 'subtitle', tags: { language: 'por' } },
];

test('tracks of Matroska have their languages with regions, and the borders that players cut off', async () => {
  const bytes = film(
    track(1, borders),
    track(2),
    track(16),
    track(17, element('22b59c', 'por'), element('22b59d', 'pt-BR\0')),
  );
  const { streams: found } = await described(bytes, { streams });
  assert.equal(found, [
    { ...streams[0], borders: { top: 8, bottom: 0, left: 2, right: 0 } },
    streams[1],
    { ...streams[2], tags: { language: 'pt-BR' }, borders: { top: 0, bottom: 0, left: 0, right: 0 } },
  ]);
});

test('a file with other tracks than ffprobe lists is left as it is', async () => {
  assert.equal(await described(film(track(2, element('22b59d', 'de-AT'))), { streams }), { streams });
});

test('files that are cut off or damaged are left as they are', async () => {
  const whole = film(track(1, borders), track(2), track(17));
  for (let length = 12; length < whole.length - 8; length += 3)
    assert.equal(await described(whole.subarray(0, length), { streams: [] }), { streams: [] });
  const broken = Buffer.from(whole);
  broken.fill(0, 30, 60);
  assert.equal(await described(broken, { streams }), { streams });
});

/** Tags of ID3 with these frames. */
function id3(version: 3 | 4, ...names: readonly string[]): Buffer {
  const frame = (name: string) => all(Buffer.from(name), Buffer.from([0, 0, 0, 2, 0, 0, 0, 65]));
  const frames = all(...names.map(frame), Buffer.alloc(20));
  const size = Buffer.from([version, 0, 0, 0, 0, frames.length >> 7, frames.length & 127]);
  return all(Buffer.from('ID3'), size, frames, Buffer.alloc(16));
}

test('frames of ID3 that ffmpeg does not read are named, and texts of which it reads one', async () => {
  for (const version of [3, 4] as const) {
    const bytes = id3(version, 'TIT2', 'POPM', 'TXXX', 'TXXX', 'TPE1', 'TPE1', 'WOAR', 'COMM', 'COMM');
    const { unread_tags: found } = await described(bytes, {});
    assert.equal(found, ['rating', 'a second TPE1', 'link']);
  }
  assert.equal(await described(id3(3, 'TIT2', 'APIC'), {}), {});
});

test.run();
