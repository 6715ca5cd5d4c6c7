import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import type { Orphan } from '../../daemon/transfer/cleanup-journal.js';
import { createSwiftTransport } from '../../daemon/transports/swift/swift-transport.js';
import {
  factsOf,
  failureOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from '../contracts/transport/evidence.js';
import { skipSuite } from '../helpers/servers/program.js';
import { startSwift, swiftPrograms } from '../helpers/servers/swift.js';
import { waitUntil } from '../helpers/wait-until.js';

const programs = swiftPrograms();

if ('missing' in programs) skipSuite('cf in segments', programs);
else {
  const test = suite('cf in segments');
  const swift = await startSwift(programs);
  const journal = new Set<Orphan>();
  const transportOf = (segmentBytes: number) =>
    createSwiftTransport({
      guardFor: (exemptHosts) => createSsrfGuard({ allowPrivateNetwork: false, exemptHosts }),
      stallTimeoutMs: 20_000,
      retryDelayMs: 1,
      cleanupJournal: {
        async add(orphan) {
          journal.add(orphan);
          return async () => void journal.delete(orphan);
        },
      },
      service: { authUrl: swift.authUrl, keys: { id: swift.user, secret: swift.key } },
      maxObjectBytes: 1_000_000,
      segmentBytes,
    });
  const transport = transportOf(700_001);
  // Enough segments that the upload is still running when the test acts.
  const manySegments = transportOf(10_000);
  const largeBytes = 3_000_007;
  const upload = (
    bytes: Buffer,
    to: string,
    parts: Parameters<typeof transferOf>[0] = {},
    via = transport,
  ) => {
    const path = join(scratchFolder(), 'out');
    writeFileSync(path, bytes);
    assert.ok(via.upload);
    return via.upload(path, to, transferOf(parts));
  };
  const read = async (path: string) => Buffer.from(await (await swift.ask('GET', path)).arrayBuffer());
  let count = 0;
  /** Creates a container for one test. */
  const container = async () => {
    count += 1;
    await swift.ask('PUT', `c${count}`);
    return `c${count}`;
  };

  test.after(() => swift.end());

  test('a file larger than one object is uploaded in segments and can be downloaded', async () => {
    const films = await container();
    const bytes = sampleBytes(largeBytes);
    const progressReports: number[] = [];
    const onProgress = (done: number) => progressReports.push(done);
    assert.equal(await upload(bytes, `cf://${films}/a/ü 1.mp4`, { onProgress }), factsOf(bytes));
    assert.ok((await read(`${films}/a/%C3%BC%201.mp4`)).equals(bytes));
    assert.is((await swift.list(films)).length, 6);
    assert.equal(
      progressReports,
      progressReports.toSorted((a, b) => a - b),
    );
    assert.is(progressReports.at(-1), largeBytes);
    assert.is(journal.size, 0);
    const head = await swift.ask('HEAD', `${films}/a/%C3%BC%201.mp4`);
    assert.is(head.headers.get('content-type'), 'video/mp4');
    const folder = scratchFolder();
    assert.equal(
      await transport.download?.(`cf://${films}/a/ü 1.mp4`, join(folder, 'in'), transferOf()),
      factsOf(bytes),
    );
    assert.is(await transport.sizeOf?.(`cf://${films}/a/ü 1.mp4`, new AbortController().signal), largeBytes);
  });

  test('a large object is removed with its segments', async () => {
    const films = await container();
    await upload(sampleBytes(largeBytes), `cf://${films}/a.mp4`);
    for (const _ of ['once', 'again']) await transport.remove?.(`cf://${films}/a.mp4`);
    assert.equal(await swift.list(films), []);
  });

  test('an upload that replaces a large object removes its segments', async () => {
    const films = await container();
    await upload(sampleBytes(largeBytes), `cf://${films}/a.mp4`);
    await upload(sampleBytes(2_000_000), `cf://${films}/a.mp4`);
    assert.is((await swift.list(films)).length, 4);
    assert.ok((await read(`${films}/a.mp4`)).equals(sampleBytes(2_000_000)));
    await upload(sampleBytes(5), `cf://${films}/a.mp4`);
    assert.equal(await swift.list(films), ['a.mp4']);
  });

  test('replacing a large object of another program keeps its segments', async () => {
    const films = await container();
    await swift.ask('PUT', `${films}/theirs/1`, { body: 'one' });
    const list = JSON.stringify([{ path: `/${films}/theirs/1` }]);
    await swift.ask('PUT', `${films}/a.mp4?multipart-manifest=put`, { body: list });
    await upload(sampleBytes(5), `cf://${films}/a.mp4`);
    assert.equal(await swift.list(films), ['a.mp4', 'theirs/1']);
  });

  test('an upload that exceeds the quota halfway leaves nothing', async () => {
    const films = await container();
    const ending = failureOf(upload(sampleBytes(largeBytes), `cf://${films}/a.mp4`, {}, manySegments));
    await waitUntil('one segment exists', async () => (await swift.list(films)).length > 0);
    let isOver = false;
    const failure = ending.finally(() => {
      isOver = true;
    });
    // Repeated, because a PUT that is under way can restore the old container settings in Swift's cache.
    while (!isOver) await swift.ask('POST', films, { headers: { 'x-container-meta-quota-bytes': '1' } });
    assert.is((await failure).errorClass, 'UploadFailureError');
    assert.match((await failure).message, /no space/);
    assert.equal(await swift.list(films), []);
    assert.is(journal.size, 0);
  });

  for (const segments of [0, 1, 4]) {
    test(`an upload that is cancelled after ${segments} segments leaves nothing`, async () => {
      const films = await container();
      const controller = new AbortController();
      const onProgress = () => {
        if (segments === 0) controller.abort('cancelled');
      };
      const transfer = { signal: controller.signal, onProgress };
      const ending = rejectionOf(
        upload(sampleBytes(largeBytes), `cf://${films}/a.mp4`, transfer, manySegments),
      );
      await waitUntil('the segments exist', async () => (await swift.list(films)).length >= segments);
      controller.abort('cancelled');
      assert.is(await ending, 'cancelled');
      assert.equal(await swift.list(films), []);
      assert.is(journal.size, 0);
    });
  }

  test('orphaned segments of a killed program are removed, but not those of a complete object', async () => {
    const films = await container();
    await upload(sampleBytes(largeBytes), `cf://${films}/a.mp4`);
    const [first = ''] = await swift.list(films);
    const name = first.slice(0, first.lastIndexOf('/') + 1);
    await transport.removeOrphan?.({ url: `cf://${films}/a.mp4`, name });
    assert.is((await swift.list(films)).length, 6);
    await swift.ask('DELETE', `${films}/a.mp4`);
    await transport.removeOrphan?.({ url: `cf://${films}/a.mp4`, name });
    assert.equal(await swift.list(films), []);
  });

  for (const [what, via] of [
    ['one object', transportOf(largeBytes)],
    ['segments', manySegments],
  ] as const) {
    test(`a missing container and a full one are reported during an upload as ${what}`, async () => {
      const bytes = sampleBytes(what === 'segments' ? largeBytes : 990_000);
      const nowhere = await failureOf(upload(bytes, 'cf://nowhere/a.mp4', {}, via));
      assert.is(nowhere.errorClass, 'FileNotFoundError');
      assert.match(nowhere.message, /no container "nowhere"/);
      const films = await container();
      await swift.ask('POST', films, { headers: { 'x-container-meta-quota-bytes': '1' } });
      const full = await failureOf(upload(bytes, `cf://${films}/a.mp4`, {}, via));
      assert.match(full.message, /no space/);
      assert.equal(await swift.list(films), []);
    });
  }

  test.run();
}
