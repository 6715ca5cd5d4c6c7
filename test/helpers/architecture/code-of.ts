/** A TypeScript text with parts blanked out. Each version keeps the length and the lines of the original. */
interface Code {
  /** The text without comments. */
  readonly bare: string;
  /** The text without comments and without the content of quotes, template strings and regular expressions. */
  readonly code: string;
}

/** After these characters a slash starts a regular expression; after anything else it is a division. */
const beforePattern =
  /(?:^|[(,=:[!&|?{};+*%~^-]|=>|\b(?:return|typeof|case|in|of|throw|await|new|void|delete))\s*$/;

const tokens = {
  lineComment: /\/\/[^\n]*/y,
  blockComment: /\/\*[\s\S]*?(?:\*\/|$)/y,
  // At most to the end of the line: an apostrophe in JSX text does not start a string.
  quoted: /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?/y,
  pattern: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  // To its end or to the next interpolated value.
  template: /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y,
} as const;

/**
 * Blanks out comments and quotations, so that rules can search the text for words. The compiler's parser is not used, because the compiler
 * is a native program without an API for this.
 */
export function codeOf(text: string): Code {
  const blanks: { readonly start: number; readonly end: number; readonly isComment: boolean }[] = [];
  /** The number of open braces within each interpolated value of a template string. */
  const values: number[] = [];
  let index = 0;

  const matchAt = (token: RegExp, from: number): number => {
    token.lastIndex = from;
    return token.test(text) ? token.lastIndex : -1;
  };
  const blankTo = (end: number, isComment: boolean, inset = 0) => {
    blanks.push({ start: index + inset, end: end - inset, isComment });
    index = end;
  };
  const template = (from: number) => {
    const end = matchAt(tokens.template, from);
    const isValue = text.slice(end - 2, end) === '${';
    blanks.push({ start: from, end: isValue ? end - 2 : end - 1, isComment: false });
    if (isValue) values.push(0);
    index = end;
  };

  while (index < text.length) {
    const two = text.slice(index, index + 2);
    const one = two[0] ?? '';
    const open = values.at(-1);
    if (two === '//') blankTo(matchAt(tokens.lineComment, index), true);
    else if (two === '/*') blankTo(matchAt(tokens.blockComment, index), true);
    else if (one === "'" || one === '"') blankTo(matchAt(tokens.quoted, index), false, 1);
    else if (one === '`') template(index + 1);
    else if (open !== undefined && one === '}' && open === 0) {
      values.pop();
      template(index + 1);
    } else {
      if (open !== undefined && (one === '{' || one === '}'))
        values.push((values.pop() ?? 0) + (one === '{' ? 1 : -1));
      const isPattern = one === '/' && beforePattern.test(text.slice(Math.max(0, index - 40), index));
      const end = isPattern ? matchAt(tokens.pattern, index) : -1;
      if (end > 0) blankTo(end, false, 1);
      else index += 1;
    }
  }
  return {
    bare: blanked(
      text,
      blanks.filter(({ isComment }) => isComment),
    ),
    code: blanked(text, blanks),
  };
}

function blanked(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(done, start), text.slice(start, end).replace(/[^\n]/g, ' '));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}
