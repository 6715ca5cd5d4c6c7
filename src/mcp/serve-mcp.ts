import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpOptions, McpTool } from './tool.js';

/** Milliseconds between two notifications of progress. */
const progressIntervalMs = 500;

/** Milliseconds that running calls have to end after the client is gone. */
const maxEndMs = 5000;

/**
 * Speaks the Model Context Protocol on stdin and stdout until the client closes stdin or the signal is aborted. Calls that
 * still run then are cancelled.
 */
export async function serveMcp({ tools, stdin, stdout, signal, ...options }: McpOptions): Promise<void> {
  const { version, instructions, describeError } = options;
  const server = new Server(
    { name: 'venc', version },
    {
      capabilities: { tools: {} },
      instructions,
      // No tool asks the client for input, which is all that the default validator is for.
      jsonSchemaValidator: {
        getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not supported' }),
      },
    },
  );
  const ended = new AbortController();
  const calls = new Set<Promise<unknown>>();
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: tools.map(listedTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no tool of this name.');
    const token = params._meta?.progressToken;
    const onProgress = createProgress((progress, message) => {
      if (token === undefined || extra.signal.aborted) return;
      const notification = { progressToken: token, progress, total: 100, message };
      void extra
        .sendNotification({ method: 'notifications/progress', params: notification })
        .catch(() => undefined);
    });
    const call = tool.run(params.arguments ?? {}, {
      signal: AbortSignal.any([extra.signal, ended.signal]),
      onProgress,
    });
    calls.add(call);
    try {
      const result = await call;
      return {
        content: [{ type: 'text', text: JSON.stringify(result, null, 1) }],
        structuredContent: { ...result },
      };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: describeError(error) }] };
    } finally {
      calls.delete(call);
    }
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await new Promise<void>((resolve) => {
    server.onclose = resolve;
    // The transport ignores these.
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
    stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  ended.abort(new Error('The client is gone.'));
  await server.close();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, maxEndMs);
  });
  await Promise.race([Promise.allSettled(calls), late]);
  clearTimeout(timer);
}

function listedTool({ name, title, description, inputSchema, isReadOnly, isLocal }: McpTool) {
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: {
      title,
      readOnlyHint: isReadOnly,
      destructiveHint: false,
      openWorldHint: !isLocal,
    },
  };
}

/** Passes on progress that has grown, at most so often as the interval says. */
function createProgress(send: (percent: number, message: string) => void) {
  let latest = -1;
  let sentAt = Number.NEGATIVE_INFINITY;
  return (percent: number, message: string) => {
    const now = performance.now();
    if (percent <= latest || (now - sentAt < progressIntervalMs && percent < 100)) return;
    latest = percent;
    sentAt = now;
    send(percent, message);
  };
}
