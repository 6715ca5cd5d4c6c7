import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/client.js';
import {
  createPollingSchedule,
  type PollingSchedule,
  pollingLimitsFor,
} from '../../src/client/polling-schedule.js';
import { isVencError } from '../../src/shared/errors.js';
import { abortableSleep as realPause } from '../../src/shared/util/timing.js';
import { WatchSession } from '../../src/tui/watch-session.js';
import { watchExitCode } from '../../src/tui/watch-state.js';
import type { WatchKey, WatchState } from '../../src/tui/watch-types.js';
import {
  type ControllableService,
  startControllableService,
} from '../helpers/servers/controllable-service.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { waitUntil } from '../helpers/wait-until.js';

/** Replaces the terminal: records what is drawn, and presses keys. */
class ScreenFixture {
  readonly drawn: WatchState[] = [];
  readonly operations: string[] = [];
  press: (...keys: readonly WatchKey[]) => void = () => {};
  failure: (error: unknown) => void = () => {};

  open(
    url: string,
    ids: readonly number[],
    { signal, schedule }: { readonly signal?: AbortSignal; readonly schedule?: PollingSchedule } = {},
  ): Promise<WatchState> {
    const life = new WatchSession({
      client: createClient({ url, apiKey: 'key-of-the-fake-service' }),
      ids,
      signal,
      ...(schedule === undefined ? {} : { schedule }),
      mount: (first, { onKeys, onError }) => {
        this.drawn.push(first);
        this.press = (...keys) => onKeys(keys);
        this.failure = onError;
        return {
          draw: (state) => void this.drawn.push(state),
          close: (last) => void this.operations.push(last === null ? 'close' : 'close, the last frame left'),
        };
      },
    });
    return life.run();
  }

  shows(what: string, isSo: (state: WatchState) => boolean): Promise<void> {
    return waitUntil(what, () => this.drawn.some(isSo));
  }
}

const test = suite<{ service: ControllableService; screen: ScreenFixture }>('WatchSession');

test.before.each(async (fixture) => {
  fixture.service = await startControllableService(7);
  fixture.service.open();
  fixture.screen = new ScreenFixture();
});
test.after.each(({ service }) => service.close());

test('it draws before it sends a request, loads the names, and ends with the job', async ({
  service,
  screen,
}) => {
  const ending = screen.open(service.url, [7]);
  assert.is(screen.drawn.length, 1);
  assert.is(service.asked(), 0);
  await screen.shows('the name of the output', ({ jobs: [job] }) => job?.names.get(9) === 'web');
  service.move(100);
  assert.is(watchExitCode(await ending), 0);
  assert.equal(screen.operations, ['close, the last frame left']);
});

test('without ids it watches active jobs, shows new ones, and stays until the user quits', async ({
  service,
  screen,
}) => {
  service.move(100);
  const ending = screen.open(service.url, []);
  await screen.shows(
    'that no job is active',
    ({ isFindingJobs: isListing, jobs }) => !isListing && jobs.length === 0,
  );
  service.move(5);
  await screen.shows('the job', ({ jobs: [job] }) => job?.state === 'processing' && job.percent === 5);
  service.move(100);
  await screen.shows('its end', ({ jobs: [job] }) => job?.state === 'finished');
  screen.press('quit');
  assert.is(watchExitCode(await ending), 0);
});

test('a job that was cancelled and resubmitted while another one runs is followed again', async ({
  service,
  screen,
}) => {
  const ending = screen.open(service.url, [7]);
  await screen.shows('the job', ({ jobs: [job] }) => job?.state === 'processing');
  screen.press('cancel', 'yes');
  assert.is(watchExitCode(await ending), 1);

  const again = new ScreenFixture();
  const second = again.open(service.url, [7]);
  // The screen stays while a question is open, though the job has ended.
  again.press('resubmit');
  await again.shows('the end', ({ jobs: [job] }) => job?.state === 'cancelled');
  again.press('yes');
  await again.shows('the second run', ({ jobs: [job] }) => job?.state === 'processing');
  service.move(100);
  assert.is(watchExitCode(await second), 0);
  assert.equal(service.commands, ['PUT /v2/jobs/7/cancel', 'PUT /v2/jobs/7/resubmit']);
});

test('a missing job is marked as unavailable, and gives its exit code', async ({ service, screen }) => {
  const last = await screen.open(service.url, [12]);
  assert.is(watchExitCode(last), 5);
  assert.match(last.log[0]?.text ?? '', /12/);
});

test('a service that never answered is an error, and its empty frame is removed', async ({
  service,
  screen,
}) => {
  await service.close();
  const error = await screen.open(service.url, [7]).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(isVencError(error, 'UnreachableError'));
  assert.equal(screen.operations, ['close']);
});

test('a network error is retried until the service answers', async ({ service, screen }) => {
  const ending = screen.open(service.url, [7]);
  await screen.shows('the job', ({ jobs: [job] }) => job?.state === 'processing');
  await service.close();
  await screen.shows('the network error', ({ unreachableSinceMs }) => unreachableSinceMs !== null);
  screen.press('quit');
  assert.is(watchExitCode(await ending), 130);
});

test('a service that restarts is reported as unreachable and then as back', async ({ service, screen }) => {
  const ending = screen.open(service.url, [7]);
  await screen.shows('the job', ({ jobs: [job] }) => job?.state === 'processing');
  await service.close();
  await screen.shows('the network error', ({ unreachableSinceMs }) => unreachableSinceMs !== null);
  const again = await startControllableService(7, Number(new URL(service.url).port));
  again.open();
  await screen.shows('that it is back', ({ log }) => log.at(-1)?.text === 'the service answers again');
  again.move(100);
  assert.is(watchExitCode(await ending), 0);
  await again.close();
});

for (const named of [true, false]) {
  test(`fifty ${named ? 'named' : 'active'} jobs of another machine take one request per second`, async ({
    screen,
  }) => {
    const service = await startFakeService({ jobCount: 50 });
    const ids = Array.from({ length: 50 }, (_, index) => 1001 + index);
    for (const id of ids) service.states(id, ['processing']);
    // A clock that runs a hundred times as fast.
    const now = () => performance.now() * 100;
    // A timer drops fractions of a millisecond, and may fire one early.
    const sleep = (milliseconds: number, signal?: AbortSignal) =>
      realPause(Math.ceil(milliseconds / 100) + 1, signal);
    const begin = now();
    const arrivals: number[] = [];
    const noted = service.seen.push.bind(service.seen);
    service.seen.push = (...requests) => {
      // One request finds out whether the service has a stream of all jobs.
      if (!requests.some(({ path }) => path === '/v2/events')) arrivals.push(now() - begin);
      return noted(...requests);
    };
    const schedule = createPollingSchedule(pollingLimitsFor('https://encoding.example.com/api/v2'), {
      now,
      sleep,
    });
    const ending = screen.open(service.url, named ? ids : [], { schedule });
    await screen.shows(
      'all of them',
      ({ jobs }) => jobs.length === 50 && jobs.every(({ state }) => state === 'processing'),
    );
    // On a busy machine a minute of this clock is too short for many requests.
    await waitUntil(
      'a minute has passed, with requests',
      () => now() - begin > 60_000 && arrivals.length > 20,
    );
    screen.press('quit');
    await ending;
    await service.close();
    for (const [index, at] of arrivals.entries())
      assert.ok(at >= index * 1000, `request ${index} at ${at} ms`);
  });
}

test('a frame that fails to render ends the screen with its reason', async ({ service, screen }) => {
  const ending = screen.open(service.url, [7]);
  await screen.shows('the job', ({ jobs: [job] }) => job?.state === 'processing');
  const reason = new Error('a rendering error');
  screen.failure(reason);
  assert.is(await ending.catch((error: unknown) => error), reason);
});

test('a signal quits as q does, even one that arrived earlier', async ({ service, screen }) => {
  assert.is(watchExitCode(await screen.open(service.url, [7], { signal: AbortSignal.abort() })), 130);
  assert.equal(screen.operations, ['close, the last frame left']);
});

test.run();
