import type { EncodeProgress } from './ffmpeg-types.js';

/** One report of `-progress`: its words, and whether it differs from the one before is the reader's business. */
export type ProgressBlock = ReadonlyMap<string, string>;

/** What was read so far of a stream of reports: the unfinished line and the unfinished block. */
export interface ProgressParserState {
  readonly rest: string;
  readonly lines: readonly string[];
}

/** The beginning of a reading. */
export const initialProgressState: ProgressParserState = { rest: '', lines: [] };

function parseBlock(lines: readonly string[]): ProgressBlock {
  const pairs = lines.map((line): readonly [string, string] => {
    const [key = '', ...value] = line.split('=');
    return [key.trim(), value.join('=').trim()];
  });
  return new Map(pairs);
}

/** Takes in the next piece of text, cut anywhere, and gives the blocks that it completes (each ends in `progress=`). */
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
  return { state: { rest, lines }, blocks };
}

/** A number as ffmpeg prints it (`30.0`, `1.02x`, ` 7`); null for `N/A` and anything else that is none. */
function parseNumber(text: string | undefined): number | null {
  const number = Number.parseFloat(text ?? '');
  return Number.isFinite(number) ? number : null;
}

/**
 * What a block says. `out_time_ms` holds microseconds in every release; `out_time_us`, which is named for what it holds, came
 * later. Both are `N/A` or far below zero until something has been written, which is 0 here.
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

/** A mark of how far the work is: two equal ones mean that nothing was done between them. */
export function progressKey(block: ProgressBlock): string {
  return ['frame', 'out_time_ms', 'total_size'].map((key) => block.get(key) ?? '').join(' ');
}
