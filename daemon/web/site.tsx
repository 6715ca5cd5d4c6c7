/** @jsxImportSource hono/jsx */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { getCookie, setCookie } from 'hono/cookie';
import type { Child } from 'hono/jsx';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { redact } from '../../src/shared/redact.js';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import type { AppContext } from '../actions/app-context.js';
import { ComparedFrames } from '../actions/compared-frames.js';
import { type FoundSession, type PageSessions, sessionLimits } from '../actions/page-sessions.js';
import { UploadPlans } from '../dry-run/plan-upload.js';
import type { CallApi, Page } from '../http/app.js';
import { requireAllowed } from '../http/authenticator.js';
import { readBody } from '../http/body.js';
import { pageApiHeaders } from '../http/cors.js';
import { createRateLimit, tooManyRequests } from '../http/rate-limit.js';
import type { Bindings, Visitor } from '../http/request-context.js';
import { pagePathOf, pathnameOf } from '../http/request-path.js';
import { addressOf, formField, isAddress, rootOf, tooLarge } from './addresses.js';
import { type Assets, loadAssets } from './assets.js';
import { compareDocument, compareFrame } from './documents/compare.js';
import type { DocumentRequest, PageDocument } from './documents/document.js';
import { jobDocument } from './documents/job.js';
import { ladderOfForm } from './documents/ladder.js';
import { machineDocument, readMachine } from './documents/machine.js';
import { maxPlanBytes, planOfFile } from './documents/plan.js';
import { queueDocument } from './documents/queue.js';
import { createPageKey, readSettings, revokePageKey, settingsDocument } from './documents/settings.js';
import { submitDocument } from './documents/submit.js';
import { PageGuard, type PageOptions } from './guard.js';
import { type Frame, Layout } from './views/layout.js';
import { Continue, OpenLink, Problem, SignIn } from './views/sign-in.js';

interface Env {
  Bindings: Bindings & { readonly callApi: CallApi };
  Variables: { visitor: Visitor; session: FoundSession | null; isAnswered: boolean };
}
type PageContext = Context<Env>;

const pageHeaders = {
  ...pageApiHeaders,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; media-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'Referrer-Policy': 'same-origin',
};

/** Failures of sign-in that a client may have in a minute. */
const failuresPerMinute = 5;
/** The largest form that is read, in bytes. */
const maxFormBytes = 16_384;
/** How long a stream of the page lasts: it is opened again, which checks the session. In milliseconds. */
const streamMs = 3_600_000;

/** The documents, by their paths below `/ui/`. */
const documents: Readonly<Record<string, (request: DocumentRequest) => Promise<PageDocument>>> = {
  '': queueDocument,
  'jobs/:id{[0-9]+}': jobDocument,
  'jobs/:id{[0-9]+}/compare': compareDocument,
  machine: machineDocument,
  submit: submitDocument,
  settings: settingsDocument,
};

/** What scripts read besides the actions of the API, by its path below `/ui/api/`. */
const states: Readonly<Record<string, (request: DocumentRequest) => Promise<object>>> = {
  machine: readMachine,
  settings: readSettings,
};

/** What scripts change or send besides the actions of the API, with a full key: the method and the path below `/ui/api/`. */
const changes = [
  { method: 'POST', path: 'keys', status: 201, change: createPageKey, maxBytes: maxFormBytes },
  { method: 'DELETE', path: 'keys/:id', status: 200, change: revokePageKey, maxBytes: maxFormBytes },
  { method: 'POST', path: 'ladder', status: 200, change: ladderOfForm, maxBytes: maxFormBytes },
  { method: 'POST', path: 'plan', status: 200, change: planOfFile, maxBytes: maxPlanBytes },
] as const;

/** Loads what the page needs, and creates it. */
export async function openPage(
  appContext: AppContext,
  sessions: PageSessions,
  options: PageOptions,
  takeToken: (clientKey: string) => number | null,
): Promise<Page> {
  const site = new Site(appContext, sessions, options, takeToken, await loadAssets());
  const app = site.routes();
  return {
    answer: (request, bindings, callApi) => app.fetch(request, { ...bindings, callApi }),
  };
}

/** The documents of the page, its sign-in, and the way of its script to the actions of the API. */
class Site {
  readonly #appContext: AppContext;
  readonly #guard: PageGuard;
  readonly #sessions: PageSessions;
  readonly #frames: ComparedFrames;
  readonly #plans: UploadPlans;
  readonly #assets: Assets;
  readonly #takeToken: (clientKey: string) => number | null;
  readonly #failures: ReturnType<typeof createRateLimit>;

  constructor(
    appContext: AppContext,
    sessions: PageSessions,
    options: PageOptions,
    takeToken: (clientKey: string) => number | null,
    assets: Assets,
  ) {
    this.#appContext = appContext;
    this.#guard = new PageGuard(options);
    this.#sessions = sessions;
    this.#frames = new ComparedFrames(appContext);
    this.#plans = new UploadPlans(appContext);
    this.#assets = assets;
    this.#takeToken = takeToken;
    this.#failures = createRateLimit(failuresPerMinute, appContext.now);
  }

  routes(): Hono<Env> {
    const app = new Hono<Env>({ getPath: ({ url }) => pagePathOf(pathnameOf(url)) ?? '/' });
    app.use(async (c, next) => {
      this.#guard.requireHost(c.env.incoming);
      await next();
      // An action of the API has written its answer already.
      if (c.get('isAnswered')) return;
      for (const [name, value] of Object.entries(pageHeaders))
        if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    });
    app.use(compress());
    app.onError((error, c) => this.#problem(c, error));
    app.notFound((c) =>
      this.#problem(c, new VencError('NotFoundError', 'There is nothing at this address.')),
    );
    app.get('/ui', (c) => c.redirect(`ui/${new URL(c.req.url).search}`, 308));
    app.get('/ui/assets/:name', (c) => this.#asset(c));
    app.get('/ui/sign-in', (c) => this.#signInForm(c, null, 200));
    app.get('/ui/open', (c) =>
      this.#document(
        c,
        { title: 'Sign in' },
        <OpenLink root={rootOf(c)} code={(c.req.query('code') ?? '').slice(0, 100)} />,
      ),
    );
    const forms = bodyLimit({
      maxSize: maxFormBytes,
      onError: () => {
        throw tooLarge;
      },
    });
    app.post('/ui/sign-in', forms, (c) => this.#signIn(c));
    app.post('/ui/open', forms, (c) => this.#openLink(c));
    app.use('/ui/*', async (c, next) => {
      const visitor = await this.#visitorOf(c);
      if (visitor === null) {
        if (this.#isApi(c)) return this.#unknownVisitor(c);
        // The browser does not send the cookie along with a link of another site.
        return this.#guard.isCrossSite(c.env.incoming) && c.req.method === 'GET'
          ? this.#document(c, { title: 'Continue' }, <Continue to={addressOf(c)} />)
          : this.#signInForm(c, null, 401);
      }
      c.set('visitor', visitor);
      return next();
    });
    app.post('/ui/sign-out', (c) => this.#signOut(c));
    app.use('/ui/api/*', async (c, next) => {
      if (this.#guard.isCrossSite(c.env.incoming))
        throw new VencError('ForbiddenError', 'Another site may not read this.');
      if (!['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].includes(c.req.method))
        throw new VencError('MethodNotAllowedError', 'Use GET, POST, PUT or DELETE.');
      if (!['GET', 'HEAD'].includes(c.req.method)) this.#guard.requireOwnWrite(c.env.incoming, 'script');
      return next();
    });
    for (const [path, readState] of Object.entries(states))
      app.get(`/ui/api/${path}`, async (c) => c.json(await readState(this.#requestOf(c))));
    for (const { method, path, status, change, maxBytes } of changes)
      app.on(method, `/ui/api/${path}`, async (c) => {
        const request = this.#requestOf(c);
        requireAllowed({ method, key: 'full' }, request.holder);
        return c.json(await change(request, () => readBody(c.env.incoming, maxBytes)), status);
      });
    app.get('/ui/api/jobs/:id{[0-9]+}/frame', (c) => compareFrame(this.#requestOf(c)));
    app.all('/ui/api/*', (c) => this.#api(c));
    for (const [path, write] of Object.entries(documents))
      app.get(`/ui/${path}`, async (c) => {
        const { content, ...frame } = await write(this.#requestOf(c));
        return this.#document(c, frame, content);
      });
    return app;
  }

  /** A request for a document: a use of the key, and of the rate limit of the session. */
  #requestOf(c: PageContext): DocumentRequest {
    const { holder, sessionId } = c.get('visitor');
    const waitSeconds = this.#takeToken(`session ${sessionId}`);
    if (waitSeconds !== null) throw tooManyRequests(waitSeconds);
    if (holder.keyId !== null) this.#appContext.accounts.recordUse(holder.keyId);
    return {
      ...{ appContext: this.#appContext, holder, root: rootOf(c), signal: c.req.raw.signal },
      ...{ sessionId, frames: this.#frames, plans: this.#plans },
      param: (name) => c.req.param(name) ?? '',
      query: (name) => c.req.query(name) ?? '',
      header: (name) => c.req.header(name) ?? '',
    };
  }

  /** Answers by the route of version 2 with the same path, for the account of the visitor. */
  async #api(c: PageContext): Promise<Response> {
    const url = new URL(c.req.raw.url);
    const parts = (pagePathOf(url.pathname) ?? '').split('/').slice('/ui/api'.split('/').length);
    // A name may contain any character; a part of dots would lead to another address.
    if (parts.some((part) => /^\.{1,2}$/.test(part)) || parts[0] === 'ui')
      throw new VencError('NotFoundError', 'There is nothing at this address.');
    const path = ['/v2', ...parts.map(encodeURIComponent)].join('/');
    const target = new URL(`${path}${url.search}`, url.origin);
    const { method, signal } = c.req.raw;
    const request = new Request(target, { method, signal });
    c.set('isAnswered', true);
    return c.env.callApi(request, c.get('visitor'));
  }

  /** Who asks: the account that a proxy names, or the holder of the session. null if nobody is signed in. */
  async #visitorOf(c: PageContext): Promise<Visitor | null> {
    const { incoming } = c.env;
    const name = this.#guard.proxiedAccount(incoming);
    c.set('session', null);
    if (name !== null) {
      const account = this.#appContext.accounts.accountNamed(name);
      if (account === null)
        throw new VencError('ForbiddenError', `The proxy names the account "${name}", which does not exist.`);
      const holder = { account, kind: 'full', keyId: null } as const;
      return { holder, sessionId: `proxy ${account.id}`, ended: () => timeoutSignal(streamMs) };
    }
    const session = await this.#sessionOf(c);
    c.set('session', session);
    if (session === null) return null;
    const ended = () => AbortSignal.any([session.ended, timeoutSignal(streamMs)]);
    return { holder: session.holder, sessionId: session.id, ended };
  }

  async #signIn(c: PageContext): Promise<Response> {
    const { incoming } = c.env;
    this.#guard.requireOwnWrite(incoming, 'form');
    const client = this.#guard.clientOf(incoming);
    const waitSeconds = this.#failures.take(client);
    if (waitSeconds !== null) {
      c.header('Retry-After', String(waitSeconds));
      return this.#signInForm(c, `Too many failures: try again in ${waitSeconds} s.`, 429);
    }
    const key = await formField(c, 'key');
    const holder = key === '' ? null : await this.#holderOf(key.trim());
    if (holder === null) return this.#signInForm(c, 'This API key is not known, or it has expired.', 401);
    if (holder.kind === 'read-only') {
      const problem =
        'This key can only read inputs and outputs. Use a full key, or one of venc keys create --viewer.';
      return this.#signInForm(c, problem, 403);
    }
    this.#failures.giveBack(client);
    return this.#begin(c, await this.#sessions.signIn(holder), await formField(c, 'to'));
  }

  async #holderOf(key: string) {
    const { accounts } = this.#appContext;
    const holder = accounts.holderOf(key);
    if (holder !== null) return holder;
    await accounts.refresh();
    return accounts.holderOf(key);
  }

  async #openLink(c: PageContext): Promise<Response> {
    this.#guard.requireOwnWrite(c.env.incoming, 'form');
    const code = await formField(c, 'code');
    const token = code === '' ? null : await this.#sessions.redeem(code);
    if (token !== null) return this.#begin(c, token, '');
    return this.#signInForm(
      c,
      'This link was used already, or is older than a minute. Run venc open again.',
      401,
    );
  }

  /** Sets the cookie of a new session, which replaces that of the browser, and leads to a document. */
  async #begin(c: PageContext, token: string, to: string): Promise<Response> {
    const before = await this.#sessionOf(c);
    if (before !== null) await this.#sessions.end(before);
    this.#setCookie(c, token, sessionLimits.maxMs / 1000);
    return c.redirect(rootOf(c) + (isAddress(to) ? to : ''), 303);
  }

  async #signOut(c: PageContext): Promise<Response> {
    this.#guard.requireOwnWrite(c.env.incoming, 'form');
    const session = c.get('session');
    if (session !== null) await this.#sessions.end(session);
    this.#setCookie(c, '', 0);
    return c.redirect(`${rootOf(c)}sign-in`, 303);
  }

  /** The session whose cookie a browser has sent; null if there is none. */
  async #sessionOf(c: PageContext): Promise<FoundSession | null> {
    const token = getCookie(c, this.#cookieOf(c).name) ?? '';
    return token === '' ? null : this.#sessions.find(token);
  }

  #setCookie(c: PageContext, token: string, maxAge: number): void {
    const { name, path, isSecure } = this.#cookieOf(c);
    setCookie(c, name, token, { path, httpOnly: true, sameSite: 'Strict', secure: isSecure, maxAge });
  }

  /** The cookie of a session. By HTTPS its name says that only this host, or this path, can have set it. */
  #cookieOf({ env }: PageContext) {
    const isSecure = this.#guard.isSecure(env.incoming);
    const prefix = this.#guard.prefixFor(env.incoming);
    const path = isSecure && prefix === '' ? '/' : `${prefix}/ui`;
    const mark = isSecure ? (prefix === '' ? '__Host-' : '__Secure-') : '';
    return { name: `${mark}venc_session`, path, isSecure };
  }

  #asset(c: PageContext): Response {
    const asset = this.#assets.find(c.req.param('name') ?? '');
    if (asset === undefined) throw new VencError('NotFoundError', 'There is no such file.');
    return new Response(new Uint8Array(asset.bytes), {
      headers: { 'Content-Type': asset.type, 'Cache-Control': 'private, max-age=31536000, immutable' },
    });
  }

  #signInForm(c: PageContext, problem: string | null, status: 200 | 401 | 403 | 429): Response {
    c.status(status);
    const isReadable = this.#guard.isReadableByOthers(c.env.incoming);
    return this.#document(
      c,
      { title: 'Sign in' },
      <SignIn root={rootOf(c)} problem={problem} isReadable={isReadable} to={addressOf(c)} />,
    );
  }

  #unknownVisitor(c: PageContext): Response {
    return c.json({ errors: ['Nobody is signed in, or the session has ended: sign in again.'] }, 401);
  }

  #document(
    c: PageContext,
    { title, current, live = null }: Pick<Frame, 'title'> & Partial<Pick<Frame, 'current' | 'live'>>,
    content: Child,
  ): Response {
    const visitor: Visitor | undefined = c.get('visitor');
    const frame: Frame = {
      ...{ title, live, root: rootOf(c), assets: this.#assets },
      visitor:
        visitor === undefined
          ? null
          : {
              account: visitor.holder.account.name,
              canChange: visitor.holder.kind === 'full',
              hasSession: c.get('session') !== null,
            },
      ...(current === undefined ? {} : { current }),
    };
    return c.html(`<!DOCTYPE html>${<Layout frame={frame}>{content}</Layout>}`);
  }

  #isApi({ req }: PageContext): boolean {
    return req.path.startsWith('/ui/api/');
  }

  /** The answer to a request that failed: for a person, or for the script. */
  #problem(c: PageContext, error: unknown): Response {
    const known = isVencError(error)
      ? error
      : new VencError('InternalError', 'Internal error; the log of the daemon has the details.');
    if (!isVencError(error))
      this.#appContext.log(
        'error',
        `${c.req.method} ${c.req.path}: ${error instanceof Error ? error.stack : error}`,
      );
    const errors = known.messages.map(redact);
    if (known.retryAfterSeconds !== null) c.header('Retry-After', String(known.retryAfterSeconds));
    for (const [name, value] of Object.entries(pageHeaders)) c.header(name, value);
    c.status(known.entry.status as 400);
    if (this.#isApi(c)) return c.json({ errors });
    return this.#document(
      c,
      { title: 'Problem' },
      <Problem root={rootOf(c)} title={titleOf(known.entry.status)} messages={errors} />,
    );
  }
}

function titleOf(status: number): string {
  if (status === 404 || status === 410) return 'Not found';
  if (status === 403) return 'Not allowed';
  return 'That did not work';
}
