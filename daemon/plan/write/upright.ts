import type { Orientation } from '../../jobs/media.js';

// A file of its own because films and watermarks both need it, and each is written in a file that needs nothing of the other.
const filters = {
  1: [],
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
} as const satisfies Record<Orientation, readonly string[]>;

/** The filters that make a picture of a given orientation upright. */
export function uprightFilters(orientation: Orientation): readonly string[] {
  return filters[orientation];
}
