/** Least and greatest values that several settings share (contract of every number in a request). */
export const sidePixels = { min: 2, max: 8192 } as const;
export const kilobits = { min: 1, max: 1_000_000, unit: 'Kbps' } as const;
export const framesPerSecond = { min: 0.1, max: 240, unit: 'frames a second' } as const;
/** Clips are shorter than 100 hours. */
export const clipSeconds = 100 * 60 * 60;
/** Greatest number of pixels in a picture, in or out. */
export const maxPixels = 36_000_000;
/** Greatest number of outputs of a job, unless the daemon is told otherwise. */
export const defaultMaxOutputs = 50;
/** Length of everything that is made in test mode (service document, section 8). */
export const testModeSeconds = 5;
