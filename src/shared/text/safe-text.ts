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
