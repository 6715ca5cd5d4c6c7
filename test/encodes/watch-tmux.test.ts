import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ControllableService,
  startControllableService,
} from '../helpers/servers/controllable-service.js';
import { tempFolder } from '../helpers/temp.js';
import { hasTmux, openTerminal, type Terminal } from '../helpers/tmux.js';
import { waitUntil } from '../helpers/wait-until.js';

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

interface Stage {
  folder: string;
  service: ControllableService;
  terminal: Terminal;
  /** The words that start the program. */
  program: string;
  /** A line that starts it, in an environment of so many words more, and tells how it ended. */
  line: (env?: string) => string;
}

const test = suite<Stage>('watch on a terminal');

test.before.each(async (stage) => {
  stage.folder = tempFolder();
  stage.service = await startControllableService(7);
  const launcher = join(stage.folder, 'venc.mjs');
  await writeFile(
    launcher,
    `import { writeFileSync } from 'node:fs';
import { main } from ${JSON.stringify(main)};
writeFileSync(${JSON.stringify(join(stage.folder, 'pid'))}, String(process.pid));
process.on('SIGUSR2', () => { throw new Error('a fault of the program'); });
await main(process.argv.slice(2));
`,
  );
  stage.terminal = await openTerminal(stage.folder, 80, 20, {
    VENC_URL: stage.service.url,
    VENC_API_KEY: 'a-key-for-tests-only',
    XDG_CONFIG_HOME: stage.folder,
    XDG_DATA_HOME: stage.folder,
    LC_ALL: 'C.UTF-8',
  });
  stage.program = `'${process.execPath}' '${launcher}' watch 7`;
  stage.line = (env = '') =>
    `stty -g > before; env ${env} ${stage.program}; echo "code=$?"; stty -g > after; cmp before after && echo same`.replace(
      /before|after/g,
      (name) => join(stage.folder, name),
    );
});

test.after.each(async ({ service, terminal }) => {
  await terminal.close();
  await service.close();
});

async function start({ service, terminal, line }: Stage, env?: string): Promise<void> {
  service.open();
  await terminal.type(line(env));
  await terminal.shows(/transcoding/);
}

if (hasTmux()) {
  test('the first frame stands before the service has answered, and the bars move', async (stage) => {
    await stage.terminal.type(stage.line());
    const first = await stage.terminal.shows(/nothing is known yet/);
    assert.match(first, 'q quit');
    stage.service.move(12);
    stage.service.open();
    await stage.terminal.shows(/output 9 web +processing .* 12% ETA 1:28/);
    stage.service.move(63);
    const later = await stage.terminal.shows(/output 9 web +processing .* 63% ETA 0:37/);
    assert.match(later, /› 7 {2}bunny\.mp4 +processing █+[▉▊▋▌▍▎▏]?░+ +63%/);
    assert.is(later.match(/output 9/g)?.length, 1, later);
    await stage.terminal.press('q');
    await stage.terminal.shows(/code=130/);
  });

  test('c asks, n takes it back, y cancels, and the screen leaves with the job', async (stage) => {
    await start(stage);
    await stage.terminal.press('c');
    await stage.terminal.shows(/Cancel job 7\? y\/n/);
    await stage.terminal.press('n');
    await stage.terminal.shows(/q quit/);
    assert.equal(stage.service.commands, []);
    await stage.terminal.press('c');
    await stage.terminal.shows(/Cancel job 7\? y\/n/);
    await stage.terminal.press('y');
    const end = await stage.terminal.shows(/^same$/m);
    assert.equal(stage.service.commands, ['PUT /v2/jobs/7/cancel']);
    assert.match(end, /› 7 {2}bunny\.mp4 +cancelled/);
    assert.match(end, 'code=1\n');
    assert.not.match(end, 'goes on');
  });

  for (const key of ['q', 'C-c']) {
    test(`${key} leaves the job running and the terminal as it was`, async (stage) => {
      await start(stage);
      assert.is(await stage.terminal.hasCursor(), false);
      await stage.terminal.press(key);
      const end = await stage.terminal.shows(/^same$/m);
      assert.match(end, 'venc: job 7 goes on\nvenc: hint: to look again: venc watch 7');
      assert.match(end, 'code=130');
      assert.is(await stage.terminal.hasCursor(), true);
      assert.equal(stage.service.commands, []);
    });
  }

  test('Ctrl-C pressed twice at once leaves as well', async (stage) => {
    stage.service.open();
    await stage.terminal.type(stage.program);
    await stage.terminal.shows(/transcoding/);
    await stage.terminal.press('C-c', 'C-c');
    await stage.terminal.shows(/job 7 goes on/);
    assert.is(await stage.terminal.hasCursor(), true);
  });

  for (const [signal, ending] of [
    ['SIGTERM', /code=130/],
    ['SIGUSR2', /a fault of the program[\s\S]*code=[1-9]/],
  ] as const) {
    test(`${signal === 'SIGTERM' ? signal : 'a crash'} leaves the terminal as it was`, async (stage) => {
      await start(stage);
      process.kill(await pidOf(stage), signal);
      const end = await stage.terminal.shows(/^same$/m);
      assert.match(end, ending);
      assert.not.match(end, 'q quit');
      assert.is(await stage.terminal.hasCursor(), true);
    });
  }

  for (const how of ['Ctrl-Z', 'SIGTSTP'] as const) {
    test(`${how} gives the terminal to the shell until fg, whatever its size is then`, async (stage) => {
      const { service, terminal } = stage;
      service.open();
      const tty = `stty -g > '${join(stage.folder, 'tty')}'`;
      await terminal.type(tty);
      await terminal.type(stage.program);
      await terminal.shows(/transcoding/);
      if (how === 'Ctrl-Z') await terminal.press('C-z');
      else process.kill(await pidOf(stage), how);
      assert.not.match(await terminal.shows(/Stopped|suspended/), 'q quit');
      assert.is(await terminal.hasCursor(), true);
      await terminal.type(`${tty}2; cmp '${stage.folder}'/tty* && echo alike`);
      await terminal.shows(/^alike$/m);
      await terminal.resize(60, 12);
      service.move(61);
      await terminal.type('fg');
      const frame = await terminal.shows(/^› 7 .*61%[\s\S]*^q quit/m);
      assert.match(frame, /^1 job/);
      assert.match(frame, /^── UTC ─{53}$/m);
      assert.is(await terminal.hasCursor(), false);
      await terminal.press('q');
      await terminal.shows(/job 7 goes on/);
      assert.is(await terminal.hasCursor(), true);
    });
  }

  for (const locale of ['LC_ALL=C', 'LC_ALL= LC_CTYPE=POSIX', 'LC_ALL= LANG=en_US.ISO-8859-1']) {
    test(`with ${locale} all that is drawn is ASCII`, async (stage) => {
      stage.service.move(50);
      await start(stage, locale);
      const frame = await stage.terminal.shows(/^> 7 .* #+-+ +50%/m);
      assert.match(frame, /` output 9/);
      assert.match(frame, /^-- UTC -{73}$/m);
      assert.ok(/^[\n -~]*$/.test(frame), frame);
      await stage.terminal.press('q');
      assert.ok(/^[\n -~]*$/.test(await stage.terminal.shows(/^same$/m)));
    });
  }

  for (const name of ['-u TERM', 'TERM=dumb']) {
    test(`with ${name} there are lines, and no escape among them`, async (stage) => {
      stage.service.open();
      const kept = join(stage.folder, 'kept');
      await stage.terminal.type(`script -qec "${stage.line(name).replaceAll('"', '')}" '${kept}'; echo all`);
      await stage.terminal.shows(/^job 7: processing$/m);
      stage.service.move(100);
      await stage.terminal.shows(/^all$/m);
      const told = await readFile(kept, 'utf8');
      assert.match(told, 'job 7: finished');
      assert.not.match(told, '\u001b');
    });
  }

  test('a terminal that is closed ends the program', async (stage) => {
    await start(stage);
    const pid = await pidOf(stage);
    await stage.terminal.hangUp();
    await waitUntil('the program has ended', () => !isAlive(pid));
  });

  test('a resized terminal shows the frame once, whole, in the room it has, and nothing of older ones', async (stage) => {
    await start(stage);
    for (const [columns, rows] of [
      [140, 30],
      [50, 8],
      [20, 6],
      [60, 20],
    ] as const) {
      await stage.terminal.resize(columns, rows);
      stage.service.move(columns / 2);
      const frame = await stage.terminal.shows(new RegExp(` ${columns / 2}%[\\s\\S]*q quit`));
      const lines = frame.split('\n');
      assert.match(lines[0] ?? '', /^1 job/);
      assert.match(lines.at(-1) ?? '', /^q quit/);
      assert.is(frame.match(/q quit/g)?.length, 1, frame);
      assert.is(frame.match(/› 7/g)?.length, 1, frame);
    }
    await stage.terminal.press('q');
    const left = await stage.terminal.shows(/code=130/);
    assert.is(left.match(/1 job ·/g)?.length, 1, left);
    assert.match(left, 'watch 7');
  });

  test('? explains the keys, and a service that is gone is told until it is back', async (stage) => {
    await start(stage);
    await stage.terminal.press('?');
    await stage.terminal.shows(/^q {2}Ctrl-C +leave; the jobs go on$/m);
    await stage.terminal.press('Escape');
    await stage.terminal.shows(/transcoding/);
    stage.service.fail(true);
    await stage.terminal.shows(/The service has not answered for/);
    stage.service.fail(false);
    await stage.terminal.shows(/the service answers again/);
    stage.service.move(100);
    const end = await stage.terminal.shows(/code=0/);
    assert.match(end, /7 {2}bunny\.mp4 +finished +█+ +100%/);
  });
} else {
  test.skip('a real terminal: tmux is not installed here', () => {});
}

async function pidOf({ folder }: Stage): Promise<number> {
  return Number(await readFile(join(folder, 'pid'), 'utf8'));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.run();
