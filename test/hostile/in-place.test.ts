import {
  chmod,
  chown,
  copyFile,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { holdInPlace, openInPlace } from '../../daemon/transports/file/in-place.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { offerFile, proofFor, proveFile, sendProof } from '../helpers/in-place.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { canContain, openContained, runError, scriptedFfmpeg } from './contained-programs.js';

const hasSandbox = await canContain('sandbox');
const hasDescriptors = process.platform === 'linux';
const root = tempFolder();
const source = join(root, 'source.mp4');
test.before(() => makeMedia(source, film('320x240', 1)));

/** Holds a file with a text in a scratch folder, and returns both. */
async function hold(text: string) {
  const scratch = tempFolder();
  const path = join(tempFolder(), 'film.mov');
  await writeFile(path, text);
  const { handle, state } = await openInPlace(path);
  await handle.close();
  const transfer = { signal: AbortSignal.timeout(60_000), onProgress: () => {} };
  const file = { ...state, daemonId: 'here' };
  const held = await holdInPlace(`file://${path}`, file, join(scratch, 'input'), transfer);
  return { scratch, path, held };
}

for (const sandbox of ['none', 'bwrap'] as const) {
  const run = hasDescriptors && (sandbox === 'none' || hasSandbox) ? test : test.skip;

  run(
    `ffmpeg reads the file that was opened, whatever has its path later (sandbox: ${sandbox})`,
    async () => {
      const { scratch, path, held } = await hold('the film');
      const secret = join(tempFolder(), 'secret');
      await writeFile(secret, 'hunter2!');
      await rm(path);
      await symlink(secret, path);
      const opened = await openContained({ ffmpeg: await scriptedFfmpeg('cat input > seen'), sandbox });
      assert.is(await runError(opened, ['-i', join(scratch, 'input')], { scratch }), null);
      assert.is(await readFile(join(scratch, 'seen'), 'utf8'), 'the film');
      assert.is(await readFile(join(scratch, 'input'), 'utf8'), 'the film');
      await held.close();
    },
  );

  run(`a taken-over ffmpeg cannot lead the link elsewhere (sandbox: ${sandbox})`, async () => {
    const { scratch, held } = await hold('the film');
    const lines = 'ln -sf /proc/self/fd/1 input; ls /proc/self/fd > seen';
    const opened = await openContained({ ffmpeg: await scriptedFfmpeg(lines), sandbox });
    const error = await runError(opened, ['-i', join(scratch, 'input')], { scratch });
    assert.match(error?.message ?? '', /created a link to another file, which was removed/);
    assert.is(await readlink(join(scratch, 'input')).catch(() => null), null);
    await held.close();
  });
}

test('a job whose file was replaced or changed after the proof fails, and another keeps over a restart', async () => {
  const first = await startTestDaemon({ jobs: 0 });
  const secret = join(root, 'secret.mp4');
  await makeMedia(secret, film('320x240', 1));
  const changes: readonly (readonly [
    name: string,
    change: (path: string) => Promise<unknown>,
    error: RegExp | null,
  ])[] = [
    ['same', async () => {}, null],
    [
      'copy',
      (path) => copyFile(source, `${path}.new`).then(() => rename(`${path}.new`, path)),
      /was replaced or changed/,
    ],
    ['link', (path) => rm(path).then(() => symlink(secret, path)), /has a symbolic link in its path/],
    [
      'other',
      (path) => copyFile(secret, `${path}.new`).then(() => rename(`${path}.new`, path)),
      /was replaced or changed/,
    ],
    ['touched', (path) => utimes(path, 1, 1), /was replaced or changed/],
    ['gone', (path) => rm(path), /does not exist/],
  ];
  const ids: number[] = [];
  for (const [name] of changes) {
    const path = join(root, `${name}.mp4`);
    await copyFile(source, path);
    ids.push(await first.create({ input: await proveFile(first, path), outputs: [{ width: 32 }] }));
  }
  await first.stop();
  for (const [name, change] of changes) await change(join(root, `${name}.mp4`));
  const daemon = await startTestDaemon({ dataFolder: first.dataFolder, jobs: 1 });
  for (const [index, [name, , error]] of changes.entries()) {
    const job = await daemon.waitForJob(ids[index] ?? 0);
    assert.is(job.state, error === null ? 'finished' : 'failed', name);
    assert.match(job.input_media_file.error_message ?? '', error ?? /^$/, name);
  }
  await daemon.stop();
});

test('a daemon that runs as root does not read in place what only its privileges can read', async () => {
  if (process.getuid?.() !== 0) return assert.ok(true, 'needs root');
  const daemon = await startTestDaemon({ jobs: 0 });
  const path = join(root, 'of-another-user.mp4');
  await copyFile(source, path);
  await chown(path, 12_345, 12_345);
  const statusFor = async (mode: number) => {
    await chmod(path, mode);
    const challenge = await offerFile(daemon, path);
    return (await sendProof(daemon, challenge.token, await proofFor(challenge, path))).status;
  };
  assert.is(await statusFor(0o600), 403);
  assert.is(await statusFor(0o640), 403);
  assert.is(await statusFor(0o644), 200);
  await daemon.stop();
});

test.run();
