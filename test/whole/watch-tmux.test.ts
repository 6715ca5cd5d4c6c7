import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type MovingService, startMovingService } from '../helpers/servers/moving-service.js';
import { tempFolder } from '../helpers/temp.js';
import { hasTmux, openTerminal, type Terminal } from '../helpers/tmux.js';

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

interface Stage {
  folder: string;
  service: MovingService;
  terminal: Terminal;
}

const test = suite<Stage>('watch on a terminal');

test.before.each(async (stage) => {
  stage.folder = tempFolder();
  stage.service = await startMovingService(7);
  const launcher = join(stage.folder, 'venc.mjs');
  await writeFile(
    launcher,
    `import { main } from ${JSON.stringify(main)};\nawait main(process.argv.slice(2));\n`,
  );
  stage.terminal = await openTerminal(stage.folder, 80, 20, {
    VENC_URL: stage.service.url,
    VENC_API_KEY: 'a-key-for-tests-only',
    XDG_CONFIG_HOME: stage.folder,
    XDG_DATA_HOME: stage.folder,
  });
  await stage.terminal.type(
    `stty -g > before; '${process.execPath}' '${launcher}' watch 7; echo "code=$?"; stty -g > after; cmp before after && echo same`.replace(
      /before|after/g,
      (name) => join(stage.folder, name),
    ),
  );
});

test.after.each(async ({ service, terminal }) => {
  await terminal.close();
  await service.close();
});

if (hasTmux()) {
  test('the first frame stands before the service has answered, and the bars move', async (stage) => {
    const first = await stage.terminal.shows(/nothing is known yet/);
    assert.match(first, 'q quit');
    stage.service.move(12);
    stage.service.open();
    await stage.terminal.shows(/output 9 \(web\)\s+processing .* 12% ETA 1:28/);
    stage.service.move(63);
    const later = await stage.terminal.shows(/output 9 \(web\)\s+processing .* 63% ETA 0:37/);
    assert.match(later, /› 7 {2}processing █+░+ +63%/);
    assert.is(later.match(/output 9/g)?.length, 1, later);
    await stage.terminal.press('q');
    await stage.terminal.shows(/code=130/);
  });

  test('c asks, n takes it back, y cancels, and the screen leaves with the job', async (stage) => {
    stage.service.open();
    await stage.terminal.shows(/transcoding/);
    await stage.terminal.press('c');
    await stage.terminal.shows(/Cancel job 7\? y\/n/);
    await stage.terminal.press('n');
    await stage.terminal.shows(/q quit/);
    assert.equal(stage.service.orders, []);
    await stage.terminal.press('c');
    await stage.terminal.shows(/Cancel job 7\? y\/n/);
    await stage.terminal.press('y');
    const end = await stage.terminal.shows(/^same$/m);
    assert.equal(stage.service.orders, ['PUT /v2/jobs/7/cancel']);
    assert.match(end, /› 7 {2}cancelled/);
    assert.match(end, 'code=1\n');
    assert.not.match(end, 'goes on');
  });

  for (const key of ['q', 'C-c']) {
    test(`${key} leaves the job running and the terminal as it was`, async (stage) => {
      stage.service.open();
      await stage.terminal.shows(/transcoding/);
      assert.is(await stage.terminal.hasCursor(), false);
      await stage.terminal.press(key);
      const end = await stage.terminal.shows(/^same$/m);
      assert.match(end, 'venc: job 7 goes on\nvenc: hint: to look again: venc watch 7');
      assert.match(end, 'code=130');
      assert.is(await stage.terminal.hasCursor(), true);
      assert.equal(stage.service.orders, []);
    });
  }

  test('a terminal made smaller shows the frame once, in the room it has', async (stage) => {
    stage.service.open();
    await stage.terminal.shows(/transcoding/);
    await stage.terminal.resize(50, 8);
    stage.service.move(50);
    const small = await stage.terminal.shows(/50%/);
    assert.is(small.match(/q quit/g)?.length, 1, small);
    await stage.terminal.press('q');
    await stage.terminal.shows(/code=130/);
  });
} else {
  test.skip('a real terminal: tmux is not installed here', () => {});
}

test.run();
