import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobProgressRecord } from '../../src/api/records.js';
import type { OutputSettings } from '../../src/api/settings/index.js';
import { readSse, sseStart } from '../../src/client/sse.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite<{ daemon: TestDaemon; input: string }>('the progress of a long encode');

test.before(async (context) => {
  const folder = tempFolder();
  const path = join(folder, 'long.mp4');
  await makeMedia(path, film('640x360', 40));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  Object.assign(context, { daemon, input: pathToFileURL(path).href });
});
test.after(async ({ daemon }) => {
  await daemon.stop();
});

/** What was told, and when, in seconds since the job was made. */
type Told = readonly (readonly [number, JobProgressRecord])[];

async function follow(daemon: TestDaemon, id: number): Promise<Told> {
  const begun = performance.now();
  const { body } = await daemon.request(`/v2/jobs/${id}/events`);
  const told: (readonly [number, JobProgressRecord])[] = [];
  let reading = sseStart;
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) {
    const { messages, ...rest } = readSse(reading, decoder.decode(bytes, { stream: true }));
    reading = rest.state;
    for (const { data } of messages) told.push([(performance.now() - begun) / 1000, JSON.parse(data)]);
  }
  return told;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/**
 * Whether the second half of the way went at the pace of the first, by a quarter. Where a machine is busy with something else for a
 * while, nobody can foretell that, and only what holds at any time is looked at.
 */
function isSteady(told: Told): boolean {
  const [end = 0] = told.at(-1) ?? [];
  const at = (percent: number) => told.find(([, { progress }]) => progress >= percent)?.[0] ?? end;
  const ratio = (end - at(55)) / (at(55) - at(10));
  return ratio > 0.8 && ratio < 1.25;
}

const cases: readonly (readonly [string, OutputSettings])[] = [
  ['one pass', { speed: 1 }],
  ['two passes', { speed: 2, video_bitrate: 800 }],
];

for (const [name, settings] of cases) {
  test(`in ${name}, it rises as time goes by, and the time left is foretold`, async ({ daemon, input }) => {
    const told = await follow(daemon, await daemon.create({ input, outputs: [settings] }));
    const [end = 0, last] = told.at(-1) ?? [];
    assert.is(last?.state, 'finished', JSON.stringify(last));
    for (const [index, [, { progress }]] of told.entries()) {
      assert.ok(progress >= (told[index - 1]?.[1].progress ?? 0), `${progress}`);
    }
    const errors = told.flatMap(([at, { outputs }]) => {
      const eta = outputs[0]?.eta_in_ms;
      const left = end - at;
      return eta === undefined || at < end / 4 || left < 1 ? [] : [Math.abs(eta / 1000 - left) / left];
    });
    assert.ok(errors.length > 5, `only ${errors.length} reports in ${end} s`);
    const astray = told.map(([at, { progress }]) => Math.abs(progress / 100 - at / end));
    const [mostAstray, greatestError] = isSteady(told) ? [0.1, 0.2] : [0.4, 1];
    assert.ok(median(astray) < mostAstray, `progress is ${median(astray)} from the time gone by`);
    assert.ok(median(errors) < greatestError, `the time left is ${median(errors)} off`);
  });
}

test.run();
