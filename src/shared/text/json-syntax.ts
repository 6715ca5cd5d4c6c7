/** The result of parsing JSON: its value, or where its syntax is wrong. */
type JsonSyntaxResult =
  | { readonly value: unknown }
  | {
      /** `line 2, column 5`, or `column 5` in a single line; null if the parser does not report it. */
      readonly position: string | null;
    };

/**
 * Parses JSON. The message of the parser is not used, because it repeats a part of the text, which may be secret. Pure.
 */
export function parseJsonSyntax(text: string): JsonSyntaxResult {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const offset = /at position (\d+)/.exec(String(error))?.[1];
    // Without a position, the text ends too early.
    if (offset !== undefined) return { position: describePosition(text, Number(offset)) };
    const isCut = /end of JSON input|Unterminated/.test(String(error));
    return { position: isCut ? describePosition(text, text.trimEnd().length) : null };
  }
}

function describePosition(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  const column = `column ${(before.at(-1)?.length ?? 0) + 1}`;
  return text.trimEnd().includes('\n') ? `line ${before.length}, ${column}` : column;
}
