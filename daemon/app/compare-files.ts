import { copyFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import type { QualityMeasurement } from '../../src/shared/records.js';
import { makeFolder } from '../../src/shared/util/disk.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import { canToneMap, isHighRange } from '../plan/decide/colours.js';
import { type FileFrames, frameCountOf, framePairArgs, framesOfFile } from '../plan/quality/frame-runs.js';
import { keptHdrWarning, poolScores, qualityWarnings, worstFrameIn } from '../plan/quality/pool-scores.js';
import type { QualityMetric } from '../plan/quality/quality-types.js';
import {
  type LocalPrograms,
  openLocalFfmpeg,
  probeVideo,
  type VideoFile,
  withScratch,
} from './local-files.js';

/** Options of a comparison of two files. */
interface CompareOptions extends LocalPrograms {
  readonly metric: QualityMetric;
  /** The folder for an image of the worst frame of both; null for none. */
  readonly framesFolder: string | null;
  readonly signal: AbortSignal;
  /** Called with the percent that are done, 0-100. */
  readonly onProgress: (percent: number) => void;
}

/** What a comparison found. */
interface Comparison {
  readonly quality: QualityMeasurement;
  /** What the score does not show, and what was changed to compare the files, one sentence each. */
  readonly warnings: readonly string[];
  /** The path of the image; null if none was wanted. */
  readonly image: string | null;
}

/**
 * Measures how close the video of a file comes to that of a reference (`venc compare`). Rejects with `NoMediaError` if a
 * file is not a video, with `QualityError` if they have not equally many frames, and with `UnavailableError` if no
 * program on this machine can measure. Ctrl-Z stops its programs as well.
 */
export async function compareFiles(
  [file, reference]: readonly [string, string],
  { metric, framesFolder, signal, onProgress, ...programs }: CompareOptions,
): Promise<Comparison> {
  const ffmpeg = await openLocalFfmpeg(programs);
  const sides = [
    await probeVideo(ffmpeg, file, signal),
    await probeVideo(ffmpeg, reference, signal),
  ] as const;
  const { frames, warnings } = comparableFrames(sides, ffmpeg);
  return withScratch(programs, async (scratch) => {
    const [output, other] = frames;
    const [{ video, media }] = sides;
    const expectedFrames = frameCountOf(video, media.durationSeconds);
    const request = {
      ...{ metric, output, reference: other, seconds: media.durationSeconds },
      frameCount: expectedFrames,
    };
    const measured = await ffmpeg.measureQuality(request, {
      ...{ signal, scratch },
      onProgress: ({ frame }) => {
        if (expectedFrames !== null) onProgress(Math.min(100, ((frame ?? 0) / expectedFrames) * 100));
      },
    });
    const quality = poolScores(
      measured,
      { metric, reference: 'file' },
      { output: video, reference: sides[1].video },
    );
    const found = [...warnings, ...qualityWarnings(quality, measured)];
    if (framesFolder === null) return { quality, warnings: found, image: null };
    const { time } = quality.worst_second;
    const name = `${basename(file, extname(file))}-worst-${time}s.png`;
    const written = join(scratch, 'pair.png');
    const { frame } = worstFrameIn(measured, time);
    await ffmpeg.run(framePairArgs(frames, frame, written), { signal, scratch, onProgress: () => {} });
    const image = join(resolve(framesFolder), name);
    await makeFolder(resolve(framesFolder));
    await copyFile(written, image);
    return { quality, warnings: found, image };
  });
}

/**
 * The frames of both files. If only one is HDR it is converted, and if only one is interlaced it is deinterlaced, as when
 * it is encoded.
 */
function comparableFrames(
  sides: readonly [VideoFile, VideoFile],
  { capabilities }: Ffmpeg,
): { readonly frames: readonly [FileFrames, FileFrames]; readonly warnings: readonly string[] } {
  const isHdr = sides.map(({ video }) => isHighRange(video));
  const isInterlaced = sides.map(({ video }) => /first$/.test(video.fieldOrder));
  const name = (found: readonly boolean[]) => basename(sides[found.indexOf(true)]?.path ?? '');
  const [mapsOne, deinterlacesOne] = [isHdr[0] !== isHdr[1], isInterlaced[0] !== isInterlaced[1]];
  const framesOf = ({ path, media, video }: VideoFile, index: 0 | 1) =>
    framesOfFile(path, media, video, capabilities, {
      deinterlaces: deinterlacesOne && isInterlaced[index] === true,
      toneMaps: mapsOne && isHdr[index] === true,
    });
  return {
    frames: [framesOf(sides[0], 0), framesOf(sides[1], 1)],
    warnings: [
      ...(!mapsOne
        ? []
        : [
            canToneMap(capabilities)
              ? `${name(isHdr)} is HDR and was converted to standard range to compare the two.`
              : `${name(isHdr)} is HDR, and this ffmpeg cannot convert it to standard range.`,
          ]),
      ...(isHdr[0] === true && isHdr[1] === true ? [keptHdrWarning] : []),
      ...(deinterlacesOne
        ? [`${name(isInterlaced)} is interlaced and was deinterlaced to compare the two.`]
        : []),
    ],
  };
}
