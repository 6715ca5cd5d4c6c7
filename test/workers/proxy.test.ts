import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { findProgram } from '../helpers/servers/find-program.js';
import { type NginxProxy, startNginxProxy } from '../helpers/servers/nginx-proxy.js';
import { skipSuite } from '../helpers/servers/program.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createWorkerKey, killWorkers, startWorker } from '../helpers/worker-process.js';

const name = 'workers behind nginx';
const nginx = findProgram('nginx');
if ('missing' in nginx) skipSuite(name, nginx);
else run();

function run(): void {
  const test = suite(name);
  const root = tempFolder();
  let daemon: TestDaemon;
  let token = '';
  test.before(async () => {
    daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true, filesRoots: [root] });
    token = await createWorkerKey(daemon.dataFolder);
    await copyFile(await media('clip.mp4'), join(root, 'in.mp4'));
  });
  test.after.each(killWorkers);
  test.after(() => daemon.stop());

  const proxyWith = async (readTimeoutSeconds: number): Promise<NginxProxy> => {
    const proxy = await startNginxProxy(new URL(daemon.url).port, readTimeoutSeconds);
    if ('missing' in proxy) throw new Error(proxy.missing);
    return proxy;
  };
  const pollsOf = (proxy: NginxProxy) =>
    proxy.log().flatMap(({ path, status }) => (path === '/worker/v1/claims' ? [status] : []));
  const runJob = async () => {
    const input = pathToFileURL(join(root, 'in.mp4')).href;
    const id = await daemon.create({ input, outputs: [{ width: 64 }] });
    assert.is((await daemon.waitForJob(id)).state, 'finished');
  };

  test('a proxy that ends requests after 30 s ends no request for a job', async () => {
    const proxy = await proxyWith(30);
    const worker = startWorker(`http://127.0.0.1:${proxy.port}`, token);
    await waitUntil('it has joined', () => worker.written().includes('has joined'));
    // The proxy logs the request when the daemon answers it, or with status 504 after its limit.
    await waitUntil('a request for a job is answered', () => pollsOf(proxy).length > 0);
    assert.equal(pollsOf(proxy), [204]);
    await runJob();
    assert.equal(pollsOf(proxy).slice(0, 2), [204, 200]);
    assert.not.match(worker.written(), /cannot be reached/);
    await worker.end('SIGTERM');
    await proxy.close();
  });

  test('a worker behind a proxy that ends requests after 4 s repeats them, and takes jobs', async () => {
    const proxy = await proxyWith(4);
    const worker = startWorker(`http://127.0.0.1:${proxy.port}`, token);
    await waitUntil('two requests were ended', () => pollsOf(proxy).length >= 2);
    assert.equal(pollsOf(proxy).slice(0, 2), [504, 504]);
    await runJob();
    assert.not.match(worker.written(), /cannot be reached/);
    const { workers } = await daemon.read<{ workers: readonly unknown[] }>('/v2/workers');
    assert.is(workers.length, 1, 'the worker has not joined again');
    await worker.end('SIGTERM');
    await proxy.close();
  });

  test('a port of nginx for TLS, which answers plain HTTP with status 400, is named, with the URL to use', async () => {
    const proxy = await proxyWith(30);
    const { code, stderr } = await startWorker(`http://127.0.0.1:${proxy.tlsPort}`, token).ended;
    assert.is(code, exitCodes.usage);
    assert.match(stderr, new RegExp(`speaks TLS.*Use --join https://127\\.0\\.0\\.1:${proxy.tlsPort}`));
    await proxy.close();
  });

  test.run();
}
