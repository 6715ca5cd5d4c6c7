import { type Captions, type Cue, errorAt } from './cues.js';
import { spansOfTags } from './styled-text.js';

/*
 * SAMI. ffmpeg reads it too, but leaves entities such as `&eacute;` in the text and mixes the languages of a file, so this reader is used.
 */

/** The last caption has no end. */
const lastCaptionMs = 5000;

/** Parses SAMI: the captions in `language`, or in the first language. Throws `RangeError` if there is none. */
export function parseSami(text: string, language?: string): Captions {
  const syncs = [...text.matchAll(/<sync\b[^<>]{0,200}?\bstart\s*=\s*["']?(-?\d{1,10})[^<>]{0,200}>/gi)];
  if (syncs.length === 0) throw errorAt(1, 1, 'there are no captions');
  const languages = languagesOf(text);
  const paragraphs = syncs.flatMap((sync, index) => {
    const content = text.slice(sync.index + sync[0].length, syncs[index + 1]?.index ?? text.length);
    return paragraphsOf(content).map((one) => ({ ...one, startMs: Number(sync[1]) }));
  });
  const wanted =
    paragraphs.find((one) => language !== undefined && matches(languages.get(one.className) ?? '', language))
      ?.className ?? paragraphs.find(({ className }) => className !== '')?.className;
  const own = paragraphs.filter(({ className }) => className === '' || className === wanted);
  const ends = endsOf(own);
  const cues = own.map(
    ({ startMs, content }, index): Cue => ({
      startMs,
      endMs: ends[index] ?? startMs + lastCaptionMs,
      spans: spansOf(content),
    }),
  );
  return { syntax: 'other', cues, language: languages.get(wanted ?? '') ?? null, warnings: [] };
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

function matches(one: string, wanted: string): boolean {
  const primary = (code: string) => code.toLowerCase().split('-')[0];
  return primary(one) === primary(wanted);
}

function paragraphsOf(content: string): readonly { readonly className: string; readonly content: string }[] {
  const starts = [...content.matchAll(/<p\b([^<>]*)>/gi)];
  if (starts.length === 0) return [{ className: '', content }];
  return starts.map((start, index) => ({
    className: (/\bclass\s*=\s*["']?([\w-]+)/i.exec(start[1] ?? '')?.[1] ?? '').toLowerCase(),
    content: content.slice(start.index + start[0].length, starts[index + 1]?.index ?? content.length),
  }));
}

function spansOf(content: string): Cue['spans'] {
  const oneLine = content
    .replaceAll(/<!--[^<>]*-->/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?<br\s*\/?> ?/gi, '\n')
    .trim();
  return spansOfTags(oneLine, { tag: /<(\/?)([a-z]+)(?![a-z])[^<>]*>/gi, toText: withoutEntities });
}

/** The named characters of Latin-1, from U+00A0 on. */
const latin1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );
const others: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));?/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) {
      const at = latin1.indexOf(name);
      return at === -1 ? (others[name.toLowerCase()] ?? entity) : String.fromCodePoint(0xa0 + at);
    }
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
  });
}
