import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { readTimedEvents } from '../helpers/read-timed-events.js';
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

const cases: readonly (readonly [string, OutputSettings])[] = [
  ['one pass', { speed: 1 }],
  ['two passes', { speed: 2, video_bitrate: 800 }],
];

for (const [name, settings] of cases) {
  test(`in ${name}, progress rises to 100 and reports the time left`, async ({ daemon, input }) => {
    const id = await daemon.create({ input, outputs: [settings] });
    const events = await readTimedEvents(await daemon.request(`/v2/jobs/${id}/events`));
    const [, last] = events.at(-1) ?? [];
    assert.is(last?.state, 'finished', JSON.stringify(last));
    for (const [index, [, { progress }]] of events.entries()) {
      assert.ok(progress >= (events[index - 1]?.[1].progress ?? 0), `${progress}`);
    }
    // bench/ measures the accuracy. A test would fail on a busy machine.
    const withEta = events.filter(([, { outputs }]) => outputs[0]?.eta_in_ms !== undefined);
    assert.ok(withEta.length > 5, `only ${withEta.length} of ${events.length} reports`);
    const [first, final] = [withEta[0], withEta.at(-1)].map(
      (report) => report?.[1].outputs[0]?.eta_in_ms ?? 0,
    );
    assert.ok((final ?? 0) < (first ?? 0), `the time left went from ${first} to ${final}`);
  });
}

test.run();
