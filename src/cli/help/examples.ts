/** The part of a help page that shows commands to copy, one a line. */
export function formatExamples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
