import { normalize } from 'node:path';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { namedImage } from '../../src/shared/thumbnail-names.js';
import type { OutputDestination } from '../jobs/job.js';
import { maxImagesOf, thumbnailDestination, thumbnailSets } from '../jobs/thumbnails.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';

/** The destinations of a request: no two files of a job may have the same, because the later one would replace the earlier one. */
export class DestinationClaims {
  /** What is written to each destination: an output or a set of thumbnails. */
  readonly #owners = new Map<string, string>();

  /** Claims the destination of the file of an output. Returns a validation error if it is taken. */
  claimFile({ destination }: OutputDestination, path: string): readonly string[] {
    const owner = this.#claim(destination, path);
    if (owner === null) return [];
    return owner.startsWith('thumbnails')
      ? [`${path} would write the same file as ${owner}`]
      : [`${path} goes to the same place as another output of this job`];
  }

  /** Claims the destinations of the thumbnails of an output. Returns a validation error for each set of which one is taken. */
  claimThumbnails(
    settings: OutputSettings,
    outputDestination: OutputDestination,
    path: string,
  ): readonly string[] {
    return thumbnailSets(settings).flatMap((set, setIndex) => {
      // The sizes of the images are unknown. Sets with the same sizes of the same output write images of one size.
      const { size, width, height, aspect_mode } = set;
      const side = `${path} ${JSON.stringify({ size, width, height, aspect_mode })}`;
      const name = `thumbnails[${setIndex}] of ${path}`;
      const owners = Array.from({ length: maxImagesOf(set) }, (_, index) => {
        const image = namedImage(index, { width: side, height: side });
        const { destination } = thumbnailDestination({ settings, ...outputDestination }, setIndex, image);
        return this.#claim(destination, name);
      });
      const owner = owners.find((one) => one !== null && one !== name) ?? null;
      return owner === null ? [] : [`${path}.thumbnails[${setIndex}] would write the same files as ${owner}`];
    });
  }

  /** Claims a destination; returns its owner if it has one, else null. */
  #claim(destination: string, name: string): string | null {
    const key = destinationKey(destination);
    const owner = this.#owners.get(key) ?? null;
    if (owner === null) this.#owners.set(key, name);
    return owner;
  }
}

/**
 * A destination in canonical form. A path can be spelled in many ways, and the later output would overwrite
 * the earlier one.
 */
function destinationKey(destination: string): string {
  if (schemeOf(destination) !== 'file') return destination;
  const parsed = parseFileUrl(destination);
  return parsed.ok ? normalize(parsed.path) : destination;
}
