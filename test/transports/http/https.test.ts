import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../../contracts/transport/evidence.js';
import { testCertificate, testKey } from '../../helpers/servers/test-certificate.js';
import { tempFolder } from '../../helpers/temp.js';
import { md5Of, tryDownload, withSource } from './http-harness.js';

const tls = { key: testKey, cert: testCertificate };

test('an untrusted certificate ends the download without another attempt', async () => {
  await withSource(
    (_request, response) => response.end('film'),
    async (source) => {
      const failure = await failureOf(tryDownload(source.url('/')));
      assert.is(failure.errorClass, 'DownloadFailureError');
      assert.match(failure.message, /certificate that cannot be verified/);
      assert.is(source.seen.length, 0);
    },
    { tls },
  );
});

test('a certificate of an authority from NODE_EXTRA_CA_CERTS is trusted, and https may redirect to http', async () => {
  const authority = join(tempFolder(), 'authority.pem');
  writeFileSync(authority, testCertificate);
  const harness = new URL('./http-harness.js', import.meta.url).href;
  // Node reads that variable at startup, so this needs its own process.
  const script = `import(${JSON.stringify(harness)}).then(async (http) => {
    process.stdout.write((await http.tryDownload(process.argv[1])).md5);
  });`;
  await withSource(
    (_request, response) => response.end('film'),
    async (plain) => {
      await withSource(
        (_request, response) => response.writeHead(302, { location: plain.url('/') }).end(),
        async (source) => {
          const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
          const args = ['-e', script, source.url('/', 'me:secret')];
          const { stdout } = await promisify(execFile)(process.execPath, args, { env });
          assert.is(stdout, md5Of(Buffer.from('film')));
          assert.ok(source.seen[0]?.headers.authorization);
          assert.is(plain.seen[0]?.headers.authorization, undefined);
        },
        { tls },
      );
    },
  );
});

test('a server without TLS on an https address is a download error', async () => {
  await withSource(
    (_request, response) => response.end('film'),
    async (source) => {
      const failure = await failureOf(tryDownload(source.url('/').replace('http:', 'https:')));
      assert.is(failure.errorClass, 'DownloadFailureError');
    },
  );
});

test.run();
