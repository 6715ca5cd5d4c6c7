import { chooseLanguage } from './choose-language.js';
import { type Captions, type Cue, checkCount, errorAt } from './cues.js';
import { withoutEntities } from './entities.js';
import { spansOfTags } from './styled-text.js';

/*
 * SAMI. ffmpeg reads it too, but leaves entities such as `&eacute;` in the text and mixes the languages of a file, so
 * this reader is used.
 */

/** The last caption has no end. */
const lastCaptionMs = 5000;

/** Parses SAMI: the captions in `language`, or in the first language. Throws `RangeError` if there is none. */
export function parseSami(text: string, language?: string): Captions {
  const paragraphs = readParagraphs(text);
  if (paragraphs.length === 0) throw errorAt(1, 1, 'there are no captions');
  const languages = languagesOf(text);
  const classes = [...new Set(paragraphs.map(({ className }) => className))].filter((name) => name !== '');
  const { chosen, warnings } = chooseLanguage(
    classes.map((name) => ({ name, language: languages.get(name) ?? null })),
    language,
  );
  const own = paragraphs.filter(({ className }) => className === '' || className === chosen?.name);
  const ends = endsOf(own);
  const cues = own.map(
    ({ startMs, content }, index): Cue => ({
      startMs,
      endMs: ends[index] ?? startMs + lastCaptionMs,
      spans: spansOf(content),
    }),
  );
  return { syntax: 'other', cues, language: chosen?.language ?? null, warnings };
}

/** The first later start after that of each caption; undefined if there is none. */
function endsOf(captions: readonly { readonly startMs: number }[]): readonly (number | undefined)[] {
  // From the end, the starts that can be the end of a preceding caption: the nearest is last and the lowest.
  const later: number[] = [];
  const ends: (number | undefined)[] = [];
  for (const { startMs } of captions.toReversed()) {
    while ((later.at(-1) ?? Number.POSITIVE_INFINITY) <= startMs) later.pop();
    ends.push(later.at(-1));
    later.push(startMs);
  }
  return ends.reverse();
}

/** The languages of classes, by the name of the class in lower case: `.ENUSCC { lang: en-US; }`. */
function languagesOf(text: string): ReadonlyMap<string, string> {
  const head = text.slice(0, 65_536);
  const start = head.search(/<style\b[^<>]*>/i);
  const end = start === -1 ? -1 : head.slice(start).search(/<\/style>/i);
  const styles = end === -1 ? '' : head.slice(start, start + end);
  return new Map(
    [...styles.matchAll(/\.([\w-]+)\s*\{([^{}]*)\}/g)].flatMap(([, name = '', rules = '']) => {
      const language = /\blang\s*:\s*([\w-]+)/i.exec(rules)?.[1];
      return language === undefined ? [] : [[name.toLowerCase(), language] as const];
    }),
  );
}

/** A text in one language, or the end of one if its content is blank. */
interface Paragraph {
  readonly startMs: number;
  /** In lower case; empty if it has none. */
  readonly className: string;
  readonly content: string;
}

const syncTag = /<sync\b[^<>]{0,200}?\bstart\s*=\s*["']?(-?\d{1,10})[^<>]{0,200}>/gi;

function readParagraphs(text: string): readonly Paragraph[] {
  const syncs: { readonly startMs: number; readonly at: number; readonly end: number }[] = [];
  for (const sync of text.matchAll(syncTag))
    syncs.push({ startMs: Number(sync[1]), at: sync.index, end: sync.index + sync[0].length });
  const paragraphs: Paragraph[] = [];
  let count = 0;
  for (const [index, { startMs, end }] of syncs.entries()) {
    for (const part of paragraphsOf(text.slice(end, syncs[index + 1]?.at ?? text.length))) {
      const last = paragraphs.at(-1);
      const isEnd = isBlank(part.content);
      if (!isEnd) checkCount(++count);
      // Of several ends of the same caption, one is enough.
      else if (last?.className === part.className && last.startMs === startMs) continue;
      paragraphs.push({ ...part, startMs });
    }
  }
  return paragraphs;
}

function isBlank(content: string): boolean {
  const text = content.trim();
  return text === '' || text === '&nbsp;' || text === '&nbsp';
}

function* paragraphsOf(content: string): Generator<Omit<Paragraph, 'startMs'>> {
  let before: { readonly className: string; readonly end: number } | null = null;
  for (const start of content.matchAll(/<p\b([^<>]*)>/gi)) {
    if (before !== null)
      yield { className: before.className, content: content.slice(before.end, start.index) };
    const className = /\bclass\s*=\s*["']?([\w-]+)/i.exec(start[1] ?? '')?.[1] ?? '';
    before = { className: className.toLowerCase(), end: start.index + start[0].length };
  }
  yield before === null
    ? { className: '', content }
    : { className: before.className, content: content.slice(before.end) };
}

function spansOf(content: string): Cue['spans'] {
  const oneLine = content
    .replaceAll(/<!--[^<>]*-->/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?<br\s*\/?> ?/gi, '\n')
    .trim();
  return spansOfTags(oneLine, { tag: /<(\/?)([a-z]+)(?![a-z])[^<>]*>/gi, toText: withoutEntities });
}
