import { SaxesParser } from 'saxes';
import { type Captions, type Cue, type CueSpan, errorAt } from './cues.js';

/*
 * Reads captions in Timed Text Markup Language (TTML 1, also called DFXP): `p` elements with `begin`, `end` and `dur`, their line breaks,
 * and italics, bold and underlined text in `span` elements or styles of an element itself. Regions, animation and timing of other
 * elements are left out.
 */

/** The clock of a document: attributes `ttp:frameRate`, `ttp:frameRateMultiplier` and `ttp:tickRate`. */
interface Clock {
  readonly frameRate: number;
  readonly tickRate: number;
}

/** An element that has not ended. */
interface OpenElement {
  readonly name: string;
  readonly language: string | null;
  readonly style: Omit<CueSpan, 'text'>;
  readonly preservesSpace: boolean;
}

/** The captions of one `div`. */
interface Division {
  readonly language: string | null;
  readonly cues: Cue[];
}

/**
 * Parses TTML. Of several `div` elements, those in `language` are read, or those in the language of the first. Throws `RangeError` with
 * line and column if the text is not well-formed, and if a time is invalid.
 */
export function parseTtml(text: string, language?: string): Captions {
  const reader = new TtmlReader();
  reader.read(text);
  const { divisions, warnings } = reader;
  const wanted =
    divisions.find((one) => language !== undefined && isSame(one.language, language)) ?? divisions[0];
  return {
    syntax: 'other',
    cues: divisions
      .filter((one) => isSame(one.language, wanted?.language ?? null))
      .flatMap(({ cues }) => cues),
    language: wanted?.language ?? null,
    warnings: [...warnings],
  };
}

function isSame(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}

/** What a `style` element can say of the elements that refer to it. */
const styleAttributes: readonly string[] = ['fontStyle', 'fontWeight', 'textDecoration', 'textAlign'];

class TtmlReader {
  readonly divisions: Division[] = [];
  readonly warnings = new Set<string>();
  readonly #parser = new SaxesParser({ position: true, xmlns: false });
  readonly #open: OpenElement[] = [];
  #clock: Clock = { frameRate: 30, tickRate: 1 };
  /** The styles that elements refer to, by `xml:id`. */
  readonly #styles = new Map<string, ReadonlyMap<string, string>>();
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
    this.#open.push({
      name,
      language: attributes.get('lang') ?? parent?.language ?? null,
      style: { ...parent?.style, ...styleOf(attributes) },
      preservesSpace: attributes.has('space')
        ? attributes.get('space') === 'preserve'
        : (parent?.preservesSpace ?? false),
    });
    if (name === 'tt') this.#clock = clockOf(attributes);
    if (name === 'div') this.divisions.push({ language: this.#open.at(-1)?.language ?? null, cues: [] });
    if (name === 'p') this.#startCue(attributes);
    if (name === 'br') this.#text('\n', true);
    if (name === 'set') this.warnings.add('Animation in the captions was left out.');
    if (name === 'region' && parent?.name === 'layout')
      this.warnings.add('Regions of the captions were left out.');
  }

  #startCue(attributes: ReadonlyMap<string, string>): void {
    const startMs = this.#time(attributes.get('begin') ?? '0s');
    const duration = attributes.get('dur');
    const end = attributes.get('end');
    const ends = [
      ...(end === undefined ? [] : [this.#time(end)]),
      ...(duration === undefined ? [] : [startMs + this.#time(duration)]),
    ];
    if (ends.length === 0) this.warnings.add('Captions without an end were left out.');
    else this.#cue = { startMs, endMs: Math.min(...ends), spans: [], ...settingsOf(attributes) };
  }

  #text(part: string, isBreak = false): void {
    const element = this.#open.at(-1);
    if (this.#cue === null || element === undefined || part === '') return;
    const text = isBreak || element.preservesSpace ? part : part.replaceAll(/\s+/g, ' ');
    this.#cue.spans.push({ text, ...element.style });
  }

  #end(name: string): void {
    this.#open.pop();
    if (name !== 'p' || this.#cue === null) return;
    const { spans, ...cue } = this.#cue;
    this.#cue = null;
    const trimmed = trimSpans(spans);
    if (trimmed.length === 0) return;
    if (this.divisions.length === 0)
      this.divisions.push({ language: this.#open.at(-1)?.language ?? null, cues: [] });
    this.divisions.at(-1)?.cues.push({ ...cue, spans: trimmed });
  }

  #time(text: string): number {
    const ms = millisecondsOf(text.trim(), this.#clock);
    if (ms === null) throw this.#error(`"${text.slice(0, 40)}" is not a time`);
    return ms;
  }

  #error(what: string): RangeError {
    return errorAt(this.#parser.line, this.#parser.column, what);
  }
}

function clockOf(attributes: ReadonlyMap<string, string>): Clock {
  const [numerator = 1, denominator = 1] = (attributes.get('frameRateMultiplier') ?? '1 1')
    .split(/[ :]+/)
    .map(Number);
  const given = attributes.get('frameRate');
  const frameRate = (Number(given ?? 30) * numerator) / denominator;
  const tickRate = Number(attributes.get('tickRate') ?? (given === undefined ? 1 : frameRate));
  return { frameRate: frameRate > 0 ? frameRate : 30, tickRate: tickRate > 0 ? tickRate : 1 };
}

/** A time expression (TTML 1, section 10.3.1) in milliseconds; null if it is invalid. */
function millisecondsOf(text: string, { frameRate, tickRate }: Clock): number | null {
  const clock = /^(\d{2,}):([0-5]\d):([0-5]\d|60)(?:\.(\d+)|:(\d{2,})(?:\.\d+)?)?$/.exec(text);
  if (clock !== null) {
    const [, hours, minutes, seconds, fraction, frames = '0'] = clock;
    const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return Math.round((whole + Number(`0.${fraction ?? 0}`) + Number(frames) / frameRate) * 1000);
  }
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(h|ms|m|s|f|t)$/.exec(text) ?? [];
  if (amount === undefined) return null;
  const seconds = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frameRate, t: 1 / tickRate }[unit] ?? 0;
  return Math.round(Number(amount) * seconds * 1000);
}

/** The alignment as a setting of WebVTT. Centred text is the default. */
function settingsOf(attributes: ReadonlyMap<string, string>): Pick<Cue, 'settings'> {
  const align = attributes.get('textAlign') ?? '';
  return /^(?:left|right|start|end)$/.test(align) ? { settings: `align:${align}` } : {};
}

function styleOf(attributes: ReadonlyMap<string, string>): Omit<CueSpan, 'text'> {
  const slant = attributes.get('fontStyle');
  return {
    ...(slant === 'italic' || slant === 'oblique' ? { isItalic: true } : {}),
    ...(attributes.get('fontWeight') === 'bold' ? { isBold: true } : {}),
    ...(attributes.get('textDecoration') === 'underline' ? { isUnderlined: true } : {}),
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
