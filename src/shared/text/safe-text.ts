// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A text that came from elsewhere, made harmless for a terminal: control characters and those that turn the
 * direction of writing are shown as `\x1b` or `\u202e`, and so cannot move the cursor, colour the screen or fake a line.
 */
export function safeText(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code}`;
  });
}

/** What JSON leaves as it is, and a terminal may obey: see safe-text.ts. */
const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A value as JSON, made harmless for a terminal: characters that would steer it are escaped, which changes nothing of what a program
 * reads. On one line, unless an indent is given. What cannot be in JSON is null.
 */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value ?? null, null, indent).replace(
    unsafeInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
