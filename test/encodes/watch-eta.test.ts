import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ControllableService,
  startControllableService,
} from '../helpers/servers/controllable-service.js';
import { tempFolder } from '../helpers/temp.js';
import { hasTmux, openTerminal, type Terminal } from '../helpers/tmux.js';

const program = fileURLToPath(new URL('../../../bin/venc.js', import.meta.url));

const test = suite<{ service: ControllableService; terminal: Terminal }>('times in watch');

test.before.each(async (context) => {
  const folder = tempFolder();
  context.service = await startControllableService(7);
  context.service.open();
  context.terminal = await openTerminal(folder, 80, 20, {
    VENC_URL: context.service.url,
    VENC_API_KEY: 'a-key-for-tests-only',
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    LC_ALL: 'C.UTF-8',
    TZ: 'Asia/Tokyo',
  });
});
test.after.each(async ({ service, terminal }) => {
  await terminal.close();
  await service.close();
});

const queued = (id: number) => ({ id, state: 'queued', progress: 0 });
const encoded = (id: number, etaMs: number) => ({
  id,
  state: 'processing',
  current_event: 'transcoding',
  current_event_progress: 40,
  progress: 40,
  eta_in_ms: etaMs,
});

if (hasTmux()) {
  test('a job that waits for a slot is shown as queued without a time left', async ({
    service,
    terminal,
  }) => {
    service.outputs([queued(9), queued(10)]);
    await terminal.type(`'${process.execPath}' '${program}' watch 7`);
    await terminal.shows(/^› 7 .* 0%[\s\S]*output 9 web +queued/m);
    service.move(2);
    // Only the input is there: nothing of the outputs is done.
    const frame = await terminal.shows(/^› 7 .* 0%/m);
    assert.not.match(frame, 'ETA');
    assert.match(frame, /^› 7 +bunny\.mp4 +queued /m);
    assert.match(frame, /^1 job · 1 queued/);
    assert.match(frame, /output 9 web +queued .* 0%/);
    await terminal.press('q');
  });

  test('a job shows no time left while one of its outputs is queued, and then that of the slowest output', async ({
    service,
    terminal,
  }) => {
    service.outputs([encoded(9, 95_000), queued(10)]);
    await terminal.type(`'${process.execPath}' '${program}' watch 7`);
    await terminal.shows(/^› 7 .* 0%[\s\S]*output 9 web +processing/m);
    service.move(20);
    const frame = await terminal.shows(/^› 7 .* 20%/m);
    assert.match(frame, /output 9 web +processing .* 40% ETA 1:35/);
    assert.match(frame, /^› 7 +bunny\.mp4 +processing .* 20%( +[a-z]+)?$/m);
    assert.is(frame.match(/ETA/g)?.length, 1, frame);
    service.outputs([encoded(9, 15_000), encoded(10, 65_000)]);
    const later = await terminal.shows(/ETA 1:05[\s\S]*ETA 1:05/);
    assert.match(later, /^› 7 +bunny\.mp4 +processing .* 20% ETA 1:05/m);
    await terminal.press('q');
  });

  test('the log shows times in UTC and says so, whatever the time zone', async ({ service, terminal }) => {
    service.outputs([encoded(9, 95_000)]);
    const started = Date.now();
    await terminal.type(`'${process.execPath}' '${program}' watch 7`);
    const frame = await terminal.shows(/^\d\d:\d\d:\d\d job 7: /m);
    assert.match(frame, /^── UTC ─{73}$/m);
    const time = /^(\d\d:\d\d:\d\d) job 7: /m.exec(frame)?.[1];
    // The test may run past midnight.
    const days = [started, Date.now()].map((at) => new Date(at).toISOString().slice(0, 10));
    const times = days.map((day) => Date.parse(`${day}T${time}Z`));
    assert.ok(
      times.some((at) => at >= started - 1000 && at <= Date.now()),
      `${time} of ${new Date().toISOString()}`,
    );
    await terminal.press('q');
  });
} else {
  test.skip('a real terminal: tmux is not installed here', () => {});
}

test.run();
