import type { ReportedWarning, RequestWarning, UnknownName } from './request-warning.js';
import { sentPath } from './sent-paths.js';
import { hintFor } from './unknown-fields.js';

/** Maximum number of warnings in a response, which also keeps records small. */
const maxWarnings = 100;

/** Splits warnings into those that remain, and the validation errors that strict mode makes of the others. */
export function applyStrictMode(
  warnings: readonly RequestWarning[],
  isStrict: boolean,
): { readonly warnings: readonly RequestWarning[]; readonly validationErrors: readonly string[] } {
  if (!isStrict) return { warnings, validationErrors: [] };
  return {
    warnings: warnings.filter(({ strictError }) => strictError === undefined),
    validationErrors: warnings
      .filter(({ strictError }) => strictError !== undefined)
      .slice(0, maxWarnings)
      .map(({ field, strictError = '', unknown }) => `${field} ${withHint(strictError, unknown)}`),
  };
}

function withHint(text: string, unknown: UnknownName | undefined): string {
  const hint = unknown === undefined ? null : hintFor(unknown);
  return hint === null ? text : `${text}; ${hint}`;
}

/**
 * The warnings as responses have them: with the names and in the order of the fields in the request, at most 100. The last
 * one then says how many more there are.
 */
export function toReportedWarnings(
  warnings: readonly RequestWarning[],
  request: unknown,
): readonly ReportedWarning[] {
  if (warnings.length === 0) return [];
  const sent = warnings.map((warning) => ({ ...warning, field: sentPath(warning.field, request) }));
  // Settings that come from the same one may have the same warning.
  const distinct = new Map(sent.map((warning) => [`${warning.field} ${warning.message}`, warning]));
  const sorted = [...distinct.values()]
    .map((warning) => ({ warning, position: positionOf(warning.field, request) }))
    .toSorted((a, b) => comparePositions(a.position, b.position));
  const moreCount = sorted.length - maxWarnings;
  return sorted.slice(0, maxWarnings).map(({ warning: { field, message, unknown } }, index) => {
    const more =
      index === maxWarnings - 1 && moreCount > 0 ? `; ${moreCount} more warnings are not listed` : '';
    return { field, message: `${withHint(message, unknown)}${more}` };
  });
}

/** The index of each part of a path among its siblings in the request; a part that is not found counts as last. */
function positionOf(path: string, request: unknown): readonly number[] {
  let value = request;
  return path.split(/[.[]/).map((part) => {
    const name = part.endsWith(']') ? part.slice(0, -1) : part;
    // The request may have one object where the path has an entry of an array.
    if (part.endsWith(']') && !Array.isArray(value)) return 0;
    if (typeof value !== 'object' || value === null) return Number.POSITIVE_INFINITY;
    const entries = Object.entries(value);
    const found = entries.findIndex(([key]) => key === name || (key === 'output' && name === 'outputs'));
    value = entries[found]?.[1];
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  });
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  for (const [index, position] of a.entries()) {
    const other = b[index] ?? -1;
    if (position !== other) return position < other ? -1 : 1;
  }
  return a.length - b.length;
}
