import type { EncodeProgress } from './ffmpeg-types.js';

/** The keys and values of one `-progress` report. */
export type ProgressBlock = ReadonlyMap<string, string>;

/** The parser's state: the incomplete line and the incomplete block. */
export interface ProgressParserState {
  readonly rest: string;
  readonly lines: readonly string[];
}

/** More characters in a line, or lines without the end of a block, are not from `-progress`. The state keeps no more of them. */
const maxLineCharacters = 65_536;
const maxBlockLines = 1000;

/** Whether a program printed what cannot be the progress of ffmpeg. */
export function isNoProgress({ rest, lines }: ProgressParserState): boolean {
  return rest.length > maxLineCharacters || lines.length > maxBlockLines;
}

/** The state before the first text. */
export const initialProgressState: ProgressParserState = { rest: '', lines: [] };

function parseBlock(lines: readonly string[]): ProgressBlock {
  const pairs = lines.map((line): readonly [string, string] => {
    const [key = '', ...value] = line.split('=');
    return [key.trim(), value.join('=').trim()];
  });
  return new Map(pairs);
}

/** Parses the next chunk of text, which may begin and end anywhere, and returns the blocks that it completes (each ends with `progress=`). */
export function parseProgressText(
  state: ProgressParserState,
  text: string,
): { readonly state: ProgressParserState; readonly blocks: readonly ProgressBlock[] } {
  const splitLines = (state.rest + text).split('\n');
  const rest = splitLines.pop() ?? '';
  const blocks: ProgressBlock[] = [];
  let lines = [...state.lines];
  for (const line of splitLines) {
    lines.push(line);
    if (!line.startsWith('progress=')) continue;
    blocks.push(parseBlock(lines));
    lines = [];
  }
  const kept = { rest: rest.slice(-maxLineCharacters - 1), lines: lines.slice(-maxBlockLines - 1) };
  return { state: kept, blocks };
}

/** A number as ffmpeg prints it (`30.0`, `1.02x`, ` 7`); null for `N/A` and other text. */
function parseNumber(text: string | undefined): number | null {
  const number = Number.parseFloat(text ?? '');
  return Number.isFinite(number) ? number : null;
}

/**
 * The progress of a block. `out_time_ms` is in microseconds in every release; later releases added `out_time_us`. Both are `N/A` or far below
 * zero until something has been written, which counts as 0.
 */
export function progressOf(block: ProgressBlock): EncodeProgress {
  const microseconds = parseNumber(block.get('out_time_us')) ?? parseNumber(block.get('out_time_ms')) ?? 0;
  return {
    seconds: Math.max(0, microseconds / 1_000_000),
    frame: parseNumber(block.get('frame')),
    fps: parseNumber(block.get('fps')),
    speed: parseNumber(block.get('speed')),
  };
}

/** Identifies the position of a run: two equal keys mean that there was no progress between them. */
export function progressKey(block: ProgressBlock): string {
  return ['frame', 'out_time_ms', 'total_size'].map((key) => block.get(key) ?? '').join(' ');
}
