import type { Fields, Fit, Picture } from '../decide/decisions.js';
import type { Abilities } from '../plan-types.js';
import { layingOnBlack, scaling } from './scaling.js';
import { secondsArgument } from './seconds.js';
import { timingFilters } from './timing.js';
import { toneMapping } from './tone-mapping.js';
import { uprightFilters } from './upright.js';
import { watermarkGraph } from './watermarks.js';

/** Name of the filtered picture in the graph, for `-map`. */
export const pictureLabel = '[v]';

/**
 * The filter graph of a picture (contract, section 11: the order of the steps), for `-filter_complex`. `firstWatermark` is the number
 * of the first watermark's input. `skip` is what of the input stands before the clip.
 */
export function pictureGraph(
  picture: Picture,
  abilities: Abilities,
  firstWatermark: number,
  skip: Skip,
): string {
  const source = `[0:${picture.streamIndex}]`;
  const filters = [
    ...preparing(picture, abilities, skip),
    ...scaling({ ...picture, ...picture.fit }),
    ...toneMapping({ ...picture, ...picture.fit }),
    ...framing(picture.fit),
    ...finishing,
  ];
  const isMarked = picture.watermarks.length > 0;
  const finished = isMarked ? '[plain]' : pictureLabel;
  return [
    `${source}${filters.join(',')}${finished}`,
    ...watermarkGraph(picture.watermarks, finished, pictureLabel, firstWatermark),
    ...(!picture.hasDisplayMatrix ? [] : [withoutMatrix(source)]),
  ].join(';');
}

/** What stands before the clip in what is read: how much, and whether its last frame stays on screen into the clip. */
export interface Skip {
  readonly seconds: number;
  readonly startsInFrame: boolean;
}

/** What is done to the picture before it is brought to a size. */
export function preparing(picture: Picture, abilities: Abilities, skip: Skip): readonly string[] {
  return [
    ...(skip.startsInFrame ? [`setpts=max(PTS\\,ceil(${secondsArgument(skip.seconds)}/TB))`] : []),
    ...layingOnBlack(picture),
    ...(picture.deinterlace === null ? [] : [deinterlacing(picture.deinterlace, abilities)]),
    ...uprightFilters(picture.orientation),
    ...timingFilters(picture.timing, skip.seconds),
  ];
}

/** Trims the scaled picture, or adds bars to it. */
export function framing({ canvas, by }: Fit): readonly string[] {
  const size = `${canvas.width}:${canvas.height}`;
  switch (by) {
    case 'nothing':
      return [];
    case 'trim-edge':
      return [`crop=${size}:0:0`];
    case 'trim-middle':
      return [`crop=${size}`];
    case 'bars':
      return [`pad=${size}:(ow-iw)/2:(oh-ih)/2`];
  }
}

/** What every picture comes out as. */
export const finishing = ['setsar=1', 'format=yuv420p'] as const;

/**
 * ffmpeg copies what the input says about turning into the output even when the picture is upright by then, but only where the
 * graph has a single input. A second one that leads nowhere costs a reference a frame. Tried and found without effect with 4.1
 * and 5.1: the stream tag `rotate`, `-map_metadata -1`, the filter sidedata. Leaving ffmpeg's own turning on takes the
 * matrix away, but turns before it deinterlaces.
 */
export function withoutMatrix(source: string): string {
  return `${source}nullsink`;
}

/** One frame for each frame; all of them, since a file that says it is interlaced often fails to flag each frame. */
function deinterlacing(fields: Fields, abilities: Abilities): string {
  const name = abilities.filters.has('bwdif') ? 'bwdif' : 'yadif';
  return `${name}=mode=send_frame:parity=${parities[fields]}:deint=all`;
}

const parities = {
  'top-first': 'tff',
  'bottom-first': 'bff',
  'as-flagged': 'auto',
} as const satisfies Record<Fields, string>;
