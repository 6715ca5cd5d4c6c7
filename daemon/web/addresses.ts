import type { Context } from 'hono';
import { VencError } from '../../src/shared/errors.js';
import { pagePathOf, pathnameOf } from '../http/request-path.js';

type PageRequest = Pick<Context, 'req'>;

/** The error for a form that is too large. */
export const tooLarge = new VencError('PayloadTooLargeError', 'The form is too large: a key is shorter.');

/** A field of a form; empty if it is absent. Rejects with `UnparsableBodyError` for a body that is no form. */
export async function formField(c: PageRequest, name: string): Promise<string> {
  const body = await c.req.parseBody().catch(() => {
    throw new VencError('UnparsableBodyError', 'The body is not a form.');
  });
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** The address of a document below `/ui/`, with its query. Empty for that of the sign-in. */
export function addressOf({ req }: PageRequest): string {
  const { pathname, search } = new URL(req.url);
  const path = (pagePathOf(pathname) ?? '').slice('/ui/'.length);
  const address = path + search;
  return /^(?:sign-in|open|sign-out)/.test(path) || !isAddress(address) ? '' : address;
}

/** Whether a text is an address below `/ui/`, and leads to no other place. */
export function isAddress(text: string): boolean {
  return (
    /^[a-z0-9][a-z0-9/]{0,100}(?:\?[\w=&%.*+-]{0,300})?$|^\?[\w=&%.*+-]{0,300}$/.test(text) &&
    !text.includes('//')
  );
}

/** The way from the address of a request to `/ui/`: `./`, or `../` for each further slash. */
export function rootOf({ req }: PageRequest): string {
  // As the browser resolves links: by its own form of the path, in which an encoded slash is no slash.
  const [, below = ''] = /^\/+[^/]+\/(.*)$/.exec(pathnameOf(req.url)) ?? [];
  const depth = below.split('/').length - 1;
  return depth <= 0 ? './' : '../'.repeat(depth);
}
