import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mountScreen, type ScreenIo } from '../../src/tui/mount.js';
import { startWatch } from '../../src/tui/watch-state.js';

/** A terminal without a keyboard. */
function terminal(): { readonly io: ScreenIo; readonly written: () => string } {
  let written = '';
  const stdout = Object.assign(new PassThrough(), { columns: 60, rows: 12 });
  stdout.on('data', (piece: Buffer) => {
    written += String(piece);
  });
  const io = {
    stdin: new PassThrough(),
    stdout,
    colour: { stdout: false },
    inMarks: (text: string) => text.replaceAll('›', '>'),
    note: () => {},
    // Streams have all that the screen uses of a terminal.
  } as unknown as ScreenIo;
  return { io, written: () => written };
}

test('what stands on the screen is written in the marks of the locale', () => {
  const { io, written } = terminal();
  const screen = mountScreen(io, startWatch([7], 0), { onKeys: () => {}, onFault: () => {} });
  screen.close(startWatch([7], 0));
  assert.match(written(), '> 7');
  assert.not.match(written(), '›');
});

test('a frame that cannot be made is a fault of the screen, which gives the terminal back', () => {
  const { io, written } = terminal();
  const faults: unknown[] = [];
  const listeners = { onKeys: () => {}, onFault: (error: unknown) => void faults.push(error) };
  const screen = mountScreen(io, startWatch([7], 0), listeners);
  const reason = new Error('a fault of a view');
  const broken = {
    ...startWatch([7], 0),
    get log(): never {
      throw reason;
    },
  };
  screen.draw(broken, true);
  assert.equal(faults, [reason]);
  screen.close(null);
  assert.ok(written().endsWith('\u001b[?25h\u001b[?1049l'), JSON.stringify(written().slice(-60)));
});

test.run();
