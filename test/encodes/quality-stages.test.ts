import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { JobProgressRecord, OutputMediaFile } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { type DaemonProcess, killDaemons } from '../helpers/daemon-process.js';
import { testFfmpeg } from '../helpers/media.js';
import { pollUntil, waitUntil, waitUntilScratchIsEmpty } from '../helpers/wait-until.js';
import { ask, create, details, progress, setUpCrash, workingIn } from './crash-harness.js';

/*
 * Kills, pauses and cancels in the stages of `quality_target`: the search, and the check of the encoded file.
 */
const { measurer } = await testFfmpeg();

const eventOf = (record: JobProgressRecord) => record.outputs[0]?.current_event ?? '';
const isSearching = (record: JobProgressRecord) => eventOf(record).startsWith('search');
const isChecking = (record: JobProgressRecord) => eventOf(record) === 'check';

function requireReached({ quality }: Partial<OutputMediaFile>): void {
  assert.ok(Math.abs((quality?.mean ?? 0) - 85) <= 1, JSON.stringify(quality));
  assert.equal([quality?.target, quality?.check], [85, 'full']);
}

/**
 * Its programs run for so long that a poll, a pause and a kill find each of them; one of half a second may end before.
 */
const longTarget = (folder: string) => ({
  ...{ quality_target: 85, url: `file://${folder}/out.mp4`, overwrite: true },
  ...{ clip_length: 3, width: 640 },
});

if (measurer === null) process.stdout.write('skipped: no ffmpeg with libvmaf\n');
else {
  test('a job survives kill -9 in its search and in its check, and does not repeat a finished search', async () => {
    const { folder, data, input, start } = await setUpCrash();
    const first = await start();
    const id = await create(first, { input, outputs: [longTarget(folder)] });
    await pollUntil(() => progress(first, id), isSearching);
    await first.end('SIGKILL');

    const second = await start();
    await pollUntil(() => progress(second, id), isSearching);
    await pollUntil(() => progress(second, id), isChecking);
    await second.end('SIGKILL');

    const third = await start();
    // It begins with the writes that the one before had only in its journal.
    const path = join(data, 'jobs', 'active', `${id}.json`);
    const { job: stored } = JSON.parse(await readFile(path, 'utf8')) as { job: Job };
    const { search } = stored.outputs[0] ?? {};
    assert.ok((search?.probes.length ?? 0) >= 1);
    const events = new Set<string>();
    await pollUntil(
      async () => {
        const record = await progress(third, id);
        events.add(eventOf(record));
        return record;
      },
      ({ state }) => isFinal(state),
    );
    assert.not([...events].some((event) => event.startsWith('search')));
    const { state, output_media_files: outputs } = await details(third, id);
    assert.is(state, 'finished');
    requireReached(outputs[0] ?? {});
    // A second search would have other times.
    assert.equal(outputs[0]?.quality?.probes, search?.probes);
    await waitUntilScratchIsEmpty(data);
    assert.equal(await workingIn(join(data, 'scratch')), []);
    assert.is(await third.end('SIGTERM'), 0);
  });

  test('a pause with now stops the search and the check, which go on after the resume, and each can be cancelled', async () => {
    const { folder, data, input, start } = await setUpCrash();
    const daemon: DaemonProcess = await start();
    const scratch = join(data, 'scratch');
    const put = (path: string, body: object = {}) =>
      ask(daemon, path, { method: 'PUT', body: JSON.stringify(body) });
    /** Waits until programs work in the scratch folder, stops them, and waits until each is stopped. */
    const freeze = async () => {
      await waitUntil('programs run', async () => (await workingIn(scratch)).length > 0);
      assert.is((await put('/v2/queue/pause', { now: true })).status, 200);
      await waitUntil('all programs are stopped', async () => {
        const states = await Promise.all((await workingIn(scratch)).map(stateOf));
        return states.length > 0 && states.every((state) => state === 'T');
      });
    };
    const resume = () => put('/v2/queue/resume');

    const id = await create(daemon, { input, outputs: [longTarget(folder)] });
    for (const isStage of [isSearching, isChecking]) {
      await pollUntil(() => progress(daemon, id), isStage);
      await freeze();
      assert.ok(isStage(await progress(daemon, id)));
      await resume();
    }
    await pollUntil(
      () => progress(daemon, id),
      ({ state }) => isFinal(state),
    );
    const { state, output_media_files: outputs } = await details(daemon, id);
    assert.is(state, 'finished');
    requireReached(outputs[0] ?? {});

    const measured = { ...longTarget(folder), quality_target: undefined, measure_quality: true };
    for (const [output, isStage] of [
      [longTarget(folder), isSearching] as const,
      [measured, isChecking] as const,
    ]) {
      const cancelled = await create(daemon, { input, outputs: [output] });
      await pollUntil(() => progress(daemon, cancelled), isStage);
      await freeze();
      assert.is((await put(`/v2/jobs/${cancelled}/cancel`)).status, 204);
      await waitUntilScratchIsEmpty(data);
      assert.equal(await workingIn(scratch), []);
      assert.is((await progress(daemon, cancelled)).state, 'cancelled');
      await resume();
    }
    assert.is(await daemon.end('SIGTERM'), 0);
  });
}

/** The letter of the state of a process: `T` if it is stopped. */
async function stateOf(pid: string): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s+(\w)/m.exec(status)?.[1];
}

test.after(killDaemons);

test.run();
