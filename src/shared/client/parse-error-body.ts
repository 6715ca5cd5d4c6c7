import { fieldsOf, readText } from './coerce.js';

/** Keys under which services send error messages, the most specific first. */
const keys = ['errors', 'error_description', 'message', 'detail', 'error', 'title'] as const;
/** A longer text is a page or a stack trace, not a message. */
const maxMessages = 50;
const maxMessageLength = 1000;
const maxDepth = 5;

/**
 * The messages of an error response: from `{"errors": [...]}`, from the forms of other services, or from a line of
 * plain text. Empty if there is no readable message, as in an HTML page.
 */
export function parseErrorBody(body: string): readonly string[] {
  return collectTexts(parseJsonOrLine(body), 0)
    .map((text) => text.trim().slice(0, maxMessageLength))
    .filter((text) => text !== '')
    .slice(0, maxMessages);
}

function parseJsonOrLine(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return /^[^<{[\r\n]{1,300}$/.test(body.trim()) ? body : null;
  }
}

function collectTexts(value: unknown, depth: number): readonly string[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((item) => collectTexts(item, depth + 1));
  const text = readText(value);
  if (text !== null) return [text];
  const fields = fieldsOf(value);
  for (const key of keys) {
    const texts = collectTexts(fields[key], depth + 1);
    if (texts.length > 0) return texts;
  }
  // Messages by field: {"width": ["is too large"]}.
  return depth === 0
    ? []
    : Object.entries(fields).flatMap(([name, fieldValue]) =>
        collectTexts(fieldValue, depth + 1).map((message) => `${name}: ${message}`),
      );
}
