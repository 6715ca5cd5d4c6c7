import { findSuggestions } from '../text/suggestions.js';
import type { OutputSettings } from './index.js';
import { isPlaylist } from './playlists.js';
import { isSegmented } from './segments.js';

/**
 * Validation errors of `source`: it must name another output of the request, which has one file, and following it must
 * not lead back to the same output. Each cycle is reported once, at its first output.
 */
export function validateSources(outputs: readonly OutputSettings[]): readonly string[] {
  // Of outputs with the same label, which is an error of its own, the first one counts.
  const byLabel = new Map(
    outputs.toReversed().flatMap((output) => (output.label === undefined ? [] : [[output.label, output]])),
  );
  const cycles = findCycles(byLabel);
  const reported = new Set<readonly string[]>();
  let hintCount = 0;
  return outputs.flatMap(({ label, source }, index) => {
    if (source === undefined) return [];
    const path = `outputs[${index}].source`;
    if (source === label) return [`${path} must not name its own output`];
    const named = byLabel.get(source);
    if (named === undefined) {
      hintCount += 1;
      const hint = hintCount > maxHints ? '' : hintFor(source, [...byLabel.keys()]);
      return [`${path} names no output of this job${hint}`];
    }
    if (isSegmented(named)) return [`${path} names a segmented output, which cannot be a source`];
    if (isPlaylist(named)) return [`${path} names a playlist, which cannot be a source`];
    const cycle = label === undefined ? undefined : cycles.get(label);
    if (label === undefined || cycle === undefined || reported.has(cycle)) return [];
    reported.add(cycle);
    const start = cycle.indexOf(label);
    return [`${path} forms a cycle: ${[...cycle.slice(start), ...cycle.slice(0, start), label].join(', ')}`];
  });
}

/** Maximum number of hints about unknown sources: each compares a word with every label. */
const maxHints = 10;

function hintFor(source: string, labels: readonly string[]): string {
  const suggestions = findSuggestions(source, labels);
  return suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(', ')}?`;
}

/** The cycles that sources form, each as the labels on it, by each of these. Visits every output once. */
function findCycles(byLabel: ReadonlyMap<string, OutputSettings>): ReadonlyMap<string, readonly string[]> {
  const cycles = new Map<string, readonly string[]>();
  const visited = new Set<string>();
  for (const start of byLabel.keys()) {
    const path: string[] = [];
    let next: string | undefined = start;
    while (next !== undefined && byLabel.has(next) && !visited.has(next)) {
      visited.add(next);
      path.push(next);
      next = byLabel.get(next)?.source;
    }
    const first = path.findIndex((label) => label === next);
    const cycle = first === -1 ? [] : path.slice(first);
    for (const label of cycle) cycles.set(label, cycle);
  }
  return cycles;
}
