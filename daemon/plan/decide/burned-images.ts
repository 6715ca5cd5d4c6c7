import { displaySize, type SubtitleFacts, type VideoFacts } from '../../jobs/media.js';
import type { BurnedCaptions } from '../plan-types.js';
import type { Fit } from './decisions.js';
import { watermarkArea } from './watermarks.js';

/** Canvases whose shape differs less from that of the video are taken for its frame. */
const shapeTolerance = 0.02;

/**
 * Where subtitles that are images are drawn in the finished video. Their canvas is the frame of the input, unless it
 * has another shape: a film without its black bars keeps subtitles that were placed on the whole screen. Such a canvas
 * is drawn as large as it fits into the image, in its middle, so that nothing is cut off.
 */
export function placeImages(subtitles: SubtitleFacts, input: VideoFacts, fit: Fit): BurnedCaptions {
  const frame = displaySize(input);
  const { content } = watermarkArea(fit, frame);
  const { streamIndex, codec, width = input.width, height = input.height } = subtitles;
  const { numerator, denominator } = input.sampleAspectRatio;
  const isFrame =
    codec !== 'hdmv_pgs_subtitle' ||
    Math.abs((width * input.height) / (height * input.width) - 1) < shapeTolerance;
  if (isFrame && (fit.by === 'nothing' || fit.by === 'bars'))
    return { from: 'input', streamIndex, ...content };
  const shape = isFrame ? (frame.width * numerator) / (frame.height * denominator) : width / height;
  const size = {
    width: even(Math.min(content.width, content.height * shape)),
    height: even(Math.min(content.height, content.width / shape)),
  };
  return {
    ...{ from: 'input', streamIndex, ...size },
    x: content.x + even((content.width - size.width) / 2, 0),
    y: content.y + even((content.height - size.height) / 2, 0),
  };
}

/** The next lower even number: colours have half as many samples. */
function even(pixels: number, min = 2): number {
  return Math.max(min, 2 * Math.floor(pixels / 2 + 0.001));
}
