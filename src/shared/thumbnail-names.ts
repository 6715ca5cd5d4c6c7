import type { ThumbnailSettings } from './settings/thumbnails.js';
import { replaceExtensionInUrl, siblingInUrl } from './text/url-text.js';

/*
 * The names of thumbnails. The daemon uses them for destinations, and `venc run` to find the files that it would
 * overwrite.
 */

/** One image of a set, as its name shows it. `venc plan` has `%04d` for the number, and sides may be unknown. */
export interface NamedImage {
  readonly number: string;
  readonly paddedNumber: string;
  readonly width: number | string;
  readonly height: number | string;
}

/** What a placeholder of `filename` stands for. */
const placeholders = {
  number: ({ number }: NamedImage) => number,
  padded_number: ({ paddedNumber }: NamedImage) => paddedNumber,
  width: ({ width }: NamedImage) => String(width),
  height: ({ height }: NamedImage) => String(height),
  size: ({ width, height }: NamedImage) => `${width}x${height}`,
  label: (_: NamedImage, { label = '' }: ThumbnailSettings) => fileNameOf(label),
} as const;

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The placeholders in a `filename`, as they are spelled with `_`. */
export function placeholdersIn(filename: string): readonly string[] {
  return [...filename.matchAll(placeholder)].map(([, name = '']) => nameOf(name));
}

/** Whether a placeholder is known. */
export function isPlaceholder(name: string): name is keyof typeof placeholders {
  return Object.hasOwn(placeholders, name);
}

/** The names of all placeholders. */
export const placeholderNames: readonly string[] = Object.keys(placeholders);

/** An image by its index in the set, from 0: `7` and `0007`. */
export function namedImage(
  index: number,
  { width, height }: { readonly width: number | string; readonly height: number | string },
): NamedImage {
  return { number: String(index), paddedNumber: String(index).padStart(4, '0'), width, height };
}

/**
 * The URL of an image of a set. Without `prefix`, `filename` and `base_url`, `_0000.png` and so on replace the
 * extension of the video; with `base_url` the name begins with `frame`. The label of a set is added if the output has
 * several sets next to the video, or several in the same folder. A hosted file has no folder of its own.
 */
export function thumbnailUrl(
  sets: readonly ThumbnailSettings[],
  set: ThumbnailSettings,
  video: { readonly url: string; readonly isHosted: boolean },
  image: NamedImage,
): string {
  const { base_url: baseUrl, prefix, filename } = set;
  const suffix = `_${image.paddedNumber}.${formatOf(set)}`;
  if (filename === undefined && prefix === undefined && baseUrl === undefined)
    return replaceExtensionInUrl(video.url, encodeURIComponent(`${labelPart(sets, set)}${suffix}`));
  const name =
    filename === undefined
      ? `${prefix ?? `frame${labelPart(sets, set)}`}${suffix}`
      : withExtension(expand(filename, set, image), formatOf(set));
  if (baseUrl !== undefined)
    return `${withoutSlash(baseUrl)}/${name.split('/').map(encodeURIComponent).join('/')}`;
  return siblingInUrl(video.url, video.isHosted ? name.slice(name.lastIndexOf('/') + 1) : name);
}

/** `png` or `jpg`. */
export function formatOf({ format = 'png' }: ThumbnailSettings): 'png' | 'jpg' {
  return format;
}

function expand(filename: string, set: ThumbnailSettings, image: NamedImage): string {
  return filename.replace(placeholder, (text, given: string) => {
    const name = nameOf(given);
    return isPlaceholder(name) ? placeholders[name](image, set) : text;
  });
}

/**
 * The label of a set, if the output has several sets next to the video, or several that are named `frame` in the same
 * folder.
 */
function labelPart(sets: readonly ThumbnailSettings[], set: ThumbnailSettings): string {
  const others = sets.filter(
    ({ base_url, prefix, filename }) =>
      set.base_url === undefined ||
      (withoutSlash(base_url) === withoutSlash(set.base_url) &&
        prefix === undefined &&
        filename === undefined),
  );
  return others.length > 1 && set.label !== undefined ? `_${fileNameOf(set.label)}` : '';
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}

/** A label as a part of a file name: it must not lead to another folder. */
function fileNameOf(label: string): string {
  return label.replaceAll(/[/\\]/g, '_').replace(/^\.+/, '_');
}

function withExtension(name: string, format: 'png' | 'jpg'): string {
  const extensions = format === 'png' ? ['.png'] : ['.jpg', '.jpeg'];
  return extensions.some((extension) => name.toLowerCase().endsWith(extension)) ? name : `${name}.${format}`;
}

function nameOf(given: string): string {
  return given.toLowerCase().replaceAll('-', '_');
}
