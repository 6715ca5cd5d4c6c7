import { withoutExtension } from '../../src/shared/text/url-text.js';
import { thumbnailCount } from '../jobs/output-files.js';
import type { Capabilities, OutputToPlan, Plan } from '../plan/plan-types.js';
import { expectedMedia } from '../plan/product.js';
import { fileArgument } from '../plan/safe-input.js';
import { planThumbnails } from '../plan/thumbnails.js';

/** One run of ffmpeg, as `venc plan` shows it. */
export interface DryRunStep {
  /** The numbers of the outputs that it makes. */
  readonly outputs: readonly number[];
  readonly does: 'encode' | 'thumbnails';
  readonly args: readonly string[];
  /**
   * Its share of the encoding of each output, up to 1; null for thumbnails, which are made from the encoded
   * file.
   */
  readonly share: number | null;
}

/** The runs of ffmpeg in order, and the assumptions, one sentence each. */
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
  const warnings = jobPlan.measurements.map(
    ({ outputId }) =>
      `the audio of output ${outputId} is measured before it is encoded; the command lines do not show how its volume changes`,
  );
  const thumbnails = (id: number): readonly DryRunStep[] => {
    const product = jobPlan.products.find(({ outputId }) => outputId === id);
    const settings = outputs.find((output) => output.id === id)?.settings ?? {};
    const number = thumbnailCount(settings);
    if (product === undefined || number === 0) return [];
    const media = expectedMedia(product);
    const keyframeInterval = settings.keyframe_interval;
    const thumbnailPlan = planThumbnails(
      { outputId: id, path: product.path, media, number, keyframeInterval },
      capabilities,
    );
    if ('failure' in thumbnailPlan) {
      warnings.push(`output ${id} also has thumbnails; their times depend on the length of its file`);
      return [];
    }
    const withThumbnailPath = (arg: string) => thumbnailPathForArg(arg, id, product.path);
    return thumbnailPlan.runs.map((args) => ({
      outputs: [id],
      does: 'thumbnails',
      args: args.map(withThumbnailPath),
      share: null,
    }));
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

/**
 * Replaces the temporary name of a thumbnail in an argument with its delivered name, next to the file of its
 * output.
 */
function thumbnailPathForArg(arg: string, outputId: number, path: string): string {
  const [, number] = /^thumbnail-(\d+)-/.exec(arg) ?? [];
  if (Number(number) !== outputId || !arg.endsWith('.png')) return arg;
  const suffix = arg.slice(`thumbnail-${outputId}-`.length);
  // A sequence has %04d in its name: every other % is literal.
  const stem = withoutExtension(path);
  return fileArgument(`${suffix.startsWith('%') ? stem.replaceAll('%', '%%') : stem}_${suffix}`);
}
