import { finalMatrix } from '../decide/colours.js';
import type { Picture, PictureSize } from '../decide/decisions.js';
import { type Rendition, renditionsOf } from '../decide/groups.js';
import type { Abilities } from '../plan-types.js';
import { finishing, framing, preparing, type Skip, withoutMatrix } from './filters.js';
import { converted, scaling } from './scaling.js';
import { toneMapping } from './tone-mapping.js';
import { watermarkGraph } from './watermarks.js';

/** Name of one of several filtered pictures in a graph, for `-map`. */
export const groupLabel = (place: number): string => `[v${place}]`;

/**
 * The filter graph of several pictures of one input that share all that is done before their sizes: split, scaled, framed and marked for
 * each. Colours are made what they come out as before a rendition is split: left to itself, ffmpeg takes other ones
 * for a second scaling. `source` is the size of the upright picture.
 */
export function groupGraph(
  pictures: readonly [Picture, ...Picture[]],
  source: PictureSize,
  abilities: Abilities,
  skip: Skip,
): string {
  const [first] = pictures;
  const input = `[0:${first.streamIndex}]`;
  const renditions = renditionsOf(pictures, source);
  const roots = renditions.flatMap(({ from }, place) => (from === null ? [toRendition(place)] : []));
  return [
    chain([input], [...preparing(first, abilities, skip), ...split(roots)], roots),
    ...renditions.map((rendition, place) => renditionChain(rendition, place, renditions, first)),
    ...pictures.flatMap((picture, place) =>
      pictureChains(picture, place, firstWatermark(pictures, place), first),
    ),
    ...(pictures.some(({ hasDisplayMatrix }) => hasDisplayMatrix) ? [withoutMatrix(input)] : []),
  ].join(';');
}

const toRendition = (place: number) => `[r${place}]`;
const toPicture = (place: number) => `[p${place}]`;

function renditionChain(
  { scaleTo, from, pictures }: Rendition,
  place: number,
  all: readonly Rendition[],
  { toneMapFrom, conversion, colours, staysInterlaced }: Picture,
): string {
  const smaller = all.flatMap(({ from }, other) => (from === place ? [toRendition(other)] : []));
  const ends = [...pictures.map(toPicture), ...smaller];
  // What is made from another rendition has its colours.
  const own = from === null ? conversion : converted(conversion);
  const scaled = { scaleTo, staysInterlaced, conversion: own };
  const mapping = from === null ? toneMapping({ toneMapFrom, conversion, colours, scaleTo }) : [];
  return chain([toRendition(place)], [...scaling(scaled), ...mapping, ...finishing, ...split(ends)], ends);
}

function pictureChains(
  picture: Picture,
  place: number,
  firstInput: number,
  first: Picture,
): readonly string[] {
  const { fit, watermarks } = picture;
  const framed = watermarks.length === 0 ? groupLabel(place) : `[plain${place}]`;
  const frame = [...toOwnMatrix(picture, first), ...framing(fit)];
  return [
    chain([toPicture(place)], frame.length === 0 ? ['null'] : frame, [framed]),
    ...watermarkGraph(watermarks, framed, groupLabel(place), firstInput, `${place}_`),
  ];
}

/** The renditions have the matrix of the first picture, which the codec of another may have no word for. */
function toOwnMatrix(picture: Picture, first: Picture): readonly string[] {
  const matrices = { from: finalMatrix(first), to: finalMatrix(picture) };
  if (matrices.from === matrices.to) return [];
  const conversion = { ...matrices, isFullRange: false, hasAlpha: false };
  return [...scaling({ scaleTo: null, conversion, staysInterlaced: false }), 'format=yuv420p'];
}

/** Watermarks are inputs behind the one that is encoded, those of the first picture first. */
function firstWatermark(pictures: readonly Picture[], place: number): number {
  return 1 + pictures.slice(0, place).reduce((sum, { watermarks }) => sum + watermarks.length, 0);
}

function split(ends: readonly string[]): readonly string[] {
  return ends.length === 1 ? [] : [`split=${ends.length}`];
}

function chain(from: readonly string[], filters: readonly string[], to: readonly string[]): string {
  return `${from.join('')}${filters.length === 0 ? 'null' : filters.join(',')}${to.join('')}`;
}
