import type { LogEntry, LogLevel } from '../util/log.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the ones to find.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Makes untrusted text safe for a terminal: control characters and bidirectional formatting characters become `\x1b`
 * or `\u202e`, so that they cannot move the cursor, colour the screen or fake a line.
 */
export function safeText(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code}`;
  });
}

/** Characters that JSON does not escape, but that can affect a terminal, as for `safeText`. */
const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Formats a value as JSON that is safe for a terminal: characters that affect a terminal are escaped, which does not
 * change the parsed value. On one line, unless an indent is given. Values that JSON cannot represent become null.
 */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value ?? null, null, indent).replace(
    unsafeInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Colours for the parts of a line of a log. */
export interface LogColours {
  readonly time: (text: string) => string;
  readonly level: (text: string, level: LogLevel) => string;
  readonly stderr: (text: string) => string;
}

const plain: LogColours = { time: (text) => text, level: (text) => text, stderr: (text) => text };

/**
 * A line of a log as text, safe for a terminal. The other lines of a message, such as a stack trace, and the lines of
 * stderr follow on lines of their own. They are indented, so that no text looks like another line of the log.
 */
export function logText(
  { time, level, message, stderr = [] }: Pick<LogEntry, 'time' | 'level' | 'message' | 'stderr'>,
  colours: LogColours = plain,
): string {
  const [firstLine = '', ...moreLines] = message.split('\n');
  const first = `${colours.time(safeText(time))} ${colours.level(level.padEnd(5), level)} ${safeText(firstLine)}`;
  return [
    first,
    ...moreLines.map((line) => `    ${safeText(line)}`),
    ...stderr.map((line) => colours.stderr(`    ${safeText(line)}`)),
  ].join('\n');
}
