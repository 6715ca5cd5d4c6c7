import { type CueSpan, maxReadLength } from './cues.js';

/** What the tags and entities of a syntax mean. */
interface TagSyntax {
  /** The pattern of a tag: everything else is text. Group 1 is `/` for an end tag, group 2 the name. */
  readonly tag: RegExp;
  /** Converts text between tags. */
  readonly toText: (text: string) => string;
}

/** The styled parts of a text with tags. `i`, `b` and `u` are styles, and all other tags are left out. */
export function spansOfTags(content: string, { tag, toText }: TagSyntax): readonly CueSpan[] {
  const spans: CueSpan[] = [];
  const open: OpenTags = { i: 0, b: 0, u: 0 };
  const add = (part: string) => {
    const text = toText(part);
    if (text === '') return;
    const style = styleOf(open);
    const last = spans.at(-1);
    if (last !== undefined && isSameStyle(last, style))
      spans[spans.length - 1] = { ...last, text: last.text + text };
    else spans.push({ text, ...style });
    length += text.length;
  };
  let length = 0;
  let end = 0;
  for (const match of content.matchAll(tag)) {
    add(content.slice(end, match.index));
    end = match.index + match[0].length;
    if (length > maxReadLength) return spans;
    const name = (match[2] ?? '').toLowerCase();
    if (name === 'i' || name === 'b' || name === 'u')
      open[name] = Math.max(0, open[name] + (match[1] === '/' ? -1 : 1));
  }
  add(content.slice(end));
  return spans;
}

/** The number of tags of each style that have not ended. */
type OpenTags = Record<'i' | 'b' | 'u', number>;

function styleOf({ i, b, u }: OpenTags): Omit<CueSpan, 'text'> {
  return {
    ...(i > 0 ? { isItalic: true } : {}),
    ...(b > 0 ? { isBold: true } : {}),
    ...(u > 0 ? { isUnderlined: true } : {}),
  };
}

/** Whether two parts of a text have the same style. */
function isSameStyle(one: Omit<CueSpan, 'text'>, other: Omit<CueSpan, 'text'>): boolean {
  return (
    one.isItalic === other.isItalic && one.isBold === other.isBold && one.isUnderlined === other.isUnderlined
  );
}

/** A part of a text with the tags of its style. `toMarkup` converts the text itself. */
export function taggedText(
  { text, isItalic, isBold, isUnderlined }: CueSpan,
  toMarkup: (text: string) => string,
): string {
  const tags = [...(isItalic ? ['i'] : []), ...(isBold ? ['b'] : []), ...(isUnderlined ? ['u'] : [])];
  return tags.reduceRight((inner, tag) => `<${tag}>${inner}</${tag}>`, toMarkup(text));
}
