/**
 * Compiles patterns such as `*.{mov,mkv}` into a function that tests a relative path. `*`, `?` and `[a-z]` match within
 * a name, `**` any number of folders, `{a,b}` one of several texts, and `\` makes the next character literal. The case
 * of letters is ignored. A pattern without a slash is compared with the last name of the path, any other with the
 * whole path. Returns the first pattern that is not valid, such as one whose brackets are not closed.
 */
export function compileGlobs(
  patterns: readonly string[],
): { readonly matches: (path: string) => boolean } | { readonly invalid: string } {
  const globs: { readonly expression: RegExp; readonly hasFolder: boolean }[] = [];
  for (const pattern of patterns) {
    const plain = pattern.normalize('NFC').replace(/^(?:\.?\/)+|\/+$/g, '');
    const expression = expressionOf(plain);
    if (expression === null) return { invalid: pattern };
    globs.push({ expression, hasFolder: plain.includes('/') });
  }
  return {
    matches: (path) => {
      const whole = path.normalize('NFC');
      const name = whole.slice(whole.lastIndexOf('/') + 1);
      return globs.some(({ expression, hasFolder }) => expression.test(hasFolder ? whole : name));
    },
  };
}

/** The parts of a pattern: sets, escaped characters, wildcards, braces, and all other characters. */
const parts = /\[[!^]?\]?[^\]/]*\]|\\.|\*\*\/|\*+|./gsu;

/** The regular expression of a pattern; null if that is empty, has an impossible set, or lacks a closing character. */
function expressionOf(pattern: string): RegExp | null {
  const source = pattern === '' ? null : sourceOf(pattern);
  try {
    return source === null ? null : new RegExp(`^${source}$`, 'isu');
  } catch {
    // A set such as [z-a].
    return null;
  }
}

function sourceOf(pattern: string): string | null {
  let depth = 0;
  let source = '';
  for (const [part] of pattern.matchAll(parts)) {
    if (part === '**/') source += '(?:[^/]+/)*';
    else if (part.startsWith('**')) source += '.*';
    else if (part === '*') source += '[^/]*';
    else if (part === '?') source += '[^/]';
    else if (part === '[' || part === '\\') return null;
    else if (part.length > 1 && part.startsWith('[')) source += setOf(part.slice(1, -1));
    else if (part === '{') {
      depth += 1;
      source += '(?:';
    } else if (part === '}' && depth > 0) {
      depth -= 1;
      source += ')';
    } else if (part === ',' && depth > 0) source += '|';
    else source += literal(part.replace(/^\\(?=.)/su, ''));
  }
  return depth === 0 ? source : null;
}

/** A set such as `a-z` or `!0-9`. */
function setOf(content: string): string {
  const isNegated = /^[!^]/.test(content);
  const characters = content.slice(isNegated ? 1 : 0).replace(/[\\[\]^|]/g, '\\$&');
  return `${isNegated ? '(?!/)' : ''}[${isNegated ? '^' : ''}${characters}]`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
