import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { createFtpTransport } from '../../daemon/transports/ftp/ftp-transport.js';
import { failureOf, scratchFolder, transferOf } from '../contracts/transport/evidence.js';
import { ftpLogin } from '../helpers/servers/ftp-server-folder.js';
import { startProftpd } from '../helpers/servers/proftpd.js';
import { skipSuite } from '../helpers/servers/program.js';
import { testCertificate } from '../helpers/servers/test-certificate.js';

const server = await startProftpd();
if ('missing' in server) skipSuite('certificates of ftps', server);
else {
  const test = suite('certificates of ftps');
  writeFileSync(join(server.folder, 'film.mp4'), 'film', { mode: 0o644 });
  const options = {
    guard: createSsrfGuard({ allowPrivateNetwork: true }),
    cleanupJournal: noCleanupJournal,
    stallTimeoutMs: 10_000,
    retryDelayMs: 1,
  };
  const ports = { explicit: server.port, implicit: server.implicitPort } as const;
  for (const [way, port] of Object.entries(ports)) {
    const url = `ftps://${ftpLogin}@127.0.0.1:${port}/film.mp4`;
    test(`an untrusted certificate ends an ${way} connection before the login`, async () => {
      const transport = createFtpTransport(options);
      const work = Promise.resolve(transport.download?.(url, join(scratchFolder(), 'in'), transferOf()));
      const failure = await failureOf(work);
      assert.is(failure.errorClass, 'DownloadFailureError');
      assert.match(failure.message, /certificate that cannot be verified/);
      assert.not.match(server.log(), /"USER /);
    });
  }

  test('an authority from NODE_EXTRA_CA_CERTS is trusted', async () => {
    const folder = scratchFolder();
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, testCertificate);
    const load = (name: string) => JSON.stringify(new URL(`../../daemon/${name}.js`, import.meta.url));
    // Node reads this variable at start, so this needs a separate process.
    const script = `
      const { createFtpTransport } = await import(${load('transports/ftp/ftp-transport')});
      const { createSsrfGuard } = await import(${load('net/ssrf-guard')});
      const { noCleanupJournal } = await import(${load('transfer/cleanup-journal')});
      const guard = createSsrfGuard({ allowPrivateNetwork: true });
      const transport = createFtpTransport({ guard, cleanupJournal: noCleanupJournal, stallTimeoutMs: 10000 });
      const transfer = { signal: new AbortController().signal, onProgress() {} };
      const [url, path] = process.argv.slice(1);
      process.stdout.write(String((await transport.download(url, path, transfer)).sizeBytes));`;
    const url = `ftps://${ftpLogin}@127.0.0.1:${server.port}/film.mp4`;
    const args = ['--input-type=module', '-e', script, url, join(folder, 'in')];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    assert.is(stdout, '4');
  });

  test.after(() => server.close());
  test.run();
}
