/** A part of the text of a cue in one style. Lines are separated by `\n`. */
export interface CueSpan {
  readonly text: string;
  readonly isItalic?: true;
  readonly isBold?: true;
  readonly isUnderlined?: true;
}

/** A caption: text that is shown from one time to another, in milliseconds from the start of the video. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly spans: readonly CueSpan[];
  /** Settings of WebVTT, such as `align:left`; absent for the default. */
  readonly settings?: string;
  /**
   * The text as the file has it, in the syntax of its captions: see `Captions.syntax`. Absent if only `spans` are
   * known.
   */
  readonly raw?: string;
  /** Present if an ASS file draws a shape, without text. Other formats have no such cues. */
  readonly isDrawing?: true;
}

/** The syntax of `Cue.raw`, in which a track can be written again without loss. `other` has no such form. */
type CueSyntax = 'subrip' | 'webvtt' | 'ass' | 'other';

/** Captions in one language, in the order of the file. */
export interface Captions {
  readonly syntax: CueSyntax;
  /** What precedes the cues in this syntax: styles and regions. Absent if there is nothing. */
  readonly header?: string;
  readonly cues: readonly Cue[];
  /** A code of BCP 47; null if the file does not say. */
  readonly language: string | null;
  /** What was left out, one sentence each. */
  readonly warnings: readonly string[];
  /** The text of a file of SCC, which can be copied, but not written; absent for others. */
  readonly scc?: string;
}

/**
 * The captions of a part of the video, with times from its start, in the order of their times. Cues that cross an end
 * of the part are shortened; those outside are left out.
 */
export function clipCues(cues: readonly Cue[], startMs: number, endMs: number): readonly Cue[] {
  return cuesDuring(cues, startMs, endMs)
    .map((cue) => ({
      ...cue,
      startMs: Math.max(cue.startMs, startMs) - startMs,
      endMs: Math.min(cue.endMs, endMs) - startMs,
    }))
    .toSorted((one, other) => one.startMs - other.startMs);
}

/**
 * The cues that are shown during a segment, with unchanged times: a cue that crosses a boundary belongs to both
 * segments.
 */
export function cuesDuring(cues: readonly Cue[], startMs: number, endMs: number): readonly Cue[] {
  return cues.filter((cue) => cue.endMs > startMs && cue.startMs < endMs);
}

/** A cue is in several segments if it crosses their boundaries. More copies than this are not captions of a video. */
const maxCopies = 2_000_000;

/**
 * The cues that are shown during each of several segments, with unchanged times, in their order. The segments begin at
 * the given times, which ascend, and end where the next one begins, the last at `endMs`. Throws `RangeError` if very
 * many cues are shown in very many segments.
 */
export function cuesOfSegments(
  cues: readonly Cue[],
  startsMs: readonly number[],
  endMs: number,
): readonly (readonly Cue[])[] {
  const segments = startsMs.map((): Cue[] => []);
  const endOf = (index: number) => startsMs[index + 1] ?? endMs;
  let copies = 0;
  for (const cue of cues) {
    // The first segment that ends after the start of the cue.
    let [low, high] = [0, startsMs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (endOf(middle) > cue.startMs) high = middle;
      else low = middle + 1;
    }
    for (let at = low; (startsMs[at] ?? Number.POSITIVE_INFINITY) < cue.endMs; at += 1) {
      if (cue.endMs > (startsMs[at] ?? 0)) segments[at]?.push(cue);
      copies += 1;
      if (copies > maxCopies)
        throw new RangeError('The captions are shown in too many segments. Shorten their times.');
    }
  }
  return segments;
}

/** The whole text of a cue, without styles. */
export function plainText({ spans }: Pick<Cue, 'spans'>): string {
  return spans.map(({ text }) => text).join('');
}

/** The cues that are not drawings of ASS, which only an ASS file can have. */
export function cuesWithText(cues: readonly Cue[]): readonly Cue[] {
  return cues.filter(({ isDrawing }) => isDrawing !== true);
}

/** A longer text fills the screen many times over. Files with such texts are damaged, or are not captions. */
const maxTextLength = 4096;
/**
 * A reader may leave out the text after this many characters, because it is cut. A character has up to two units of
 * UTF-16.
 */
export const maxReadLength = 2 * maxTextLength;

/**
 * Makes the captions of a file valid: cuts what precedes the start of the video, leaves out cues without a duration or
 * a text, and cuts texts that are too long.
 */
export function normalizeCues(captions: Captions): Captions {
  const withText = captions.cues.filter(
    (cue) => hasText(cue) || (cue.isDrawing && captions.syntax === 'ass'),
  );
  const cues = withText.filter((cue) => cue.endMs > cue.startMs);
  const shown = cues.filter(({ endMs }) => endMs > 0);
  const isCut = shown.length < cues.length || shown.some(({ startMs }) => startMs < 0);
  const isLong = (cue: Cue) =>
    plainText(cue).length > maxTextLength || (cue.raw?.length ?? 0) > maxTextLength;
  return {
    ...captions,
    cues: shown.map((cue) => ({
      ...(isLong(cue) ? shortened(cue) : cue),
      startMs: Math.max(0, cue.startMs),
    })),
    warnings: [
      ...captions.warnings,
      ...(cues.length < withText.length ? ['Captions that do not end after their start were left out.'] : []),
      ...(isCut ? ['Captions before the start of the video were cut.'] : []),
      ...(shown.some(isLong) ? [`A caption was cut after ${maxTextLength} characters.`] : []),
    ],
  };
}

/** Whether a cue has more than blanks and control characters, which XML cannot represent. */
function hasText(cue: Cue): boolean {
  return /[^\s\p{Cc}]/u.test(plainText(cue));
}

function shortened({ raw: _, ...cue }: Cue): Cue {
  let left = maxTextLength;
  const spans = cue.spans.flatMap((span) => {
    const text = Array.from(span.text.slice(0, left * 2))
      .slice(0, left)
      .join('');
    left -= text.length;
    return text === '' ? [] : [{ ...span, text }];
  });
  return { ...cue, spans };
}

/** A time as `HH:MM:SS.mmm`, with another decimal separator if one is given. */
export function timeText(ms: number, separator = '.'): string {
  const whole = Math.round(ms);
  const seconds = Math.floor(whole / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(whole % 1000).padStart(3, '0')}`;
}

/** The number of captions that a file may have: those of a film are about 2000. */
const maxCues = 100_000;

/** Throws `RangeError` if a file has more captions than it may have. */
export function checkCount(count: number): void {
  if (count > maxCues)
    throw new RangeError('it has more than 100,000 captions; remove some, or divide it into several files');
}

/** The error about a place in a file of captions. Lines and columns count from 1. */
export function errorAt(line: number, column: number, what: string): RangeError {
  return new RangeError(`line ${line}, column ${column}: ${what}`);
}

/** The lines of a text with any line ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}
