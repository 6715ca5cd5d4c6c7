import { randomBytes } from 'node:crypto';
import { link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { ErrorsRecord, JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { offerFile, proofFor, proveFile, sendProof } from '../helpers/in-place.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();
const source = join(folder, 'a film #1 100%?.mp4');
const test = daemonSuite('files that are read in place', async () => {
  await makeMedia(source, film('320x240', 4));
  return { jobs: 1 };
});

async function errorsOf(response: Response): Promise<string> {
  return ((await response.json()) as ErrorsRecord).errors.join('\n');
}

function create(daemon: TestDaemon, body: object): Promise<Response> {
  return daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
}

test('a file that the client can read is encoded where it is, and shown as a file: URL', async ({
  daemon,
}) => {
  const input = await proveFile(daemon, source);
  assert.match(input, /^in-place:\/\/\w{22,}\/a%20film/);
  const headers = { 'Idempotency-Key': 'a-film' };
  const init = { method: 'POST', body: JSON.stringify({ input, outputs: [{ width: 32 }] }), headers };
  const { id } = (await (await daemon.request('/v2/jobs', init)).json()) as { id: string };
  const job = await daemon.waitForJob(Number(id));
  assert.is(job.state, 'finished', JSON.stringify(job));
  assert.is(job.input_media_file.url, `file://${folder}/a%20film%20%231%20100%25%3F.mp4`);
  assert.is(job.output_media_files[0]?.width, 32);
  const again = {
    ...init,
    body: JSON.stringify({ input: await proveFile(daemon, source), outputs: [{ width: 32 }] }),
  };
  const repeated = (await (await daemon.request('/v2/jobs', again)).json()) as { id: string };
  assert.is(repeated.id, id, 'a repeat with another offer of the file is the same request');
  const { url } = job.input_media_file;
  const typed = await create(daemon, { input: url });
  assert.is(typed.status, 422);
  assert.match(await errorsOf(typed), /only if it is started with --files-root/);
});

test('an MD5 that the request expects is compared', async ({ daemon }) => {
  const input = await proveFile(daemon, source);
  const id = await daemon.create({ input, expected_md5_checksum: '0'.repeat(32) });
  const job: JobRecord = await daemon.waitForJob(id);
  assert.is(job.input_media_file.error_class, 'ChecksumMismatchError');
});

test('an offer has one attempt, and an old proof is worth nothing for a new one', async ({ daemon }) => {
  const first = await offerFile(daemon, source);
  const proof = await proofFor(first, source);
  const other = proof.startsWith('0') ? '1' : '0';
  const wrong = await sendProof(daemon, first.token, `${other}${proof.slice(1)}`);
  assert.is(wrong.status, 403);
  assert.is((await sendProof(daemon, first.token, proof)).status, 404);
  const second = await offerFile(daemon, source);
  assert.is.not(second.key, first.key);
  assert.is((await sendProof(daemon, second.token, proof)).status, 403);
});

test('every file that the daemon does not read has the same answer', async ({ daemon }) => {
  const plain = join(folder, 'plain.bin');
  await writeFile(plain, randomBytes(9000));
  await symlink(plain, join(folder, 'link.bin'));
  await link(plain, join(folder, 'other-name.bin'));
  await symlink(folder, join(folder, 'linked-folder'));
  await writeFile(join(folder, 'holes.bin'), Buffer.alloc(3_000_000));
  const attempt = async (path: string, read: string, size?: number) => {
    const challenge = await offerFile(daemon, path, size ?? 9000);
    const response = await sendProof(daemon, challenge.token, await proofFor(challenge, path, read));
    return { status: response.status, text: await response.text() };
  };
  const denied = await attempt(join(folder, 'missing.bin'), plain);
  assert.is(denied.status, 403);
  for (const name of ['link.bin', 'linked-folder/plain.bin', './plain.bin', '../../../dev/zero', ''])
    assert.equal(await attempt(`${folder}/${name || '.'}`, plain), denied, name);
  for (const path of ['/dev/zero', '/proc/self/environ', '/proc/kallsyms', '/sys/kernel/notes'])
    assert.equal(await attempt(path, plain), denied, path);
  // Zeros can be guessed without the file.
  assert.equal(await attempt(join(folder, 'holes.bin'), join(folder, 'holes.bin'), 3_000_000), denied);
  assert.is((await attempt(join(folder, 'other-name.bin'), plain)).status, 200);
});

test('invalid offers and proofs name the field', async ({ daemon }) => {
  const offers: readonly (readonly [body: unknown, error: RegExp])[] = [
    [{}, /path must be[\s\S]*size must be/],
    [{ path: 'film.mov', size: 5000 }, /^path must be the absolute path/],
    [{ path: '/films/', size: 5000 }, /^path must be/],
    [{ path: '/fil\0m', size: 5000 }, /^path must be/],
    [{ path: `/${'x'.repeat(5000)}`, size: 5000 }, /at most 4096/],
    [{ path: '/film', size: 4095 }, /^size must be .* at least 4096: upload/],
    [{ path: '/film', size: 1e300 }, /^size must be/],
    [{ path: '/film', size: '-5000' }, /^size must be/],
    [{ path: '/film', size: 5000, offset: 1 }, /offset is not a field/],
    [['/film'], /path must be/],
  ];
  for (const [body, error] of offers) {
    const response = await daemon.request('/v2/offers', { method: 'POST', body: JSON.stringify(body) });
    assert.is(response.status, 422, JSON.stringify(body));
    assert.match(await errorsOf(response), error);
  }
  const { token } = await offerFile(daemon, source);
  for (const proof of ['', 'x'.repeat(64), 'A'.repeat(64), '0'.repeat(63)])
    assert.is((await sendProof(daemon, token, proof)).status, 422, proof);
  assert.is((await sendProof(daemon, 'unknown', '0'.repeat(64))).status, 404);
});

test('an offer without a proof, an unknown one, and other fields are no inputs', async ({ daemon }) => {
  const { token } = await offerFile(daemon, source);
  for (const url of [`in-place://${token}/film.mp4`, 'in-place://unknown/film.mp4']) {
    const response = await create(daemon, { input: url });
    assert.is(response.status, 422);
    assert.match(await errorsOf(response), /^input does not name a file that this account has offered/);
  }
  const proved = await proveFile(daemon, source);
  const others = await create(daemon, {
    input: 'http://example.com/a.mp4',
    outputs: [{ watermark: { url: proved } }, { url: proved.replace('in-place:', 'In-Place:') }],
  });
  assert.is(others.status, 422);
  const errors = await errorsOf(others);
  assert.match(errors, /watermark.*url has the scheme "in-place", which is not supported/);
  assert.match(errors, /outputs\[1\]\.url has the scheme "in-place"/);
});

test.run();
