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

interface Fixture {
  folder: string;
  service: ControllableService;
  terminal: Terminal;
  /** The command that starts the program. */
  program: string;
  /** A command line that starts it with additional environment variables and prints its exit code. */
  line: (env?: string) => string;
}

const test = suite<Fixture>('watch on a terminal');

test.before.each(async (fixture) => {
  fixture.folder = tempFolder();
  fixture.service = await startControllableService(7);
  const launcher = join(fixture.folder, 'venc.mjs');
  await writeFile(
    launcher,
    `import { writeFileSync } from 'node:fs';
import { main } from ${JSON.stringify(main)};
writeFileSync(${JSON.stringify(join(fixture.folder, 'pid'))}, String(process.pid));
process.on('SIGUSR2', () => { throw new Error('an injected error'); });
await main(process.argv.slice(2));
`,
  );
  fixture.terminal = await openTerminal(fixture.folder, 80, 20, {
    VENC_URL: fixture.service.url,
    VENC_API_KEY: 'a-key-for-tests-only',
    XDG_CONFIG_HOME: fixture.folder,
    XDG_DATA_HOME: fixture.folder,
    LC_ALL: 'C.UTF-8',
  });
  fixture.program = `'${process.execPath}' '${launcher}' watch 7`;
  fixture.line = (env = '') =>
    `stty -g > before; env ${env} ${fixture.program}; echo "code=$?"; stty -g > after; cmp before after && echo same`.replace(
      /before|after/g,
      (name) => join(fixture.folder, name),
    );
});

test.after.each(async ({ service, terminal }) => {
  await terminal.close();
  await service.close();
});

async function start({ service, terminal, line }: Fixture, env?: string): Promise<void> {
  service.open();
  await terminal.type(line(env));
  await terminal.shows(/transcoding/);
}

if (hasTmux()) {
  test('the first frame appears before the service has answered, and the bars move', async (fixture) => {
    await fixture.terminal.type(fixture.line());
    const first = await fixture.terminal.shows(/no data yet/);
    assert.match(first, 'q quit');
    fixture.service.move(12);
    fixture.service.open();
    await fixture.terminal.shows(/output 9 web +processing .* 12% ETA 1:28/);
    fixture.service.move(63);
    const later = await fixture.terminal.shows(/output 9 web +processing .* 63% ETA 0:37/);
    assert.match(later, /› 7 {2}bunny\.mp4 +processing █+[▉▊▋▌▍▎▏]?░+ +63%/);
    assert.is(later.match(/output 9/g)?.length, 1, later);
    await fixture.terminal.press('q');
    await fixture.terminal.shows(/code=130/);
  });

  test('c asks for confirmation, n aborts, y cancels the job, and the screen then ends', async (fixture) => {
    await start(fixture);
    await fixture.terminal.press('c');
    await fixture.terminal.shows(/Cancel job 7\? y\/n/);
    await fixture.terminal.press('n');
    await fixture.terminal.shows(/q quit/);
    assert.equal(fixture.service.commands, []);
    await fixture.terminal.press('c');
    await fixture.terminal.shows(/Cancel job 7\? y\/n/);
    await fixture.terminal.press('y');
    const end = await fixture.terminal.shows(/^same$/m);
    assert.equal(fixture.service.commands, ['PUT /v2/jobs/7/cancel']);
    assert.match(end, /› 7 {2}bunny\.mp4 +cancelled/);
    assert.match(end, 'code=1\n');
    assert.not.match(end, 'still running');
  });

  for (const key of ['q', 'C-c']) {
    test(`${key} leaves the job running and the terminal as it was`, async (fixture) => {
      await start(fixture);
      assert.is(await fixture.terminal.hasCursor(), false);
      await fixture.terminal.press(key);
      const end = await fixture.terminal.shows(/^same$/m);
      assert.match(end, 'venc: job 7 is still running\nvenc: hint: to watch again: venc watch 7');
      assert.match(end, 'code=130');
      assert.is(await fixture.terminal.hasCursor(), true);
      assert.equal(fixture.service.commands, []);
    });
  }

  test('pressing Ctrl-C twice quickly leaves as well', async (fixture) => {
    fixture.service.open();
    await fixture.terminal.type(fixture.program);
    await fixture.terminal.shows(/transcoding/);
    await fixture.terminal.press('C-c', 'C-c');
    await fixture.terminal.shows(/job 7 is still running/);
    assert.is(await fixture.terminal.hasCursor(), true);
  });

  for (const [signal, ending] of [
    ['SIGTERM', /code=130/],
    ['SIGUSR2', /an injected error[\s\S]*code=[1-9]/],
  ] as const) {
    test(`${signal === 'SIGTERM' ? signal : 'a crash'} leaves the terminal as it was`, async (fixture) => {
      await start(fixture);
      process.kill(await pidOf(fixture), signal);
      const end = await fixture.terminal.shows(/^same$/m);
      assert.match(end, ending);
      assert.not.match(end, 'q quit');
      assert.is(await fixture.terminal.hasCursor(), true);
    });
  }

  for (const how of ['Ctrl-Z', 'SIGTSTP'] as const) {
    test(`${how} gives the terminal to the shell until fg, also with another size`, async (fixture) => {
      const { service, terminal } = fixture;
      service.open();
      const tty = `stty -g > '${join(fixture.folder, 'tty')}'`;
      await terminal.type(tty);
      await terminal.type(fixture.program);
      await terminal.shows(/transcoding/);
      if (how === 'Ctrl-Z') await terminal.press('C-z');
      else process.kill(await pidOf(fixture), how);
      assert.not.match(await terminal.shows(/Stopped|suspended/), 'q quit');
      assert.is(await terminal.hasCursor(), true);
      await terminal.type(`${tty}2; cmp '${fixture.folder}'/tty* && echo alike`);
      await terminal.shows(/^alike$/m);
      await terminal.resize(60, 12);
      service.move(61);
      await terminal.type('fg');
      const frame = await terminal.shows(/^› 7 .*61%[\s\S]*^q quit/m);
      assert.match(frame, /^1 job/);
      assert.match(frame, /^── UTC ─{53}$/m);
      assert.is(await terminal.hasCursor(), false);
      await terminal.press('q');
      await terminal.shows(/job 7 is still running/);
      assert.is(await terminal.hasCursor(), true);
    });
  }

  for (const locale of ['LC_ALL=C', 'LC_ALL= LC_CTYPE=POSIX', 'LC_ALL= LANG=en_US.ISO-8859-1']) {
    test(`with ${locale} the screen contains only ASCII`, async (fixture) => {
      fixture.service.move(50);
      await start(fixture, locale);
      const frame = await fixture.terminal.shows(/^> 7 .* #+-+ +50%/m);
      assert.match(frame, /` output 9/);
      assert.match(frame, /^-- UTC -{73}$/m);
      assert.ok(/^[\n -~]*$/.test(frame), frame);
      await fixture.terminal.press('q');
      assert.ok(/^[\n -~]*$/.test(await fixture.terminal.shows(/^same$/m)));
    });
  }

  for (const name of ['-u TERM', 'TERM=dumb']) {
    test(`with ${name} the output is lines without escape sequences`, async (fixture) => {
      fixture.service.open();
      const transcriptPath = join(fixture.folder, 'transcript');
      await fixture.terminal.type(
        `script -qec "${fixture.line(name).replaceAll('"', '')}" '${transcriptPath}'; echo all`,
      );
      await fixture.terminal.shows(/^job 7: processing$/m);
      fixture.service.move(100);
      await fixture.terminal.shows(/^all$/m);
      const transcript = await readFile(transcriptPath, 'utf8');
      assert.match(transcript, 'job 7: finished');
      assert.not.match(transcript, '\u001b');
    });
  }

  test('closing the terminal ends the program', async (fixture) => {
    await start(fixture);
    const pid = await pidOf(fixture);
    await fixture.terminal.hangUp();
    await waitUntil('the program has ended', () => !isAlive(pid));
  });

  test('a resized terminal shows the frame once, completely, fitted to its size, and nothing of older frames', async (fixture) => {
    await start(fixture);
    for (const [columns, rows] of [
      [140, 30],
      [50, 8],
      [20, 6],
      [60, 20],
    ] as const) {
      await fixture.terminal.resize(columns, rows);
      fixture.service.move(columns / 2);
      const frame = await fixture.terminal.shows(new RegExp(` ${columns / 2}%[\\s\\S]*q quit`));
      const lines = frame.split('\n');
      assert.match(lines[0] ?? '', /^1 job/);
      assert.match(lines.at(-1) ?? '', /^q quit/);
      assert.is(frame.match(/q quit/g)?.length, 1, frame);
      assert.is(frame.match(/› 7/g)?.length, 1, frame);
    }
    await fixture.terminal.press('q');
    const left = await fixture.terminal.shows(/code=130/);
    assert.is(left.match(/1 job ·/g)?.length, 1, left);
    assert.match(left, 'watch 7');
  });

  test('? explains the keys, and an unreachable service is reported until it responds again', async (fixture) => {
    await start(fixture);
    await fixture.terminal.press('?');
    await fixture.terminal.shows(/^q {2}Ctrl-C +leave; the jobs keep running$/m);
    await fixture.terminal.press('Escape');
    await fixture.terminal.shows(/transcoding/);
    fixture.service.fail(true);
    await fixture.terminal.shows(/The service has not answered for/);
    fixture.service.fail(false);
    await fixture.terminal.shows(/the service answers again/);
    fixture.service.move(100);
    const end = await fixture.terminal.shows(/code=0/);
    assert.match(end, /7 {2}bunny\.mp4 +finished +█+ +100%/);
  });
} else {
  test.skip('a real terminal: tmux is not installed here', () => {});
}

async function pidOf({ folder }: Fixture): Promise<number> {
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
