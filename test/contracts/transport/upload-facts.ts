import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Transport } from '../../../daemon/transports/transport.js';
import { commonCases } from './common-error-cases.js';
import type { ContractRecorder } from './contract-recorder.js';
import { factsOf, failureOf, rejectionOf, sampleBytes, scratchFolder, transferOf } from './evidence.js';
import { oddNames, type UploadSetup } from './transport-harness.js';

const largeBytes = 5 * 1024 * 1024 + 7;

/** Tests of uploads. */
export function uploadFacts(
  recorder: ContractRecorder,
  setup: UploadSetup,
  transport: () => Transport,
): void {
  const { test } = recorder;
  const over = (one: Transport): NonNullable<Transport['upload']> => {
    if (one.upload === undefined) throw new TypeError('the transport does not support uploads');
    return one.upload;
  };
  const upload: NonNullable<Transport['upload']> = (...parts) => over(transport())(...parts);
  const product = (bytes: Buffer): string => {
    const path = join(scratchFolder(), 'out');
    writeFileSync(path, bytes);
    return path;
  };

  for (const sizeBytes of [0, 1, largeBytes]) {
    test(`an output of ${sizeBytes} bytes is uploaded unchanged and measured`, async () => {
      const bytes = sampleBytes(sizeBytes);
      const facts = await upload(product(bytes), setup.urlOf('plain.mp4'), transferOf());
      assert.equal(facts, factsOf(bytes));
      assert.ok((await setup.read('plain.mp4'))?.equals(bytes));
    });
  }

  for (const name of oddNames) {
    const title = `an output can be named ${name.slice(0, 24)}`;
    const body = async () => {
      assert.is(await transport().checkOutput?.(setup.urlOf(name), 'default'), null);
      await upload(product(Buffer.from(name)), setup.urlOf(name), transferOf());
      assert.is((await setup.read(name))?.toString(), name);
    };
    test('an output can have an odd name', body, title);
  }

  test('an upload replaces an existing file', async () => {
    await upload(product(sampleBytes(9)), setup.urlOf('again.mp4'), transferOf());
    await upload(product(sampleBytes(5)), setup.urlOf('again.mp4'), transferOf());
    assert.ok((await setup.read('again.mp4'))?.equals(sampleBytes(5)));
  });

  test('an uploaded file can be removed without a trace, and removed again', async () => {
    const before = await setup.list();
    await upload(product(sampleBytes(9)), setup.urlOf('gone.mp4'), transferOf());
    for (const _ of ['once', 'again']) await transport().remove?.(setup.urlOf('gone.mp4'));
    assert.is(await setup.read('gone.mp4'), null);
    assert.equal(await setup.list(), before);
  });

  if (setup.clearsFolders === true) {
    test('removing the last file of a folder that an upload created removes the folder', async () => {
      const before = await setup.list();
      const urls = ['made/for/one.mp4', 'made/for/two.mp4'].map(setup.urlOf);
      for (const url of urls) await upload(product(sampleBytes(9)), url, transferOf());
      for (const url of urls.toReversed()) await transport().remove?.(url);
      assert.equal(await setup.list(), before);
    });
  }

  test('an upload reports its completion, and nothing appears under its name before', async () => {
    const progressReports: [number, number | null][] = [];
    const early: Promise<Buffer | null>[] = [];
    const onProgress = (done: number, total: number | null) => {
      progressReports.push([done, total]);
      if (done < largeBytes) early.push(setup.read('seen.mp4'));
    };
    const from = product(sampleBytes(largeBytes));
    await upload(from, setup.urlOf('seen.mp4'), transferOf({ onProgress }));
    assert.equal(progressReports.at(-1), [largeBytes, largeBytes]);
    for (const seen of await Promise.all(early)) assert.ok(seen === null || seen.byteLength === largeBytes);
  });

  test('an upload that is cancelled leaves nothing', async () => {
    const before = await setup.list();
    const controller = new AbortController();
    const onProgress = () => controller.abort('cancelled');
    const transfer = transferOf({ signal: controller.signal, onProgress });
    const name = setup.hasFolders === true ? 'new folder/deeper/stopped.mp4' : 'stopped.mp4';
    const work = upload(product(sampleBytes(largeBytes)), setup.urlOf(name), transfer);
    assert.is(await rejectionOf(work), 'cancelled');
    assert.equal(await setup.list(), before);
  });

  if (setup.hasFolders === true) {
    test('folders in the name of an output are created', async () => {
      await upload(product(sampleBytes(3)), setup.urlOf('a b/ü/c.mp4'), transferOf());
      assert.ok((await setup.read('a b/ü/c.mp4'))?.equals(sampleBytes(3)));
    });
  }

  const { cases, inapplicable } = commonCases('upload', setup.common);
  for (const { what, errorClass, url, transport: own } of [...cases, ...setup.errorCases]) {
    test(`an upload reports ${what} as ${errorClass} and leaves nothing`, async () => {
      const to = await url();
      const before = await setup.list();
      const bytes = sampleBytes(what === 'a full destination' ? largeBytes : 3);
      const failure = await failureOf(over(own ?? transport())(product(bytes), to, transferOf()));
      assert.is(failure.errorClass, errorClass, failure.message);
      if (what === 'a full destination') assert.match(failure.message, /\b(room|space|quota|full)\b/);
      assert.equal(await setup.list(), before);
    });
  }
  for (const { what, errorClass, why } of inapplicable)
    recorder.notApplicable(`an upload reports ${what} as ${errorClass} and leaves nothing`, why);
}
