import { PassThrough } from 'node:stream';
import * as assert from 'uvu/assert';
import { waitUntil } from '../../helpers/wait-until.js';
import { failureOf, rejectionOf, sampleBytes } from '../transport/evidence.js';
import { contentOf, neverAborted, receiveContent, refTo, type StoreTest } from './store-context.js';

/** Tests of the names of uploads, and of uploads that end early. */
export function receiveFacts(test: StoreTest): void {
  test('each received file gets its own token, even if names are equal', async ({ store }) => {
    const [first, second] = await Promise.all([
      receiveContent(store, Buffer.from('x')),
      receiveContent(store, Buffer.from('y')),
    ]);
    assert.is.not(first.token, second.token);
    assert.is(String(await contentOf(store, refTo(second.token))), 'y');
  });

  for (const fileName of ['', '.', '..', 'a/b', 'a\0b', 'x'.repeat(256), 'ü'.repeat(128), '\ud800']) {
    test(`a file named ${JSON.stringify(fileName.slice(0, 12))} is rejected`, async ({ store, harness }) => {
      const failure = await failureOf(receiveContent(store, Buffer.from('x'), fileName));
      assert.is(failure.errorClass, 'InvalidRequestError');
      assert.equal(await harness.files(), []);
    });
  }

  test('a file with the longest name is kept', async ({ store }) => {
    const { token, name: fileName } = await receiveContent(store, Buffer.from('x'), `${'ü'.repeat(125)}.mp4`);
    assert.is(String(await contentOf(store, refTo(token, fileName))), 'x');
  });

  test('a file has no name while it is being received', async ({ store, harness }) => {
    const body = new PassThrough();
    const receiving = store.receive(body, 'a.mp4', 'me', neverAborted);
    // More than one part of an upload to a bucket.
    for (let count = 0; count < 20; count += 1)
      if (!body.write(sampleBytes(1_000_000)))
        await waitUntil('it has been read', () => body.writableLength === 0);
    assert.equal(
      (await harness.files()).filter((path) => path.endsWith('a.mp4')),
      [],
    );
    body.end('whole');
    const { token } = await receiving;
    assert.equal(await harness.files(), [`${token}/a.mp4`]);
  });

  /**
   * How an upload ends early, the class of its error, and the time without data that ends it: too long for a pause of a
   * busy machine, unless the upload stops.
   */
  const failures = [
    ['stops sending', 'DownloadTimeoutError', () => {}, 300],
    ['breaks off', 'DownloadFailureError', (body: PassThrough) => body.destroy(new Error('reset')), 60_000],
  ] as const;
  for (const [what, errorClass, fail, stallTimeoutMs] of failures) {
    for (const mebibytes of [0, 20]) {
      test(`an upload that ${what} after ${mebibytes} MiB leaves nothing`, async ({ harness, open }) => {
        const store = open({ stallTimeoutMs });
        const body = new PassThrough();
        const receiving = failureOf(store.receive(body, 'a.mp4', 'me', neverAborted));
        for (let count = 0; count < mebibytes; count += 1) {
          body.write(Buffer.alloc(1 << 20));
          await waitUntil('it has been read', () => body.readableLength === 0 && body.writableLength === 0);
        }
        body.write('half');
        await waitUntil('it has been read', () => body.readableLength === 0);
        fail(body);
        assert.is((await receiving).errorClass, errorClass);
        assert.ok(body.destroyed);
        assert.equal(await harness.files(), []);
      });
    }
  }

  test('an aborted upload leaves nothing', async ({ store, harness }) => {
    const controller = new AbortController();
    const body = new PassThrough();
    const receiving = rejectionOf(store.receive(body, 'a.mp4', 'me', controller.signal));
    body.write('half', () => controller.abort('draining'));
    assert.is(await receiving, 'draining');
    assert.equal(await harness.files(), []);
  });
}
