import { fieldsOf, readText } from './coerce.js';

/** Keys under which services say what went wrong, those that say most first. */
const keys = ['errors', 'error_description', 'message', 'detail', 'error', 'title'] as const;
/** More is a page or a stack, and no message. */
const maxMessages = 50;
const maxMessageLength = 1000;
const maxDepth = 5;

/**
 * What a refusing answer says in words, one complaint each: `{"errors": [...]}` as our own daemon has it, the ways of others, and a
 * plain line. Nothing where it says nothing to people, as an HTML page.
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
  // By the names of fields: {"width": ["is too large"]}.
  return depth === 0
    ? []
    : Object.entries(fields).flatMap(([name, fieldValue]) =>
        collectTexts(fieldValue, depth + 1).map((message) => `${name}: ${message}`),
      );
}
