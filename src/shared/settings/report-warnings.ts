import { hintFor } from './parse-value.js';
import type { ReportedWarning, RequestWarning, UnknownName } from './request-warning.js';
import { createPositionOf, sentPath } from './sent-paths.js';

/** Maximum number of warnings in a response, which also keeps records small. */
const maxWarnings = 100;

/**
 * Splits warnings into those that remain, and the validation errors that strict mode makes of the others. `maxHints` is
 * how many unknown names are compared with the known ones.
 */
export function applyStrictMode(
  warnings: readonly RequestWarning[],
  isStrict: boolean,
  maxHints = maxWarnings,
): { readonly warnings: readonly RequestWarning[]; readonly validationErrors: readonly string[] } {
  if (!isStrict) return { warnings, validationErrors: [] };
  return {
    warnings: warnings.filter(({ strictError }) => strictError === undefined),
    validationErrors: warnings
      .filter(({ strictError }) => strictError !== undefined)
      .slice(0, maxWarnings)
      .map(
        ({ field, strictError = '', unknown }, index) =>
          `${field} ${withHint(strictError, index < maxHints ? unknown : undefined)}`,
      ),
  };
}

function withHint(text: string, unknown: UnknownName | undefined): string {
  const hint = unknown === undefined ? null : hintFor(unknown);
  return hint === null ? text : `${text}; ${hint}`;
}

/**
 * The warnings as responses have them: with the names and in the order of the fields in the request, at most 100. The
 * last one then says how many more there are.
 */
export function toReportedWarnings(
  warnings: readonly RequestWarning[],
  request: unknown,
): readonly ReportedWarning[] {
  if (warnings.length === 0) return [];
  const listable = listableWarnings(warnings);
  // An unknown name has the path that was sent.
  const sent = listable.map((warning) =>
    warning.unknown === undefined ? { ...warning, field: sentPath(warning.field, request) } : warning,
  );
  // Settings that come from the same one may have the same warning.
  const distinct = new Map(sent.map((warning) => [`${warning.field} ${warning.message}`, warning]));
  const positionOf = createPositionOf(request);
  const sorted = [...distinct.values()]
    .map((warning) => ({ warning, position: positionOf(warning.field) }))
    .toSorted((a, b) => comparePositions(a.position, b.position));
  const moreCount = sorted.length + warnings.length - listable.length - maxWarnings;
  return sorted.slice(0, maxWarnings).map(({ warning: { field, message, unknown } }, index) => {
    const more =
      index === maxWarnings - 1 && moreCount > 0 ? `; ${moreCount} more warnings are not listed` : '';
    return { field, message: `${withHint(message, unknown)}${more}` };
  });
}

/**
 * Leaves out the unknown names of an object after the first 100: they are in the order of the request, so that none of
 * them is listed.
 */
function listableWarnings(warnings: readonly RequestWarning[]): readonly RequestWarning[] {
  const counts = new Map<string, number>();
  return warnings.filter(({ unknown }) => {
    if (unknown === undefined) return true;
    const count = (counts.get(unknown.parent) ?? 0) + 1;
    counts.set(unknown.parent, count);
    return count <= maxWarnings;
  });
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((position, at) => position !== b[at]);
  const [one, other] = [a[index], b[index]];
  if (one !== undefined && other !== undefined) return one < other ? -1 : 1;
  return a.length - b.length;
}
