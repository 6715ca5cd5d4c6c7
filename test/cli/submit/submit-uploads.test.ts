import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../../src/shared/records.js';
import { killDaemons, processKey, startDaemonProcess } from '../../helpers/daemon-process.js';
import { startRelay } from '../../helpers/relay.js';
import { startTcpRelay } from '../../helpers/servers/tcp-relay.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { runCli, startCli } from '../run-cli.js';

const test = suite('venc submit over a connection that breaks');
test.after(killDaemons);

const film = randomBytes(8_000_000);

/** A daemon behind a relay, and a film to submit. */
async function setUp(cutAfterBytes?: { readonly bytes: number; readonly connections: number }) {
  const folder = tempFolder();
  const dataFolder = join(folder, 'data');
  writeFileSync(join(folder, 'film.mov'), film);
  const start = () => startDaemonProcess(dataFolder, ['--jobs', '0', '--min-free', '0']);
  const daemon = await start();
  const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);
  const relay = await startTcpRelay(portOf(daemon), cutAfterBytes === undefined ? {} : { cutAfterBytes });
  const env = { VENC_URL: `http://127.0.0.1:${relay.port}`, VENC_API_KEY: processKey };
  return { folder, dataFolder, daemon, start, portOf, relay, options: { cwd: folder, env } };
}

/** The bytes of the upload that a job names. */
async function uploadOf(dataFolder: string, url: string, id: string): Promise<Buffer> {
  const headers = { 'Service-Api-Key': processKey };
  const response = await fetch(`${url}/v2/jobs/${id}`, { headers });
  const { job } = (await response.json()) as { job: JobRecord };
  return readFileSync(
    join(dataFolder, 'uploads', String(job.input_media_file.url).slice('upload://'.length)),
  );
}

test('an upload continues after each break, and its progress never falls', async () => {
  const { dataFolder, daemon, relay, options } = await setUp({ bytes: 2_500_000, connections: 3 });
  const words = ['submit', 'film.mov', '--progress', 'json'];
  const { code, stdout, stderr } = await runCli(words, options);
  assert.is(code, 0, stderr);
  assert.is(relay.cutCount, 3);
  assert.ok(relay.passedBytes < 1.5 * film.length, `${relay.passedBytes} bytes were sent`);
  assert.ok(film.equals(await uploadOf(dataFolder, daemon.url, stdout.trim())));
  const sent = stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { sent_bytes: number }).sent_bytes);
  assert.equal(
    sent,
    [...sent].sort((a, b) => a - b),
  );
  assert.is(sent.at(-1), film.length);
  await relay.close();
  await daemon.end('SIGTERM');
});

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  test(`an upload continues at a daemon that was ended with ${signal} and started again`, async () => {
    const { dataFolder, daemon, start, portOf, relay, options } = await setUp();
    const run = startCli(['submit', 'film.mov'], options);
    await waitUntil('a part of the film has passed', () => relay.passedBytes > 1_000_000);
    await daemon.end(signal);
    const next = await start();
    relay.toPort = portOf(next);
    const { code, stdout, stderr } = await run.ended;
    assert.is(code, 0, stderr);
    assert.ok(film.equals(await uploadOf(dataFolder, next.url, stdout.trim())));
    await relay.close();
    await next.end('SIGTERM');
  });

test('an interrupted upload leaves nothing', async () => {
  const { dataFolder, daemon, portOf, relay, options } = await setUp();
  // Lets through only a part of the film: the upload cannot end before it is interrupted.
  const narrow = await startRelay(portOf(daemon));
  narrow.limit(500_000);
  const env = { ...options.env, VENC_URL: `http://127.0.0.1:${narrow.port}` };
  const run = startCli(['submit', 'film.mov'], { ...options, env });
  await waitUntil('a part of the film has passed', () => narrow.bytes().toServer > 500_000);
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  assert.is(code, 130);
  assert.match(stderr, /Interrupted\. Nothing was submitted/);
  assert.equal(readdirSync(join(dataFolder, 'uploads', '.parts')), []);
  await narrow.close();
  await relay.close();
  await daemon.end('SIGTERM');
});

test.run();
