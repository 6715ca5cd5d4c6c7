import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { factsOf, sampleBytes, scratchFolder, transferOf } from '../../contracts/transport/evidence.js';
import { startHttpSource } from '../../helpers/servers/http-source.js';
import { s3rverKeys } from '../../helpers/servers/s3rver.js';
import { transportTo } from './s3-harness.js';

const upload = async (endpoint: string, bytes: Buffer, transfer = transferOf()) => {
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, bytes);
  const transport = transportTo({ region: 'us-east-1', keys: s3rverKeys, endpoint }, 1_000);
  return transport.upload?.(path, 's3://films/a.mp4', transfer);
};
const reject = (response: ServerResponse, status: number, code: string) =>
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`);
/** The ETag of the sample with this size. */
const etagOf = (size: number) => `"${factsOf(sampleBytes(size)).md5}"`;

/** Answers to `GET ?acl`, and what the warning says of them. */
const acls: readonly (readonly [string, (response: ServerResponse) => void, RegExp])[] = [
  ['is no XML', (response) => response.end('none here'), /access control list cannot be read/],
  ['breaks off', (response) => response.end('<AccessControlPolicy><Owner>'), /cannot be read/],
  ['is a page', (response) => response.end('<html><body>Hello</body></html>'), /names no owner/],
  ['is denied', (response) => reject(response, 403, 'AccessDenied'), /status 403/],
  ['is always an error', (response) => reject(response, 500, 'InternalError'), /status 500/],
];

for (const [what, answer, warning] of acls) {
  test(`an object whose access control list ${what} stays, with a warning`, async () => {
    const seen: string[] = [];
    const source = await startHttpSource((request, response) => {
      request.resume().once('end', () => {
        const isAcl = request.url?.includes('?acl') === true;
        seen.push(`${request.method}${isAcl ? ' acl' : ''}`);
        if (isAcl) return answer(response);
        return response.writeHead(request.method === 'DELETE' ? 204 : 200, { etag: etagOf(3) }).end();
      });
    });
    try {
      const warnings: string[] = [];
      const grants = [{ grantee: 'me@example.com', permissions: ['READ'] }] as const;
      const transfer = transferOf({
        access: { isPublic: false, grants },
        onWarning: (sentence) => warnings.push(sentence),
      });
      assert.equal(await upload(source.url(''), sampleBytes(3), transfer), factsOf(sampleBytes(3)));
      assert.not(seen.includes('DELETE'), String(seen));
      assert.is(warnings.length, 1);
      assert.match(warnings[0] ?? '', /^The owner of films\/a\.mp4 may lack full control/);
      assert.match(warnings[0] ?? '', warning);
    } finally {
      await source.close();
    }
  });
}

test('an object whose size the server does not report stays, with a warning', async () => {
  const seen: string[] = [];
  const source = await startHttpSource((request, response) => {
    seen.push(request.method ?? '');
    request.resume().once('end', () => {
      if (request.method === 'HEAD') response.writeHead(500).end();
      else response.writeHead(200, { etag: '"of-encrypted-bytes"' }).end();
    });
  });
  try {
    const warnings: string[] = [];
    const transfer = transferOf({ onWarning: (sentence) => warnings.push(sentence) });
    await upload(source.url(''), sampleBytes(3), transfer);
    assert.not(seen.includes('DELETE'), String(seen));
    assert.match(warnings.join(), /size of films\/a\.mp4 could not be checked/);
  } finally {
    await source.close();
  }
});

test.run();
