import { posix } from 'node:path';
import { decodeUrlPart, pathInUrl } from '../text/url-text.js';
import {
  isPlaceholder,
  namedImage,
  placeholderNames,
  placeholdersIn,
  thumbnailUrl,
} from '../thumbnail-names.js';
import type { OutputSettings } from './index.js';
import { byteLength } from './kinds/text.js';
import { maxPathPartBytes, sidePixels } from './limits.js';
import type { RequestWarning } from './setting.js';
import type { ThumbnailSettings } from './thumbnails.js';

/** The settings that choose the times of a set; the first that is given applies. */
const methods = ['times', 'interval_in_frames', 'interval', 'number'] as const;

/** The setting that chooses the times of a set. */
export function methodOf(set: ThumbnailSettings): (typeof methods)[number] {
  return methods.find((name) => set[name] !== undefined) ?? 'number';
}

/** Validation errors of the sets of thumbnails of an output that are valid individually but not in combination. */
export function validateThumbnails(settings: OutputSettings, path: string): readonly string[] {
  const sets = settings.thumbnails ?? [];
  return sets.flatMap((set, index) => {
    const first = firstWithLabelOf(sets, index);
    const errors = [
      ...(first < index ? [`.label must be unique, but thumbnails[${first}] has the same label`] : []),
      ...filenameErrors(set),
      ...(hasLongName(settings, set)
        ? [
            ` would have names of more than ${maxPathPartBytes} bytes: shorten the names of the images or of the video`,
          ]
        : []),
    ];
    return errors.map((error) => `${path}.thumbnails[${index}]${error}`);
  });
}

/** The index of the first set with the label of a set; that of the set itself if it has none. */
export function firstWithLabelOf(sets: readonly ThumbnailSettings[], index: number): number {
  const label = sets[index]?.label;
  return label === undefined ? index : sets.findIndex((set) => set.label === label);
}

function filenameErrors(set: ThumbnailSettings): readonly string[] {
  const { filename, times, number = 1 } = set;
  if (filename === undefined) return [];
  const used = placeholdersIn(filename);
  const listed = placeholderNames.map((name) => `{{${name}}}`).join(', ');
  const hasStrayBraces = /\{\{|\}\}/.test(filename.replaceAll(/\{\{[^{}]*\}\}/g, ''));
  if (hasStrayBraces || !used.every(isPlaceholder))
    return [`.filename has an unknown placeholder: use ${listed}`];
  const isSingle = { times: times?.length === 1, number: number === 1 };
  const method = methodOf(set);
  const hasOneImage = (method === 'times' && isSingle.times) || (method === 'number' && isSingle.number);
  return hasOneImage || used.includes('number') || used.includes('padded_number')
    ? []
    : ['.filename must have {{number}} or {{padded_number}}, because the set has several images'];
}

function hasLongName(settings: OutputSettings, set: ThumbnailSettings): boolean {
  const { url, base_url, secondary_url: second, filename, thumbnails = [] } = settings;
  const isHosted = url === undefined && base_url === undefined;
  // A generated name is short.
  const name = encodeURIComponent(posix.basename(filename ?? 'video.mp4'));
  const first = { url: url ?? `${base_url ?? 'hosted://token'}/${name}`, isHosted };
  const videos = [first, ...(second === undefined ? [] : [{ url: second, isHosted: false }])];
  const image = namedImage(9999, { width: sidePixels.max, height: sidePixels.max });
  const paths = videos.map((video) => pathInUrl(thumbnailUrl(thumbnails, set, video, image)));
  return paths.some((path) =>
    path.split('/').some((part) => byteLength(decodeUrlPart(part)) > maxPathPartBytes),
  );
}

/** Warnings about settings of thumbnails that another setting of their set overrides. */
export function overriddenThumbnailSettings(
  { thumbnails = [] }: OutputSettings,
  path: string,
): readonly RequestWarning[] {
  return thumbnails.flatMap((set, index) => {
    const method = methodOf(set);
    const { size, width = size?.width, height = size?.height } = set;
    const overridden: readonly (readonly [name: keyof ThumbnailSettings, by: string])[] = [
      ...methods
        .filter((name) => name !== method && set[name] !== undefined)
        .map((name) => [name, method] as const),
      ...(size !== undefined && size.width !== width ? [['width', 'size'] as const] : []),
      ...(size !== undefined && size.height !== height ? [['height', 'size'] as const] : []),
      ...(set.filename !== undefined && set.prefix !== undefined ? [['prefix', 'filename'] as const] : []),
      ...(method === 'times' && set.start_at_first_frame === true
        ? [['start_at_first_frame', 'times'] as const]
        : []),
    ];
    const setPath = `${path}.thumbnails[${index}]`;
    const hasSize = width !== undefined || height !== undefined;
    return [
      ...overridden.map(([name, by]) => ({
        field: `${setPath}.${name}`,
        message: `has no effect with ${by}`,
        strictError: `must not be given with ${by}`,
      })),
      ...(set.aspect_mode !== undefined && !hasSize
        ? [{ field: `${setPath}.aspect_mode`, message: 'has no effect without a size' }]
        : []),
    ];
  });
}
