import type { Command } from 'commander';

/** The one-line summary of a command; if it has none, the start of its description. */
export function summaryOf(command: Command): string {
  if (command.summary() !== '') return command.summary();
  const text = command.description().replace(/[.:;].*$/s, '');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** Turns a summary into a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** The section `Examples` of a help page, one command per line. */
export function formatExamples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
