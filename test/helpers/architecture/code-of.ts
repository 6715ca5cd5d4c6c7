/** A text of TypeScript in two strengths; each keeps the length and the lines of the original. */
interface Code {
  /** Comments are blank. */
  readonly bare: string;
  /** Comments are blank, and so is what stands between quotes, backticks and the slashes of patterns. */
  readonly code: string;
}

/** After these a slash begins a pattern; after anything else it divides. */
const beforePattern =
  /(?:^|[(,=:[!&|?{};+*%~^-]|=>|\b(?:return|typeof|case|in|of|throw|await|new|void|delete))\s*$/;

const tokens = {
  lineComment: /\/\/[^\n]*/y,
  blockComment: /\/\*[\s\S]*?(?:\*\/|$)/y,
  // To the end of the line at most: an apostrophe in the text of a view begins no string.
  quoted: /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?/y,
  pattern: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  // Up to its end or to the next value that is put in.
  template: /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y,
} as const;

/**
 * Takes a text apart just far enough that rules can look for words in it without meeting comments and quotations.
 * The compiler's own reader is not used: it comes as a native program without an interface for this.
 */
export function codeOf(text: string): Code {
  const blanks: { readonly start: number; readonly end: number; readonly isComment: boolean }[] = [];
  /** How many braces are open within each value that is put into a template. */
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
