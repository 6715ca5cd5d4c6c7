import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Transport } from '../../../daemon/transports/transport.js';
import { commonCases } from './common-troubles.js';
import { factsOf, faultOf, rejectionOf, sampleBytes, scratchFolder, transferOf } from './evidence.js';
import type { PromiseBook } from './promises.js';
import { oddNames, type UploadSide } from './transport-harness.js';

const largeBytes = 5 * 1024 * 1024 + 7;

/** The promises of a transport's uploads. */
export function uploadFacts(book: PromiseBook, side: UploadSide, transport: () => Transport): void {
  const { test } = book;
  const over = (one: Transport): NonNullable<Transport['upload']> => {
    if (one.upload === undefined) throw new TypeError('the transport uploads nothing');
    return one.upload;
  };
  const upload: NonNullable<Transport['upload']> = (...parts) => over(transport())(...parts);
  const product = (bytes: Buffer): string => {
    const path = join(scratchFolder(), 'out');
    writeFileSync(path, bytes);
    return path;
  };

  for (const sizeBytes of [0, 1, largeBytes]) {
    test(`a product of ${sizeBytes} bytes is delivered as it is, measured`, async () => {
      const bytes = sampleBytes(sizeBytes);
      const facts = await upload(product(bytes), side.urlOf('plain.mp4'), transferOf());
      assert.equal(facts, factsOf(bytes));
      assert.ok((await side.read('plain.mp4'))?.equals(bytes));
    });
  }

  for (const name of oddNames) {
    const title = `a product can be named ${name.slice(0, 24)}`;
    const body = async () => {
      assert.is(await transport().checkOutput?.(side.urlOf(name), 'default'), null);
      await upload(product(Buffer.from(name)), side.urlOf(name), transferOf());
      assert.is((await side.read(name))?.toString(), name);
    };
    test('a product can have an odd name', body, title);
  }

  test('a product replaces what stood under its name', async () => {
    await upload(product(sampleBytes(9)), side.urlOf('again.mp4'), transferOf());
    await upload(product(sampleBytes(5)), side.urlOf('again.mp4'), transferOf());
    assert.ok((await side.read('again.mp4'))?.equals(sampleBytes(5)));
  });

  test('what was delivered can be taken away as if it had never been there, once and again', async () => {
    const before = await side.list();
    await upload(product(sampleBytes(9)), side.urlOf('gone.mp4'), transferOf());
    for (const _ of ['once', 'again']) await transport().remove?.(side.urlOf('gone.mp4'));
    assert.is(await side.read('gone.mp4'), null);
    assert.equal(await side.list(), before);
  });

  if (side.clearsFolders === true) {
    test('folders that were made for what is taken away go with the last of it', async () => {
      const before = await side.list();
      const urls = ['made/for/one.mp4', 'made/for/two.mp4'].map(side.urlOf);
      for (const url of urls) await upload(product(sampleBytes(9)), url, transferOf());
      for (const url of urls.toReversed()) await transport().remove?.(url);
      assert.equal(await side.list(), before);
    });
  }

  test('an upload tells that all of it is there, and shows nothing under its name before', async () => {
    const told: [number, number | null][] = [];
    const early: Promise<Buffer | null>[] = [];
    const onProgress = (done: number, total: number | null) => {
      told.push([done, total]);
      if (done < largeBytes) early.push(side.read('seen.mp4'));
    };
    const from = product(sampleBytes(largeBytes));
    await upload(from, side.urlOf('seen.mp4'), transferOf({ onProgress }));
    assert.equal(told.at(-1), [largeBytes, largeBytes]);
    for (const seen of await Promise.all(early)) assert.ok(seen === null || seen.byteLength === largeBytes);
  });

  test('an upload that is stopped leaves nothing', async () => {
    const before = await side.list();
    const controller = new AbortController();
    const onProgress = () => controller.abort('cancelled');
    const transfer = transferOf({ signal: controller.signal, onProgress });
    const name = side.hasFolders === true ? 'new folder/deeper/stopped.mp4' : 'stopped.mp4';
    const work = upload(product(sampleBytes(largeBytes)), side.urlOf(name), transfer);
    assert.is(await rejectionOf(work), 'cancelled');
    assert.equal(await side.list(), before);
  });

  if (side.hasFolders === true) {
    test('folders in the name of a product are made', async () => {
      await upload(product(sampleBytes(3)), side.urlOf('a b/ü/c.mp4'), transferOf());
      assert.ok((await side.read('a b/ü/c.mp4'))?.equals(sampleBytes(3)));
    });
  }

  const { cases, without } = commonCases('upload', side.common);
  for (const { what, errorClass, url, transport: own } of [...cases, ...side.troubles]) {
    test(`an upload tells of ${what} as ${errorClass}, and leaves nothing`, async () => {
      const to = await url();
      const before = await side.list();
      const bytes = sampleBytes(what === 'a full target' ? largeBytes : 3);
      const fault = await faultOf(over(own ?? transport())(product(bytes), to, transferOf()));
      assert.is(fault.errorClass, errorClass, fault.message);
      if (what === 'a full target') assert.match(fault.message, /\b(room|space|quota|full)\b/);
      assert.equal(await side.list(), before);
    });
  }
  for (const { what, errorClass, why } of without)
    book.notApplicable(`an upload tells of ${what} as ${errorClass}, and leaves nothing`, why);
}
