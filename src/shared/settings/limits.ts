/** Minimum and maximum width and height of an output (contract of every number in a request). */
export const sidePixels = { min: 2, max: 8192 } as const;
/** Minimum and maximum bitrate or buffer size. */
export const bitrateKbps = { min: 1, max: 1_000_000, unit: 'Kbps' } as const;
/** Minimum and maximum frame rate. */
export const framesPerSecond = { min: 0.1, max: 240, unit: 'frames per second' } as const;
/** Maximum length of a URL, in characters. */
export const maxUrlLength = 2048;
/** Maximum length of each part of a path, in bytes of UTF-8: the limit of common file systems. */
export const maxPathPartBytes = 255;
/** Exclusive upper limit of `audio_bitrate` per channel (section 4.1 Audio), in Kbps. */
export const audioKilobitsPerChannel = 160;
/** Bitrates of audio in requests are multiples of this, in Kbps. */
export const audioBitrateStepKbps = 16;
/** Exclusive upper limit of the times of clips: 100 hours, in seconds. */
export const clipSeconds = 100 * 60 * 60;
/** Maximum number of pixels in a frame, of an input or an output. */
export const maxPixels = 36_000_000;
/** Maximum number of URLs that are notified of the end of a job or an output. */
export const maxNotifications = 5;
/** Maximum length of a label in `requires`, in characters. */
export const maxLabelLength = 64;
/** Maximum number of labels in `requires`. */
export const maxRequiredLabels = 20;
/** Minimum and maximum `priority` of a job. */
export const jobPriority = { min: -10, max: 10 } as const;
/** Default maximum number of outputs of a job; the daemon can be configured otherwise. */
export const defaultMaxOutputs = 50;
/** Length of every output in test mode, in seconds (service document, section 8). */
export const testModeSeconds = 5;
/** Maximum length of `input_name`, in characters. */
export const maxInputNameLength = 1024;
