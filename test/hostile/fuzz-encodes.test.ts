import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonProcess, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { correct } from '../helpers/fuzz/check-rejection.js';
import { caseSeeds, createChoices } from '../helpers/fuzz/choices.js';
import { FuzzClient } from '../helpers/fuzz/fuzz-client.js';
import { generateRequest } from '../helpers/fuzz/generate-request.js';
import { makeMediaKinds } from '../helpers/fuzz/media-kinds.js';
import { megabytes, watchMemory } from '../helpers/fuzz/process-memory.js';
import { runCase } from '../helpers/fuzz/run-case.js';
import { smallRequest } from '../helpers/fuzz/small-request.js';
import { createSuiteReport } from '../helpers/fuzz/suite-report.js';
import { suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Generated requests that the daemon accepts, encoded from a film of a second. The film is valid, so an error of the encoder means that a
 * request led to wrong arguments.
 */

const test = suite<{ daemon: DaemonProcess }>('encodes of generated requests');
const { seed, isLong } = suiteOptions();
const requestCount = isLong ? 500 : 15;
const workerCount = 3;
const maxFindings = 20;
const folder = tempFolder();
/** Classes that a valid film may fail with, because of the settings. */
const expected = [
  ...[
    'finished',
    'skipped',
    'CaptionError',
    'InvalidVideoSettingsError',
    'InvalidAudioSettingsError',
    'no input',
  ],
  ...[
    'InvalidCodecCombinationError',
    'SegmentingError',
    'SourceFailedError',
    'SkippedSourceError',
    'NoMediaError',
  ],
];

test.before(async (context) => {
  const flags = ['--jobs=2', '--min-free=0', '--grace=0s', `--files-root=${folder}`];
  context.daemon = await startDaemonProcess(tempFolder(), flags);
});
test.after(async ({ daemon }) => {
  await daemon.end('SIGTERM');
});

test('each accepted request is encoded, or fails with a class about its settings', async ({ daemon }) => {
  const report = createSuiteReport('fuzz encodes');
  await makeMediaKinds(folder);
  const address = (name: string) => pathToFileURL(join(folder, name)).href;
  const files = {
    input: address('a.mp4'),
    watermark: address('watermark.png'),
    captions: address('captions.srt'),
  };
  const memory = watchMemory(daemon.pid);
  const client = new FuzzClient(daemon.url, processKey, createSuiteReport('requests'));
  const seeds = caseSeeds(seed, requestCount).values();
  const worker = async () => {
    for (const own of seeds) {
      if (report.findingCount() >= maxFindings) return;
      const began = performance.now();
      const request = smallRequest(generateRequest(createChoices(own)), files);
      const about = `seed ${own}: ${JSON.stringify(request)}`;
      try {
        const answer = await client.create(request);
        const valid = answer.ok ? request : await correct(client, request, answer.errors);
        for (const outcome of await runCase(client, valid, about)) {
          report.count(outcome);
          if (!expected.includes(outcome))
            report.find(new Error(`${outcome} of a valid film: ${JSON.stringify(valid)}`));
        }
      } catch (error) {
        report.find(error);
      }
      report.took(performance.now() - began, `seed ${own}`);
    }
  };
  await Promise.all(Array.from({ length: workerCount }, worker));
  const { daemonBytes, childBytes, child } = memory.peak();
  memory.stop();
  report.close({
    'daemon memory': megabytes(daemonBytes),
    'memory of a program': `${megabytes(childBytes)} (${child})`,
  });
  assert.is(report.findingCount(), 0, 'there are findings');
});

test.run();
