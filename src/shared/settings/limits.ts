/** Least and greatest side of a picture that is asked for (contract of every number in a request). */
export const sidePixels = { min: 2, max: 8192 } as const;
/** Least and greatest bitrate or buffer. */
export const bitrateKbps = { min: 1, max: 1_000_000, unit: 'Kbps' } as const;
/** Least and greatest frame rate. */
export const framesPerSecond = { min: 0.1, max: 240, unit: 'frames a second' } as const;
/** Greatest length of an address, in characters. */
export const maxUrlLength = 2048;
/** Greatest length of each part of a path, in bytes of UTF-8; what file systems hold. */
export const maxPathPartBytes = 255;
/** What a thumbnail's name has in place of its video's extension. */
export const thumbnailSuffix = '_0000.png';
/** `audio_bitrate` stays below this for each channel (section 4.1 Audio), in Kbps. */
export const audioKilobitsPerChannel = 160;
/** Clips are shorter than 100 hours. */
export const clipSeconds = 100 * 60 * 60;
/** Greatest number of pixels in a picture, in or out. */
export const maxPixels = 36_000_000;
/** Greatest number of addresses that are told of the end of a job, or of an output. */
export const maxNotifications = 5;
/** Greatest number of outputs of a job, unless the daemon is told otherwise. */
export const defaultMaxOutputs = 50;
/** Length of everything that is made in test mode (service document, section 8). */
export const testModeSeconds = 5;
