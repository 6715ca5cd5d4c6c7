import { fieldsOf, readText } from './read-values.js';

/** Keys under which services say what went wrong, those that say most first. */
const keys = ['errors', 'error_description', 'message', 'detail', 'error', 'title'] as const;
/** More is a page or a stack, and no message. */
const mostComplaints = 50;
const longestComplaint = 1000;
const deepest = 5;

/**
 * What a refusing answer says in words, one complaint each: `{"errors": [...]}` as our own daemon has it, the ways of others, and a
 * plain line. Nothing where it says nothing to people, as an HTML page.
 */
export function saidIn(body: string): readonly string[] {
  return textsOf(parsed(body), 0)
    .map((text) => text.trim().slice(0, longestComplaint))
    .filter((text) => text !== '')
    .slice(0, mostComplaints);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return /^[^<{[\r\n]{1,300}$/.test(body.trim()) ? body : null;
  }
}

function textsOf(value: unknown, depth: number): readonly string[] {
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, depth + 1));
  const text = readText(value);
  if (text !== null) return [text];
  const fields = fieldsOf(value);
  for (const key of keys) {
    const texts = textsOf(fields[key], depth + 1);
    if (texts.length > 0) return texts;
  }
  // By the names of fields: {"width": ["is too large"]}.
  return depth === 0
    ? []
    : Object.entries(fields).flatMap(([name, said]) =>
        textsOf(said, depth + 1).map((each) => `${name}: ${each}`),
      );
}
