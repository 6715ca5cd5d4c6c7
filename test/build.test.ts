import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from './cli/run-cli.js';
import { killDaemons, processKey, startDaemonProcess } from './helpers/daemon-process.js';
import { tempFolder } from './helpers/temp.js';
import { waitUntil } from './helpers/wait-until.js';

const requests: string[] = [];
const service = createServer((request, response) => {
  requests.push(`${request.method} ${request.url} ${request.headers['service-api-key']}`);
  response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"id": 1, "outputs": []}');
}).listen(0, '127.0.0.1');
await new Promise((done) => service.once('listening', done));
const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

test.after(() => {
  service.close();
  killDaemons();
});

test('the build sends no request to a service that the environment or the configuration names', async () => {
  const config = { XDG_CONFIG_HOME: join(tempFolder(), 'config') };
  const added = await runCli(['target', 'add', 'acme', serviceUrl], { env: config, stdin: 'a-real-key\n' });
  assert.is(added.code, 0, added.stderr);
  const folder = tempFolder();
  for (const named of [
    { VENC_TARGET: 'acme' },
    { VENC_URL: serviceUrl, VENC_API_KEY: 'a-real-key' },
    { HTTP_PROXY: serviceUrl },
  ]) {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build/warm-code-cache.mjs', folder], {
      env: { ...process.env, ...config, ...named },
      encoding: 'utf8',
    });
    assert.is(status, 0, stderr);
  }
  const scripts = ['base', 'daemon', 'follow', 'jobs', 'library', 'list', 'main', 'program', 'words'];
  const names = scripts.map((name) => `${name}.cjs.${process.versions.v8}-${process.arch}.cache`);
  assert.equal(readdirSync(folder).sort(), names.sort());
  assert.equal(requests, []);
});

test('a build is skipped until a file that it reads is changed, added, renamed or removed', () => {
  const root = tempFolder();
  for (const folder of ['bench', 'daemon/plan', 'dist', 'scripts', 'src', 'test'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['package-lock.json', 'package.json', 'tsconfig.json', 'daemon/plan/plan.ts'])
    writeFileSync(join(root, file), '{}');
  const script = `
    import { fingerprintOf, isBuilt, recordBuild } from ${JSON.stringify(resolve('scripts/build/fingerprint.mjs'))};
    const root = ${JSON.stringify(root)};
    const fingerprint = fingerprintOf(root);
    process.stdout.write(String(isBuilt(root, fingerprint)));
    recordBuild(root, fingerprint);`;
  const wasBuilt = (): boolean => {
    const args = ['--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.is(stderr, '');
    return stdout === 'true';
  };
  assert.not.ok(wasBuilt());
  assert.ok(wasBuilt());
  const changes = [
    () => writeFileSync(join(root, 'daemon/plan/plan.ts'), '[]'),
    () => writeFileSync(join(root, 'daemon/plan/limits.ts'), '{}'),
    () => renameSync(join(root, 'daemon/plan/limits.ts'), join(root, 'daemon/plan/bounds.ts')),
    () => rmSync(join(root, 'daemon/plan/bounds.ts')),
    () => writeFileSync(join(root, 'package-lock.json'), '[]'),
  ];
  for (const change of changes) {
    change();
    assert.not.ok(wasBuilt());
    assert.ok(wasBuilt());
  }
});

test('a build in which a referenced file is missing fails with the name of the file', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'parts'));
  writeFileSync(join(folder, 'parts', 'a.js'), 'new Worker(new URL("./md5-worker.js", import.meta.url));');
  writeFileSync(join(folder, 'b.cjs'), '$mport("./parts/a.js"); $mport("./parts/c.js");');
  const script = `
    import { checkReferences } from ${JSON.stringify(resolve('scripts/build/file-references.mjs'))};
    checkReferences(${JSON.stringify(folder)});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.is(status, 1);
  assert.match(stderr, 'parts/a.js refers to ./md5-worker.js');
  assert.match(stderr, 'b.cjs refers to ./parts/c.js');
  assert.not.match(stderr, 'refers to ./parts/a.js');
});

test('the daemon as shipped computes the MD5 of a large upload in a worker thread', async () => {
  const daemon = await startDaemonProcess(tempFolder(), ['--jobs', '0'], { NODE_DEBUG: 'worker' });
  const body = Buffer.alloc(33 << 20, 1);
  const { status } = await fetch(`${daemon.url}/v2/uploads/large.bin`, {
    method: 'PUT',
    headers: { 'Service-Api-Key': processKey },
    body,
  });
  assert.is(status, 201);
  await waitUntil('the worker has ended', () => daemon.logged().includes('hears end event'));
  assert.match(daemon.logged(), /starts worker script .*worker\.js/);
  assert.not.match(daemon.logged(), 'uncaught exception');
});

test('--debug shows the lines of the sources in stack traces', async () => {
  const { stderr } = await runCli(['run', 'missing.mp4', '--debug']);
  assert.match(stderr, /at async \w+ \(src\/cli\/commands\/run\.ts:\d+:\d+\)/);
  const folder = join(tempFolder(), 'file');
  writeFileSync(folder, '');
  const daemon = await runCli(['daemon', '--port', '0', '--data', folder, '--debug']);
  assert.match(daemon.stderr, /at .*\(daemon\/[\w/-]+\.ts:\d+:\d+\)/);
});

test.run();
