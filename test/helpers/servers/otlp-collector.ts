import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type AttributeValue = string | number | boolean | readonly (string | number | boolean)[];

/** A span as a collector received it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentSpanId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, AttributeValue>>;
  }[];
  readonly linkedSpanIds: readonly string[];
  readonly isError: boolean;
  /** Attributes of the program that sent it. */
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

/** A request as the collector received it. */
interface ReceivedExport {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A collector of OpenTelemetry on the loopback. */
export interface OtlpCollector {
  readonly url: string;
  readonly exports: readonly ReceivedExport[];
  /** The spans of all exports in JSON, in the order of their arrival. */
  spans(): readonly ReceivedSpan[];
  close(): Promise<void>;
}

/** Starts a collector on a free port. `answer` may leave a request without an answer. */
export async function startOtlpCollector(
  answer: (response: ServerResponse) => void = (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'),
): Promise<OtlpCollector> {
  const exports: ReceivedExport[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    exports.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    spans: () =>
      exports.flatMap(({ headers, body }) =>
        headers['content-type'] === 'application/json' ? readSpans(JSON.parse(body.toString('utf8'))) : [],
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Attributes in the JSON form of OTLP. Integers are text, because they may have 64 bits. */
type WireAttributes = readonly { readonly key: string; readonly value: WireValue }[];
interface WireValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly WireValue[] };
}
interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: WireAttributes;
  readonly events?: readonly { readonly name: string; readonly attributes?: WireAttributes }[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}
interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

function readSpans({ resourceSpans }: WireExport): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: readAttributes(span.attributes),
        events: (span.events ?? []).map(({ name, attributes }) => ({
          name,
          attributes: readAttributes(attributes),
        })),
        linkedSpanIds: (span.links ?? []).map(({ spanId }) => spanId),
        isError: span.status?.code === 2,
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: WireAttributes = []): Readonly<Record<string, AttributeValue>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: WireValue): AttributeValue {
  if (value.arrayValue !== undefined)
    return value.arrayValue.values.map((one) => readValue(one) as string | number | boolean);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? '';
}
