import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toAscii } from '../../../src/cli/terminal/io.js';
import { createProgressBar } from '../../../src/cli/terminal/progress-bar.js';

/** A bar, and its output to a terminal of 60 columns. */
function barAt(columns: number, { title = 'job 7', inMarks = (text: string) => text } = {}) {
  const stream = Object.assign(new PassThrough(), { columns });
  // No other part of the terminal is used.
  const bar = createProgressBar(
    { stderr: stream as unknown as NodeJS.WriteStream, toTerminalSymbols: inMarks },
    title,
  );
  return { bar, written: () => String(stream.read() ?? '') };
}

/** The screen after a text: lines, each as it was painted last. */
function screen(text: string): readonly string[] {
  return text.split('\n').map((line) => line.split('\r').at(-1)?.replaceAll('\u001b[K', '') ?? '');
}

test('a bar is repainted in its line, without other terminal control', () => {
  const { bar, written } = barAt(60);
  bar.update(45.2, 'transcoding, 118 fps, 12s left');
  bar.stop();
  bar.update(50, 'nothing any more');
  const text = written();
  assert.equal(screen(text), ['job 7 [########-----------]  45.2% transcoding, 12s left', '']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
  assert.equal(text.replaceAll('\u001b[K', '').match(/[\u0000-\u0009\u000b\u000c\u000e-\u001f]/g), null);
});

test('a long title is cut with the ellipsis of the locale', () => {
  const title = 'a-film-whose-name-is-far-too-long-for-this.mp4';
  const cut = (inMarks: (text: string) => string) => {
    const { bar, written } = barAt(60, { title, inMarks });
    bar.update(50, '');
    bar.stop();
    return screen(written())[0] ?? '';
  };
  assert.match(
    cut((text) => text),
    '…',
  );
  assert.match(cut(toAscii), /^a-[ -}]*~[ -}]*\.mp4 \[#+-+\] +50% *$/);
});

test('a message is printed above the bar, which stays below it', () => {
  const { bar, written } = barAt(60);
  bar.update(10, 'downloading');
  bar.writeStderr('venc: The service answers again.\n');
  bar.update(20, 'transcoding');
  bar.stop();
  bar.writeStderr('venc: job 7 failed\n');
  assert.equal(screen(written()), [
    'venc: The service answers again.',
    'job 7 [###----------------]    20% transcoding',
    'venc: job 7 failed',
    '',
  ]);
});

test.run();
