import { SaxesParser } from 'saxes';
import { chooseLanguage } from './choose-language.js';
import { type Captions, type Cue, type CueSpan, checkCount, errorAt, maxReadLength } from './cues.js';
import {
  type Clock,
  clockOf,
  documentTiming,
  endTiming,
  millisecondsOf,
  type Timing,
  timingWithin,
} from './ttml-time.js';

/*
 * Reads captions in Timed Text Markup Language (TTML 1, also called DFXP): `p` elements, their line breaks, and
 * italics, bold and underlined text in `span` elements or styles of an element itself. `body`, `div` and `p` have
 * times. Regions, animation and times of parts of a `p` are left out.
 */

/** An element that has not ended. */
interface OpenElement {
  readonly name: string;
  readonly language: string | null;
  readonly style: Omit<CueSpan, 'text'>;
  readonly preservesSpace: boolean;
  readonly timing: Timing;
  /** Whether its text is not shown. */
  readonly isMetadata: boolean;
  /** The `div` in which it is; null outside of one. */
  readonly division: Division | null;
}

/** The captions of one `div`. */
interface Division {
  readonly language: string | null;
  readonly cues: Cue[];
}

/**
 * Parses TTML. Of several `div` elements, those in `language` are read, or those in the language of the first. Throws
 * `RangeError` with line and column if the text is not well-formed, and if a time is invalid.
 */
export function parseTtml(text: string, language?: string): Captions {
  const reader = new TtmlReader();
  reader.read(text);
  const divisions = reader.divisions.filter(({ cues }) => cues.length > 0);
  const { chosen, warnings } = chooseLanguage(divisions, language);
  return {
    syntax: 'other',
    cues: divisions
      .filter((one) => isSame(one.language, chosen?.language ?? null))
      .flatMap(({ cues }) => cues),
    language: chosen?.language ?? null,
    warnings: [...reader.warnings, ...warnings],
  };
}

function isSame(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}

/** What a `style` element can say of the elements that refer to it. */
const styleAttributes: readonly string[] = ['fontStyle', 'fontWeight', 'textDecoration', 'textAlign'];

/** The elements of `metadata`, which may also be in a `p` itself. */
const metadataElements: readonly string[] = ['metadata', 'title', 'desc', 'copyright', 'agent'];
/** The elements whose times are read. */
const timedElements: readonly string[] = ['body', 'div', 'p'];
/** Valid files have far less depth. */
const maxDepth = 1000;

class TtmlReader {
  readonly divisions: Division[] = [];
  readonly warnings = new Set<string>();
  readonly #parser = new SaxesParser({ position: true, xmlns: false });
  readonly #open: OpenElement[] = [];
  #clock: Clock = { frameRate: 30, tickRate: 1 };
  /** The styles that elements refer to, by `xml:id`. */
  readonly #styles = new Map<string, ReadonlyMap<string, string>>();
  #count = 0;
  /** The length of the text of this cue. */
  #length = 0;
  #cue: (Omit<Cue, 'spans'> & { readonly spans: CueSpan[] }) | null = null;

  read(text: string): void {
    this.#parser.on('opentag', ({ name, attributes }) => {
      const named = new Map(
        Object.entries(attributes).map(([key, value]) => [localName(key), String(value)]),
      );
      this.#start(localName(name), named);
    });
    this.#parser.on('text', (part) => this.#text(part));
    this.#parser.on('cdata', (part) => this.#text(part));
    this.#parser.on('closetag', ({ name }) => this.#end(localName(name)));
    this.#parser.on('doctype', () => {
      throw this.#error('a DOCTYPE is not supported');
    });
    try {
      this.#parser.write(text).close();
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw this.#error('the XML is not well-formed');
    }
  }

  #start(name: string, own: ReadonlyMap<string, string>): void {
    const parent = this.#open.at(-1);
    const attributes = new Map([...(this.#styles.get(own.get('style') ?? '') ?? []), ...own]);
    const id = own.get('id');
    if (name === 'style' && id !== undefined)
      this.#styles.set(id, new Map([...attributes].filter(([key]) => styleAttributes.includes(key))));
    const language = attributes.get('lang') ?? parent?.language ?? null;
    if (name === 'tt') this.#clock = clockOf(attributes);
    const element = {
      name,
      language,
      style: styleOf(attributes, parent?.style ?? {}),
      preservesSpace: attributes.has('space')
        ? attributes.get('space') === 'preserve'
        : (parent?.preservesSpace ?? false),
      timing: this.#timingOf(name, own, parent?.timing ?? documentTiming()),
      isMetadata: metadataElements.includes(name) || parent?.isMetadata === true,
      division: name === 'div' ? this.#division(language) : (parent?.division ?? null),
    };
    this.#open.push(element);
    if (this.#open.length > maxDepth) throw this.#error(`the elements are nested more than ${maxDepth} deep`);
    if (name === 'p') this.#startCue(element.timing, attributes, parent);
    if (name === 'br') this.#text('\n', true);
    if (name === 'set') this.warnings.add('Animation in the captions was left out.');
    if (name === 'region' && parent?.name === 'layout')
      this.warnings.add('Regions of the captions were left out.');
  }

  #division(language: string | null): Division {
    const division: Division = { language, cues: [] };
    this.divisions.push(division);
    return division;
  }

  /** The timing of an element; that of its parent if it has no times of its own. */
  #timingOf(name: string, own: ReadonlyMap<string, string>, parent: Timing): Timing {
    const [begin, end, duration] = ['begin', 'end', 'dur'].map((key) => own.get(key));
    if (timedElements.includes(name))
      return timingWithin(parent, {
        begin: this.#time(begin),
        end: this.#time(end),
        duration: this.#time(duration),
        isSequence: own.get('timeContainer') === 'seq',
      });
    if (name === 'span' && (begin ?? end ?? duration) !== undefined)
      this.warnings.add('Times of parts of a caption were left out: its whole text is shown at once.');
    return parent;
  }

  #startCue(
    { startMs, endMs, hasEnd }: Timing,
    attributes: ReadonlyMap<string, string>,
    parent: OpenElement | undefined,
  ): void {
    // In a sequence, an element that does not say when it ends has no duration.
    const isEndless = parent?.timing.isSequence === true ? !hasEnd : endMs === Number.POSITIVE_INFINITY;
    if (isEndless) {
      this.warnings.add('Captions without an end were left out.');
      return;
    }
    this.#length = 0;
    this.#cue = { startMs, endMs, spans: [], ...settingsOf(attributes) };
  }

  #text(part: string, isBreak = false): void {
    const element = this.#open.at(-1);
    if (this.#cue === null || element === undefined || element.isMetadata || part === '') return;
    if (this.#length > maxReadLength) return;
    const text = isBreak || element.preservesSpace ? part : part.replaceAll(/\s+/g, ' ');
    this.#length += text.length;
    this.#cue.spans.push({ text, ...element.style });
  }

  #end(name: string): void {
    const element = this.#open.pop();
    const parent = this.#open.at(-1);
    if (element !== undefined && parent !== undefined && element.timing !== parent.timing)
      endTiming(parent.timing, element.timing);
    if (name !== 'p' || this.#cue === null) return;
    const { spans, ...cue } = this.#cue;
    this.#cue = null;
    const trimmed = trimSpans(spans);
    if (trimmed.length === 0) return;
    this.#count += 1;
    checkCount(this.#count);
    const division = element?.division ?? this.divisions[0] ?? this.#division(parent?.language ?? null);
    division.cues.push({ ...cue, spans: trimmed });
  }

  #time(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const ms = millisecondsOf(text.trim(), this.#clock);
    if (ms === null) throw this.#error(`"${text.slice(0, 40)}" is not a time`);
    return ms;
  }

  #error(what: string): RangeError {
    return errorAt(this.#parser.line, this.#parser.column, what);
  }
}

/** The alignment as a setting of WebVTT. Centred text is the default. */
function settingsOf(attributes: ReadonlyMap<string, string>): Pick<Cue, 'settings'> {
  const align = attributes.get('textAlign') ?? '';
  return /^(?:left|right|start|end)$/.test(align) ? { settings: `align:${align}` } : {};
}

/** The style of an element: what it says itself, or else that of its parent. */
function styleOf(
  attributes: ReadonlyMap<string, string>,
  parent: OpenElement['style'],
): Omit<CueSpan, 'text'> {
  const slant = attributes.get('fontStyle');
  const weight = attributes.get('fontWeight');
  const decoration = attributes.get('textDecoration') ?? '';
  const isSlanted = slant === undefined ? parent.isItalic : slant === 'italic' || slant === 'oblique';
  const isHeavy = weight === undefined ? parent.isBold : weight === 'bold';
  const isLined = /\b(?:none|noUnderline)\b/.test(decoration)
    ? false
    : parent.isUnderlined || /\bunderline\b/.test(decoration);
  return {
    ...(isSlanted ? { isItalic: true } : {}),
    ...(isHeavy ? { isBold: true } : {}),
    ...(isLined ? { isUnderlined: true } : {}),
  };
}

/** Removes the spaces at the start and the end of the text and of each line; omits parts that become empty. */
function trimSpans(spans: readonly CueSpan[]): readonly CueSpan[] {
  const trimmed: CueSpan[] = [];
  for (const [index, span] of spans.entries()) {
    const isAtLineStart = index === 0 || spans[index - 1]?.text === '\n';
    const isAtLineEnd = index === spans.length - 1 || spans[index + 1]?.text === '\n';
    const start = isAtLineStart ? span.text.replace(/^ +/, '') : span.text;
    const text = isAtLineEnd ? withoutSpacesAtEnd(start) : start;
    if (text !== '') trimmed.push({ ...span, text });
  }
  const isText = ({ text }: CueSpan) => text !== '\n';
  const first = trimmed.findIndex(isText);
  return first === -1 ? [] : trimmed.slice(first, trimmed.findLastIndex(isText) + 1);
}

// The pattern / +$/ would start again at each space of a long row.
function withoutSpacesAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end -= 1;
  return text.slice(0, end);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
