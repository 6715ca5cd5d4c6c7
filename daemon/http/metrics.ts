import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { AppContext } from '../actions/app-context.js';
import { readMetrics } from '../actions/read-metrics.js';
import type { Reply, RouteHandler } from './request-context.js';

/** `GET /metrics` of a client that needs no key. */
export async function getMetrics(appContext: AppContext): Promise<Reply> {
  return replyOf(await readMetrics(appContext, null));
}

/** `GET /metrics`, an addition to the service document, with a key of the owner. */
export const getMetricsWithKey: RouteHandler = async (appContext, _, account) =>
  replyOf(await readMetrics(appContext, account));

function replyOf({ text, contentType }: Awaited<ReturnType<typeof readMetrics>>): Reply {
  return { status: 200, text, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' } };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Headers of requests that a proxy passed on, and of those that a page in a browser made. */
const foreignHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'origin',
  'referer',
  'sec-fetch-site',
] as const;

/**
 * Whether a request certainly comes from a program on this machine, and not from a proxy or a browser that passes it on
 * for somebody else. A proxy that adds no header is recognised by the public URL, by the host name that clients use, or
 * by HTTP/1.0, which nginx speaks by default. A page in a browser is recognised by its headers, and one with a rebound
 * name by its host.
 */
export function isLocalClient(
  { socket, headers, httpVersion }: Pick<IncomingMessage, 'socket' | 'headers' | 'httpVersion'>,
  publicUrl: string | null,
): boolean {
  if (publicUrl !== null || httpVersion !== '1.1') return false;
  const { remoteAddress = '', remoteFamily } = socket;
  if (!loopback.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4')) return false;
  return isLoopbackHost(headers.host ?? '') && foreignHeaders.every((name) => headers[name] === undefined);
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host);
}
