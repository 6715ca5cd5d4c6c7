import { safeText } from '../../shared/text/safe-text.js';

/** The shells that have completions. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/** The file name under which each shell searches for the completions of venc. */
export const completionFiles = {
  bash: 'venc.bash',
  zsh: '_venc',
  fish: 'venc.fish',
} as const satisfies Record<Shell, string>;

/** A completion, and the description that a shell may show next to it. */
export interface CompletionItem {
  readonly word: string;
  readonly about: string;
}

/** The words of a command line up to the cursor. */
interface TypedWords {
  readonly before: readonly string[];
  /** The unfinished word at the cursor, without its quotes. */
  readonly current: string;
  /** The quote that is open at the cursor; empty if there is none. */
  readonly quote: string;
  /** The start of the current word that bash treats as earlier words. */
  readonly kept: string;
}

/** What can stand at the cursor. */
export interface CompletionOffer {
  /**
   * `files` and `folders` leave the completion to the shell, `ordered` words keep their order, after an `open` word comes
   * its value, and after a `listed` word can come a comma.
   */
  readonly how: 'words' | 'ordered' | 'open' | 'listed' | 'files' | 'folders';
  /** The start of the current word that all items follow, e.g. `--state=`. */
  readonly prefix: string;
  readonly items: readonly CompletionItem[];
}

/** Reads the words as a shell splits them, with their quotes. */
export function readTypedWords(shell: Shell, words: readonly string[]): TypedWords {
  const joined: string[] = [];
  let last = '';
  for (const word of words) {
    // Bash also splits words at = and :.
    if (shell === 'bash' && joined.length > 0 && [word, last].some(isSeparator))
      joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    last = word;
  }
  const current = joined.pop() ?? '';
  const kept =
    shell === 'bash' ? current.slice(0, current.length - (isSeparator(last) ? 0 : last.length)) : '';
  return {
    before: joined.map((word) => unquoted(word).text),
    current: unquoted(current).text,
    quote: unquoted(current).quote,
    kept: unquoted(kept).text,
  };
}

function isSeparator(word: string): boolean {
  return /^[=:]+$/.test(word);
}

function unquoted(word: string): { readonly text: string; readonly quote: string } {
  let quote = '';
  const text = word.replace(/\\(.)|["']/g, (mark, escaped: string | undefined) => {
    if (escaped !== undefined) return quote === '' ? escaped : mark;
    if (quote !== '' && quote !== mark) return mark;
    quote = quote === '' ? mark : '';
    return '';
  });
  return { text, quote };
}

/**
 * The answer for a completion script: a line with `how`, then one line per word. Bash inserts the lines as they are; the
 * others filter the words, insert quotes, and show what follows the tab.
 */
export function formatOffer(
  shell: Shell,
  typed: TypedWords,
  { how, prefix, items }: CompletionOffer,
): string {
  // Names come from services, and control characters could move the cursor or start another line.
  const safe = items.filter(({ word }) => !/[\p{Cc}\u2028\u2029]/u.test(word));
  const width = Math.max(0, ...safe.map(({ word }) => word.length));
  const lines = safe.flatMap(({ word, about }) => {
    const text = `${prefix}${word}`;
    const shown = safeText(about).replace(/\s+/g, ' ');
    if (shell === 'fish') return [`${text}\t${shown}`];
    if (shell === 'zsh') return [`${text}\t${shown === '' ? word : `${word.padEnd(width)}  ${shown}`}`];
    if (!text.startsWith(typed.current)) return [];
    const rest = text.slice(typed.kept.length);
    if (typed.quote !== '') return /['"$`\\!]/.test(rest) ? [] : [rest];
    return [rest.replace(/[\s!"#$&'()*,;<>?[\\\]^`{|}]/g, how === 'ordered' ? '\\$&' : '$&')];
  });
  return [how, ...lines, ''].join('\n');
}
