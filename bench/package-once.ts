import { mkdir } from 'node:fs/promises';
import { packageRendition } from '../daemon/packaging/package-rendition.js';
import type { Packaging } from '../daemon/plan/decide/packaging.js';
import { timed } from './measure.js';

/*
 * A separate program: cuts a file into segments once. Prints the duration, the peak memory and the number of segments.
 */

const [path = '', folder = '', container = 'ts', seconds = '6'] = process.argv.slice(2);
const isTs = container === 'ts';
const packaging: Packaging = {
  stem: 'film',
  container: isTs ? 'ts' : 'fmp4',
  hasSeparateTracks: !isTs,
  hasHls: true,
  dashProfile: isTs ? null : 'live',
  segmentSeconds: Number(seconds),
  hasByteRanges: false,
  version: null,
  knownVersion: null,
  keyframePlaylist: null,
  encryption: null,
};
const media = { format: '', durationSeconds: null, totalBitrateKbps: null, video: null, audio: null };
await mkdir(folder, { recursive: true });
let segments = 0;
const ms = await timed(async () => {
  const { facts } = await packageRendition(path, {
    folder,
    prefix: 'part',
    packaging,
    captions: [],
    media,
    key: null,
    randomKey: () => Buffer.alloc(16),
    signal: new AbortController().signal,
  });
  segments = facts.segments;
});
const peakMegabytes = (process.resourceUsage().maxRSS * 1024) / 1_000_000;
console.log(JSON.stringify({ ms, peakMegabytes, segments }));
