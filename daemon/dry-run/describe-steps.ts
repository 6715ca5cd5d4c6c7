import { withoutExtension } from '../../src/shared/text/url-text.js';
import { thumbnailCount } from '../jobs/thumbnails.js';
import { expectedMedia } from '../plan/expected-media.js';
import type { Capabilities, OutputToPlan, Plan } from '../plan/plan-types.js';
import { fileArgument } from '../plan/safe-input.js';
import { planThumbnails } from '../plan/thumbnails.js';

/** One run of ffmpeg, as it is shown. */
export interface StepOfPlan {
  /** The outputs that it works for, by their numbers. */
  readonly outputs: readonly number[];
  readonly does: 'encode' | 'thumbnails';
  readonly args: readonly string[];
  /** Its part of the encoding of each of them, up to 1; null for thumbnails, which are taken of what was encoded. */
  readonly share: number | null;
}

/** The runs of ffmpeg in their order, and what was assumed, one sentence each. */
export interface StepsOfPlan {
  readonly steps: readonly StepOfPlan[];
  readonly remarks: readonly string[];
}

/**
 * The steps of a plan, those that take thumbnails behind the last one that encodes their output. When they are taken follows from how
 * long the encoded file is, which is known only then: here they are shown for the length that is expected.
 */
export function stepsOfPlan(
  made: Plan,
  outputs: readonly OutputToPlan[],
  capabilities: Capabilities,
): StepsOfPlan {
  const remarks: string[] = [];
  const thumbnails = (id: number): readonly StepOfPlan[] => {
    const product = made.products.find(({ outputId }) => outputId === id);
    const settings = outputs.find((output) => output.id === id)?.settings ?? {};
    const number = thumbnailCount(settings);
    if (product === undefined || number === 0) return [];
    const media = expectedMedia(product);
    const keyframeInterval = settings.keyframe_interval;
    const taken = planThumbnails(
      { outputId: id, path: product.path, media, number, keyframeInterval },
      capabilities,
    );
    if ('failure' in taken) {
      remarks.push(`output ${id} has thumbnails too: how they are taken follows from the length of its file`);
      return [];
    }
    const beside = (word: string) => besideOutput(word, id, product.path);
    return taken.runs.map((args) => ({
      outputs: [id],
      does: 'thumbnails',
      args: args.map(beside),
      share: null,
    }));
  };
  const steps = made.steps.flatMap(
    ({ outputIds, args, progressWeight: share }, index): readonly StepOfPlan[] => {
      const later = made.steps.slice(index + 1);
      const ready = outputIds.filter((id) => !later.some((step) => step.outputIds.includes(id)));
      return [{ outputs: outputIds, does: 'encode', args, share }, ...ready.flatMap(thumbnails)];
    },
  );
  return { steps, remarks };
}

/** A word of a thumbnail run with the name of a picture as a run delivers it: beside the file of its output. */
function besideOutput(word: string, outputId: number, path: string): string {
  const [, number] = /^thumbnail-(\d+)-/.exec(word) ?? [];
  if (Number(number) !== outputId || !word.endsWith('.png')) return word;
  const ending = word.slice(`thumbnail-${outputId}-`.length);
  // A sequence has a %04d in its name: every other % stands for itself.
  const stem = withoutExtension(path);
  return fileArgument(`${ending.startsWith('%') ? stem.replaceAll('%', '%%') : stem}_${ending}`);
}
