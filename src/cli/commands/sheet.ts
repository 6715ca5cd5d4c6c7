import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import type { Context } from '../context.js';
import { addImageOptions, type ImageCommandOptions, writeImage } from '../run/write-image.js';

/** `venc sheet FILE 4x5`: writes images of a video as one image, a contact sheet. */
export function define(command: Command, { handler }: Context): void {
  command.argument('<file>', 'a local video').argument('[grid]', 'the number of columns and rows', '4x5');
  addImageOptions(command, 320).addHelpText('after', details).action(handler(run));
}

/** The most columns and rows. */
const maxSide = 20;

const details = `
The images are at even distances, from left to right and from top to bottom, and each is shown as by venc frame. Without -o
the sheet is written into the current folder, as FILE-sheet.png. Runs on this machine, without a daemon.

Examples:
  venc sheet film.mov 4x5
  venc sheet film.mov 3x3 -o sheet.jpg --width 480`;

function run(file: string, grid: string, options: ImageCommandOptions, context: Context) {
  const [, columns = 0, rows = 0] = (/^(\d+)x(\d+)$/i.exec(grid) ?? []).map(Number);
  if (columns < 1 || rows < 1 || columns > maxSide || rows > maxSide)
    throw new VencError(
      'UsageError',
      `The grid must be COLUMNSxROWS, each from 1 to ${maxSide}, such as 4x5; it is "${grid}".`,
    );
  return writeImage(file, options, context, {
    suffix: 'sheet',
    make: ({ saveSheet }, image) => saveSheet(file, { columns, rows }, image),
  });
}
