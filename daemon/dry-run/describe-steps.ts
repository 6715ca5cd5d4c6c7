import { isAbsolute, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { namedImage } from '../../src/shared/thumbnail-names.js';
import { thumbnailDestination, thumbnailSets } from '../jobs/thumbnails.js';
import type { Capabilities, OutputToPlan, Plan } from '../plan/plan-types.js';
import { expectedMedia } from '../plan/product.js';
import { fileArgument } from '../plan/safe-input.js';
import { planThumbnails } from '../plan/thumbnails.js';

/** One run of ffmpeg or one copy of a file, as `venc plan` shows it. */
export interface DryRunStep {
  /** The numbers of the outputs that it makes. */
  readonly outputs: readonly number[];
  readonly does: 'encode' | 'thumbnails' | 'copy';
  /** The arguments of ffmpeg; of a copy, the file that is copied and the new one. */
  readonly args: readonly string[];
  /**
   * Its share of the encoding of each output, up to 1; null for thumbnails, which are made from the encoded
   * file, and for copies.
   */
  readonly share: number | null;
}

/** The runs of ffmpeg in order, and the assumptions and what was corrected for the input, one sentence each. */
interface DryRunSteps {
  readonly steps: readonly DryRunStep[];
  readonly warnings: readonly string[];
}

/**
 * The steps of a plan. Thumbnail steps follow the last step that encodes their output. The times of
 * thumbnails depend on the length of the encoded file, which is unknown here, so they are shown for the
 * expected length.
 */
export function describeSteps(
  jobPlan: Plan,
  outputs: readonly OutputToPlan[],
  capabilities: Capabilities,
): DryRunSteps {
  const warnings = [
    ...jobPlan.products.flatMap((product) =>
      product.warnings.map((text) => `output ${product.outputId}: ${text}`),
    ),
    ...jobPlan.measurements.map(
      ({ outputId }) =>
        `the audio of output ${outputId} is measured before it is encoded; the command lines do not show how its volume changes`,
    ),
  ];
  const thumbnails = (id: number): readonly DryRunStep[] => {
    const product = jobPlan.products.find(({ outputId }) => outputId === id);
    const settings = outputs.find((output) => output.id === id)?.settings ?? {};
    if (product === undefined) return [];
    const media = expectedMedia(product);
    return thumbnailSets(settings).flatMap((set, setIndex): readonly DryRunStep[] => {
      const thumbnailPlan = planThumbnails(
        {
          outputId: id,
          path: product.path,
          media,
          set,
          setIndex,
          inputFrameRate: media.video?.frameRate ?? null,
          keyframeInterval: settings.keyframe_interval,
        },
        capabilities,
      );
      if ('failure' in thumbnailPlan) {
        warnings.push(`output ${id} also has thumbnails; their times depend on the length of its file`);
        return [];
      }
      const withThumbnailPath = (arg: string) =>
        thumbnailPathForArg(arg, { settings, setIndex, path: product.path, size: thumbnailPlan.size });
      return thumbnailPlan.runs.map((args) => ({
        outputs: [id],
        does: 'thumbnails',
        args: args.map(withThumbnailPath),
        share: null,
      }));
    });
  };
  const steps = jobPlan.steps.flatMap(
    ({ outputIds, args, progressWeight: share }, index): readonly DryRunStep[] => {
      const later = jobPlan.steps.slice(index + 1);
      const ready = outputIds.filter((id) => !later.some((step) => step.outputIds.includes(id)));
      return [{ outputs: outputIds, does: 'encode', args, share }, ...ready.flatMap(thumbnails)];
    },
  );
  return { steps, warnings };
}

/** A set of thumbnails of an output, and the path of its file. */
interface PlannedSet {
  readonly settings: OutputSettings;
  readonly setIndex: number;
  readonly path: string;
  readonly size: { readonly width: number; readonly height: number };
}

/**
 * Replaces the temporary name of a thumbnail in an argument with its destination: a path, if it is next to the file of
 * its output.
 */
function thumbnailPathForArg(arg: string, { settings, setIndex, path, size }: PlannedSet): string {
  const [, number] = /^thumbnail-\d+-\d+-(\d{4,}|%04d)\.(?:png|jpg)$/.exec(arg) ?? [];
  if (number === undefined) return arg;
  const isSequence = number.startsWith('%');
  const image = isSequence
    ? { number: '%d', paddedNumber: '%04d', ...size }
    : namedImage(Number(number), size);
  // In the name of a sequence every other % is literal.
  const video = pathToFileURL(isSequence ? path.replaceAll('%', '%%') : path).href;
  const { destination } = thumbnailDestination({ settings, destination: video, url: video }, setIndex, image);
  if (!destination.startsWith('file:')) return destination;
  const absolute = fileURLToPath(destination);
  return fileArgument(isAbsolute(path) ? absolute : relative('', absolute));
}
