import { stat } from 'node:fs/promises';
import type { McpTool } from '../../mcp/tool.js';
import { VencError } from '../../shared/errors.js';
import { maxTimerMs } from '../../shared/util/timing.js';

/** What a call may take. */
export interface Limits {
  /** The size of a file that is read or written. */
  readonly maxBytes: number;
  readonly maxSeconds: number;
}

/** A limit on the size, for people. */
export function sizeText(bytes: number): string {
  return bytes >= 1e9 ? `${bytes / 1e9} GB` : `${bytes / 1e6} MB`;
}

/** Rejects a file that is larger than the limit. One that does not exist is reported elsewhere. */
export async function requireSize(path: string, field: string, { maxBytes }: Limits): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxBytes)
    throw new VencError('UsageError', `${field} has more than ${sizeText(maxBytes)} (--max-size).`);
}

/** The tool with the limit of time: its calls are cancelled after it. */
export function withTimeLimit(tool: McpTool, { maxSeconds }: Limits): McpTool {
  return {
    ...tool,
    async run(args, call) {
      const late = new AbortController();
      const error = new VencError('TimedOutError', `The call took longer than ${maxSeconds} s (--max-time).`);
      const timer = setTimeout(() => late.abort(error), Math.min(maxSeconds * 1000, maxTimerMs));
      try {
        return await tool.run(args, { ...call, signal: AbortSignal.any([call.signal, late.signal]) });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
