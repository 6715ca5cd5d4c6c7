import { execFile } from 'node:child_process';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { OutputDetails } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { type ParsedPlaylist, parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { startHttpSource } from '../helpers/servers/http-source.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const test = daemonSuite<Context>('encrypted segments', async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'in.mp4'), film('64x48', 9));
  return { filesRoots: [context.folder], allowPrivateNetwork: true };
});

let count = 0;

/** Cuts the film into five segments and returns the folder of the files, the playlist and the details of the output. */
async function run({ daemon, folder }: Context, settings: object) {
  count += 1;
  const out = join(folder, `out-${count}`);
  const output = {
    type: 'segmented',
    segment_seconds: 2,
    width: 32,
    url: `file://${out}/a.m3u8`,
    ...settings,
  };
  const id = await daemon.create({ input: `file://${folder}/in.mp4`, outputs: [output] });
  const job = await daemon.waitForJob(id);
  const details = await daemon.read<OutputDetails>(`/v2/outputs/${job.output_media_files[0]?.id}`);
  const names = details.state === 'finished' ? readdirSync(out).toSorted() : [];
  const playlist =
    details.state === 'finished' ? parsePlaylist(readFileSync(join(out, 'a.m3u8'), 'utf8')) : null;
  return { id, out, details, names, playlist };
}

/** The frames of a playlist, as the HLS demuxer of ffmpeg decrypts and decodes them. */
async function frames(out: string): Promise<readonly string[]> {
  const input = ['-protocol_whitelist', 'file,crypto,data', '-allowed_extensions', 'ALL', '-i', 'a.m3u8'];
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', ...input, '-map', '0:v', '-f', 'framemd5', '-'],
    {
      cwd: out,
      maxBuffer: 1 << 26,
    },
  );
  return stdout
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').at(-1)?.trim() ?? '');
}

const segmentNames = [1, 2, 3, 4, 5].map((number) => `a-0000${number}.ts`);
const ivs = ({ segments }: ParsedPlaylist) => segments.map(({ key }) => key?.IV);
const uris = ({ segments }: ParsedPlaylist) => segments.map(({ key }) => key?.URI);

test('segments with a random key, rotated keys, and a given key with a vector play as the plain ones do', async (context) => {
  const plain = await run(context, {});
  const expected = await frames(plain.out);
  assert.is(expected.length, 225);
  const iv = '000102030405060708090a0b0c0d0e0f';
  const key = 'FFEEDDCCBBAA99887766554433221100';

  const random = await run(context, { encryption_method: 'aes-128-cbc', hls_protocol_version: 4 });
  assert.equal(random.names, [...segmentNames, 'a.key', 'a.m3u8']);
  assert.is(readFileSync(join(random.out, 'a.key')).byteLength, 16);
  assert.equal(random.playlist && [uris(random.playlist)[4], ivs(random.playlist)[4]], ['a.key', undefined]);
  assert.equal(await frames(random.out), expected);

  const rotated = await run(context, { encryption_key_rotation_period: 2, encryption_key_url_prefix: './' });
  assert.equal(rotated.names, [...segmentNames, 'a-1.key', 'a-2.key', 'a-3.key', 'a.m3u8'].toSorted());
  assert.equal(rotated.playlist && uris(rotated.playlist), [
    './a-1.key',
    './a-1.key',
    './a-2.key',
    './a-2.key',
    './a-3.key',
  ]);
  const keys = [1, 2, 3].map((number) => readFileSync(join(rotated.out, `a-${number}.key`), 'hex'));
  assert.is(new Set(keys).size, 3);
  assert.equal(await frames(rotated.out), expected);

  const given = await run(context, {
    encryption_key: `0x${key}`,
    encryption_iv: iv,
    byte_range_segmenting: true,
  });
  assert.equal(given.names, ['a.key', 'a.m3u8', 'a.ts']);
  assert.is(readFileSync(join(given.out, 'a.key'), 'hex'), key.toLowerCase());
  assert.equal(
    given.playlist && ivs(given.playlist),
    segmentNames.map(() => `0x${iv}`),
  );
  const whole = readFileSync(join(given.out, 'a.ts'));
  for (const { range } of given.playlist?.segments ?? []) {
    const { offset, size } = range ?? { offset: 0, size: 0 };
    const cipher = createDecipheriv('aes-128-cbc', Buffer.from(key, 'hex'), Buffer.from(iv, 'hex'));
    const bytes = Buffer.concat([cipher.update(whole.subarray(offset, offset + size)), cipher.final()]);
    assert.equal([bytes[0], bytes.length % 188], [0x47, 0]);
  }
  const stored = JSON.stringify([given.details, await context.daemon.read(`/v2/jobs/${given.id}`)]);
  assert.not.match(`${stored}${context.daemon.logLines}`, new RegExp(key, 'i'));
});

test('the key at an address is used and not delivered, and must have 16 bytes', async (context) => {
  const key = randomBytes(16);
  const source = await startHttpSource((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end();
    else response.end(request.url === '/key' ? key : 'too short');
  });
  const { out, names, playlist } = await run(context, { encryption_key_url: source.url('/key') });
  assert.equal(names, [...segmentNames, 'a.m3u8']);
  assert.equal(playlist && uris(playlist)[0], source.url('/key'));
  const text = readFileSync(join(out, 'a.m3u8'), 'utf8');
  writeFileSync(join(out, 'a.key'), key);
  writeFileSync(join(out, 'a.m3u8'), text.replace(source.url('/key'), 'a.key'));
  assert.is((await frames(out)).length, 225);
  for (const [path, reason] of [
    ['/short', /has 9 bytes instead of 16/],
    ['/missing', /cannot be downloaded/],
  ] as const) {
    const { details } = await run(context, { encryption_key_url: source.url(path) });
    assert.equal([details.state, details.error_class], ['failed', 'InvalidEncryptionSettingsError']);
    assert.match(details.error_message ?? '', reason);
  }
  const both = await run(context, {
    encryption_key_url: 'skd://keys/1',
    encryption_key: key.toString('hex'),
  });
  assert.equal(
    [both.names, both.playlist && uris(both.playlist)[0]],
    [[...segmentNames, 'a.m3u8'], 'skd://keys/1'],
  );
  await source.close();
});

test.run();
