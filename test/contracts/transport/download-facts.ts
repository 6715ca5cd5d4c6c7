import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Transport } from '../../../daemon/transports/transport.js';
import { commonCases } from './common-error-cases.js';
import type { ContractRecorder } from './contract-recorder.js';
import {
  contentsOf,
  factsOf,
  failureOf,
  rejectionOf,
  sampleBytes,
  scratchFolder,
  transferOf,
} from './evidence.js';
import { type DownloadSetup, oddNames } from './transport-harness.js';

/** Large enough to arrive in many chunks. */
const largeBytes = 5 * 1024 * 1024 + 7;

/** Tests of downloads. */
export function downloadFacts(
  recorder: ContractRecorder,
  setup: DownloadSetup,
  transport: () => Transport,
): void {
  const { test } = recorder;
  const over = (one: Transport): NonNullable<Transport['download']> => {
    if (one.download === undefined) throw new TypeError('the transport does not support downloads');
    return one.download;
  };
  const download: NonNullable<Transport['download']> = (...parts) => over(transport())(...parts);

  for (const sizeBytes of [0, 1, largeBytes]) {
    test(`a file of ${sizeBytes} bytes is downloaded unchanged and measured`, async () => {
      const bytes = sampleBytes(sizeBytes);
      const folder = scratchFolder();
      const facts = await download(await setup.offer('plain.mp4', bytes), join(folder, 'in'), transferOf());
      assert.equal(facts, factsOf(bytes));
      assert.ok(readFileSync(join(folder, 'in')).equals(bytes));
      assert.equal(contentsOf(folder), ['in']);
    });
  }

  for (const name of oddNames) {
    const title = `an input named ${name.slice(0, 24)} is found and downloaded`;
    const body = async () => {
      const bytes = Buffer.from(name);
      const url = await setup.offer(name, bytes);
      assert.is(await transport().checkInput?.(url, 'default'), null);
      const path = join(scratchFolder(), 'in');
      await download(url, path, transferOf());
      assert.is(readFileSync(path, 'utf8'), name);
    };
    test('an input with an odd name is found and downloaded', body, title);
  }

  const progressReports = 'the size of an input is known before the download';
  test(progressReports, async () => {
    const { sizeOf } = transport();
    if (sizeOf === undefined)
      return recorder.notApplicable(progressReports, 'the size is known only during the download');
    const { signal } = new AbortController();
    assert.is(await sizeOf(await setup.offer('plain.mp4', sampleBytes(largeBytes)), signal), largeBytes);
  });

  test('a download reports its progress and its completion', async () => {
    const progressReports: [number, number | null][] = [];
    const url = await setup.offer('plain.mp4', sampleBytes(largeBytes));
    const onProgress = (done: number, total: number | null) => progressReports.push([done, total]);
    await download(url, join(scratchFolder(), 'in'), transferOf({ onProgress }));
    assert.equal(progressReports.at(-1), [largeBytes, largeBytes]);
    assert.equal(
      progressReports,
      progressReports.toSorted(([a], [b]) => a - b),
    );
  });

  test('a download does not appear under its name before it is complete', async () => {
    const path = join(scratchFolder(), 'in');
    let early = 0;
    const url = await setup.offer('plain.mp4', sampleBytes(largeBytes));
    const onProgress = (done: number) => {
      if (done < largeBytes && existsSync(path)) early += 1;
    };
    await download(url, path, transferOf({ onProgress }));
    assert.is(early, 0);
  });

  test('a download that is cancelled before it starts leaves nothing', async () => {
    const folder = scratchFolder();
    const url = await setup.offer('plain.mp4', sampleBytes(10));
    const signal = AbortSignal.abort('cancelled');
    assert.is(await rejectionOf(download(url, join(folder, 'in'), transferOf({ signal }))), 'cancelled');
    assert.equal(contentsOf(folder), []);
  });

  if (setup.isOneStep !== true) {
    test('a download that is cancelled halfway leaves nothing', async () => {
      const folder = scratchFolder();
      const url = await setup.offer('plain.mp4', sampleBytes(largeBytes));
      const controller = new AbortController();
      const onProgress = () => controller.abort('cancelled');
      const transfer = transferOf({ signal: controller.signal, onProgress });
      assert.is(await rejectionOf(download(url, join(folder, 'in'), transfer)), 'cancelled');
      assert.equal(contentsOf(folder), []);
    });
  }

  const { cases, inapplicable } = commonCases('download', setup.common);
  for (const { what, errorClass, url, transport: own } of [...cases, ...setup.errorCases]) {
    test(`a download reports ${what} as ${errorClass} and leaves nothing`, async () => {
      const folder = scratchFolder();
      const work = over(own ?? transport())(await url(), join(folder, 'in'), transferOf());
      const failure = await failureOf(work);
      assert.is(failure.errorClass, errorClass, failure.message);
      assert.equal(contentsOf(folder), []);
    });
  }
  for (const { what, errorClass, why } of inapplicable)
    recorder.notApplicable(`a download reports ${what} as ${errorClass} and leaves nothing`, why);
}
