import type { Readable, Writable } from 'node:stream';

/** What a call of a tool has besides its arguments. */
export interface McpCall {
  /** Aborted when the client cancels the call or is gone. */
  readonly signal: AbortSignal;
  readonly onProgress: (percent: number, message: string) => void;
}

/** The JSON Schema of the arguments of a tool. */
export interface ArgumentsSchema {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required?: string[];
  readonly additionalProperties: false;
}

/** A tool that a client of the protocol may call. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentsSchema;
  readonly isReadOnly: boolean;
  /** Whether it needs nothing but this machine. */
  readonly isLocal: boolean;
  /** Rejects with an error that `describeError` describes. */
  run(args: Readonly<Record<string, unknown>>, call: McpCall): Promise<object>;
}

/** What a server of the protocol needs. */
export interface McpOptions {
  readonly tools: readonly McpTool[];
  readonly version: string;
  /** What a model should know about all tools. */
  readonly instructions: string;
  readonly stdin: Readable;
  /** Carries nothing but the protocol. */
  readonly stdout: Writable;
  readonly signal: AbortSignal;
  readonly describeError: (error: unknown) => string;
}
