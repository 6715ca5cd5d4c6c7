import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import type { OutputToPlan, Plan, Product } from '../plan/plan-types.js';

/**
 * The label of the encoded output whose file an output is made from: outputs that are only transferred have the same file as their source.
 * Undefined if that is the input.
 */
export function encodedSourceOf(
  { source }: OutputSettings,
  outputs: readonly { readonly settings: OutputSettings }[],
): string | undefined {
  const found = outputs.find(({ settings }) => source !== undefined && settings.label === source);
  return found !== undefined && isTransferOnly(found.settings)
    ? encodedSourceOf(found.settings, outputs)
    : source;
}

/**
 * Plans the outputs of a job, each after its `source`: `planFrom` plans those that are made from the same file, which is the input if its
 * second argument is null. Outputs whose source cannot be made have no steps.
 */
export function planWithSources(
  outputs: readonly OutputToPlan[],
  planFrom: (outputs: readonly OutputToPlan[], source: Product | null) => Plan,
): Plan {
  const first = planFrom(
    outputs.filter(({ settings }) => settings.source === undefined),
    null,
  );
  const plans: Plan[] = [first];
  for (const { products } of plans) {
    for (const product of products) {
      const label = outputs.find(({ id }) => id === product.outputId)?.settings.label;
      const dependents = outputs.filter(({ settings }) => label !== undefined && settings.source === label);
      if (dependents.length > 0) plans.push(planFrom(dependents, product));
    }
  }
  return mergePlans(plans);
}

/** The plans of different outputs as one. */
export function mergePlans(plans: readonly Plan[]): Plan {
  return {
    steps: plans.flatMap(({ steps }) => steps),
    measurements: plans.flatMap(({ measurements }) => measurements),
    products: plans.flatMap(({ products }) => products),
    captionFiles: plans.flatMap(({ captionFiles }) => captionFiles),
    rejections: plans.flatMap(({ rejections }) => rejections),
  };
}
