import { findSuggestions } from '../text/suggestions.js';
import type { OutputSettings } from './index.js';
import { isPlaylist } from './playlists.js';
import { isSegmented } from './segments.js';

/**
 * Validation errors of `source`: it must name another output of the request, which has one file, and following it must not lead back to the
 * same output.
 * Each cycle is reported once, at its first output.
 */
export function validateSources(outputs: readonly OutputSettings[]): readonly string[] {
  const reported = new Set<string>();
  return outputs.flatMap(({ label, source }, index) => {
    if (source === undefined) return [];
    const path = `outputs[${index}].source`;
    if (source === label) return [`${path} must not name its own output`];
    const labels = outputs.flatMap((other) => other.label ?? []);
    if (!labels.includes(source)) return [`${path} names no output of this job${hintFor(source, labels)}`];
    if (outputs.some((other) => other.label === source && isSegmented(other)))
      return [`${path} names a segmented output, which cannot be a source`];
    if (outputs.some((other) => other.label === source && isPlaylist(other)))
      return [`${path} names a playlist, which cannot be a source`];
    const cycle = findCycle(outputs, label, source);
    if (cycle === null || cycle.some((name) => reported.has(name))) return [];
    for (const name of cycle) reported.add(name);
    return [`${path} forms a cycle: ${cycle.join(', ')}`];
  });
}

function hintFor(source: string, labels: readonly string[]): string {
  const suggestions = findSuggestions(source, labels);
  return suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(', ')}?`;
}

/** The labels from an output along its sources back to it; null if they end elsewhere. */
function findCycle(
  outputs: readonly OutputSettings[],
  label: string | undefined,
  source: string,
): readonly string[] | null {
  if (label === undefined) return null;
  const names = [label];
  for (let next: string | undefined = source; next !== undefined && !names.slice(1).includes(next); ) {
    names.push(next);
    if (next === label) return names;
    const current: string = next;
    next = outputs.find((output) => output.label === current)?.source;
  }
  return null;
}
