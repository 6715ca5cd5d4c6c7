import { safeText } from '../../shared/text/safe-text.js';

/** An output that was skipped, and the sentence of its record about it. */
interface SkippedOutput {
  readonly label: string | null;
  readonly reason: string;
}

/**
 * What the input has, in the reason for which a rendition of a ladder is left out: its rules are those of the ladder,
 * so that the setting means nothing to the user. Null for all other outputs.
 */
function causeOf({ label, reason }: SkippedOutput): string | null {
  if (label === null || !/^\d+p$/.test(label)) return null;
  const pattern =
    /^This output was skipped, because (the input has (?:\d+ lines(?=, and skip\.min_height )|no video(?=\.)))/;
  return pattern.exec(reason)?.[1] ?? null;
}

/** Whether an output is a rendition of a ladder that the input has no use for. */
export function isUnusedRendition(output: SkippedOutput): boolean {
  return causeOf(output) !== null;
}

/**
 * The unused renditions of a ladder among skipped outputs: their labels, and what the input has, once for all with the
 * same cause.
 */
export function unusedRenditions(
  outputs: readonly SkippedOutput[],
): readonly { readonly labels: readonly string[]; readonly cause: string }[] {
  const causes = new Map<string, string[]>();
  for (const output of outputs) {
    const cause = causeOf(output);
    if (cause !== null) causes.set(cause, [...(causes.get(cause) ?? []), safeText(output.label ?? '')]);
  }
  return [...causes].map(([cause, labels]) => ({ labels, cause }));
}
