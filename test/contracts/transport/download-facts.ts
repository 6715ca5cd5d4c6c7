import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Transport } from '../../../daemon/transports/transport.js';
import {
  contentsOf,
  factsOf,
  faultOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from './evidence.js';
import { type DownloadSide, oddNames } from './transport-harness.js';

/** Large enough to come in many pieces. */
const largeBytes = 5 * 1024 * 1024 + 7;

/** The promises of a transport's downloads. */
export function downloadFacts(test: Test, side: DownloadSide, transport: () => Transport): void {
  const download: NonNullable<Transport['download']> = (from, toPath, transfer) => {
    const work = transport().download;
    if (work === undefined) throw new TypeError('the transport downloads nothing');
    return work(from, toPath, transfer);
  };

  for (const sizeBytes of [0, 1, largeBytes]) {
    test(`a file of ${sizeBytes} bytes comes as it is, measured`, async () => {
      const bytes = sampleBytes(sizeBytes);
      const folder = scratchFolder();
      const facts = await download(await side.offer('plain.mp4', bytes), join(folder, 'in'), transferOf());
      assert.equal(facts, factsOf(bytes));
      assert.ok(readFileSync(join(folder, 'in')).equals(bytes));
      assert.equal(contentsOf(folder), ['in']);
    });
  }

  for (const name of oddNames) {
    test(`an input named ${name.slice(0, 24)} is found and taken`, async () => {
      const bytes = Buffer.from(name);
      const url = await side.offer(name, bytes);
      assert.is(await transport().checkInput?.(url, 'default'), null);
      const path = join(scratchFolder(), 'in');
      await download(url, path, transferOf());
      assert.is(readFileSync(path, 'utf8'), name);
    });
  }

  test('a download tells how far it is, and that all of it is there', async () => {
    const told: [number, number | null][] = [];
    const url = await side.offer('plain.mp4', sampleBytes(largeBytes));
    const onProgress = (done: number, total: number | null) => told.push([done, total]);
    await download(url, join(scratchFolder(), 'in'), transferOf({ onProgress }));
    assert.equal(told.at(-1), [largeBytes, largeBytes]);
    assert.equal(
      told,
      told.toSorted(([a], [b]) => a - b),
    );
  });

  test('a download is not to be seen under its name before it is whole', async () => {
    const path = join(scratchFolder(), 'in');
    let early = 0;
    const url = await side.offer('plain.mp4', sampleBytes(largeBytes));
    const onProgress = (done: number) => {
      if (done < largeBytes && existsSync(path)) early += 1;
    };
    await download(url, path, transferOf({ onProgress }));
    assert.is(early, 0);
  });

  test('a download that is stopped before it begins leaves nothing', async () => {
    const folder = scratchFolder();
    const url = await side.offer('plain.mp4', sampleBytes(10));
    const signal = AbortSignal.abort('cancelled');
    assert.is(await rejectionOf(download(url, join(folder, 'in'), transferOf({ signal }))), 'cancelled');
    assert.equal(contentsOf(folder), []);
  });

  if (side.isOneStep !== true) {
    test('a download that is stopped on its way leaves nothing', async () => {
      const folder = scratchFolder();
      const url = await side.offer('plain.mp4', sampleBytes(largeBytes));
      const controller = new AbortController();
      const onProgress = () => controller.abort('cancelled');
      const transfer = transferOf({ signal: controller.signal, onProgress });
      assert.is(await rejectionOf(download(url, join(folder, 'in'), transfer)), 'cancelled');
      assert.equal(contentsOf(folder), []);
    });
  }

  for (const { what, errorClass, url } of side.troubles) {
    test(`a download tells of ${what} as ${errorClass}, and leaves nothing`, async () => {
      const folder = scratchFolder();
      const fault = await faultOf(download(await url(), join(folder, 'in'), transferOf()));
      assert.is(fault.errorClass, errorClass, fault.message);
      assert.equal(contentsOf(folder), []);
    });
  }
}
