/** What JSON leaves as it is, and a terminal may obey: see safe-text.ts. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A value as JSON, made harmless for a terminal: characters that would steer it are escaped, which changes nothing of what a program
 * reads. On one line, unless an indent is given. What cannot be in JSON is null.
 */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value ?? null, null, indent).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
