import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import type { ResolvedOutput } from '../actions/check-output.js';
import type { MediaFacts } from '../jobs/media.js';
import { exclusionReason, skippedBecause } from '../jobs/skip-rules.js';

/** Why outputs are skipped for the input, whose facts may depend on the programme that they name, by their numbers: by their rules, or because their source is. */
export function skippedOutputs(
  outputs: readonly ResolvedOutput[],
  mediaOf: (settings: OutputSettings) => MediaFacts,
): ReadonlyMap<number, string> {
  const skipped = new Map<number, string>();
  for (const [index, { settings }] of outputs.entries()) {
    const reason = isPlaylist(settings) ? null : exclusionReason(settings, mediaOf(settings));
    if (reason !== null) skipped.set(index + 1, reason);
  }
  const isLost = ({ source }: ResolvedOutput['settings']) =>
    outputs.some(
      ({ settings }, index) => source !== undefined && settings.label === source && skipped.has(index + 1),
    );
  for (let count = -1; count !== skipped.size; ) {
    count = skipped.size;
    for (const [index, { settings }] of outputs.entries())
      if (!skipped.has(index + 1) && isLost(settings))
        skipped.set(index + 1, skippedBecause(`its source ${settings.source} was skipped`));
  }
  return skipped;
}
