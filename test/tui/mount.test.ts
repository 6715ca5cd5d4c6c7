import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mountScreen, type ScreenIo } from '../../src/tui/mount.js';
import { startWatch } from '../../src/tui/watch-state.js';

/** A terminal without a keyboard. */
function terminal(): { readonly io: ScreenIo; readonly written: () => string } {
  let written = '';
  const stdout = Object.assign(new PassThrough(), { columns: 60, rows: 12 });
  stdout.on('data', (chunk: Buffer) => {
    written += String(chunk);
  });
  const io = {
    stdin: new PassThrough(),
    stdout,
    colour: { stdout: false },
    toTerminalSymbols: (text: string) => text.replaceAll('›', '>'),
    note: () => {},
    // Streams have all that the screen uses of a terminal.
  } as unknown as ScreenIo;
  return { io, written: () => written };
}

test('the screen uses the symbols of the locale', () => {
  const { io, written } = terminal();
  const screen = mountScreen(io, startWatch([7], 0), { onKeys: () => {}, onError: () => {} });
  screen.close(startWatch([7], 0));
  assert.match(written(), '> 7');
  assert.not.match(written(), '›');
});

test('changes of the table are drawn, and changes outside it as well', () => {
  const { io, written } = terminal();
  const first = startWatch([7], 0);
  const screen = mountScreen(io, first, { onKeys: () => {}, onError: () => {} });
  const moved = { ...first, jobs: first.jobs.map((job) => ({ ...job, percent: 42 })) };
  screen.draw(moved, true);
  assert.match(written(), '42%');
  screen.draw({ ...moved, isHelp: true }, true);
  assert.match(written(), 'Home End');
  screen.draw({ ...moved, jobs: moved.jobs.map((job) => ({ ...job, percent: 43 })) }, true);
  assert.match(written(), '43%');
  screen.close(null);
});

test('a frame that fails to render is an error of the screen, which restores the terminal', () => {
  const { io, written } = terminal();
  const failures: unknown[] = [];
  const listeners = { onKeys: () => {}, onError: (error: unknown) => void failures.push(error) };
  const screen = mountScreen(io, startWatch([7], 0), listeners);
  const reason = new Error('a rendering error');
  const broken = {
    ...startWatch([7], 0),
    get log(): never {
      throw reason;
    },
  };
  screen.draw(broken, true);
  assert.equal(failures, [reason]);
  screen.close(null);
  assert.ok(written().endsWith('\u001b[?25h\u001b[?1049l'), JSON.stringify(written().slice(-60)));
});

test.run();
