import { createHash } from 'node:crypto';
import type { SettingRecord } from '../../src/shared/records.js';
import type { RouteName } from '../../src/shared/routes.js';
import { productVersion } from '../../src/shared/version.js';
import type { AppContext } from '../actions/app-context.js';
import type { PublicRouteHandler } from './request-context.js';

const style =
  'body{font:1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}pre{overflow:auto}';

/** The document, with a link to the page of the daemon if there is one. */
const home = (pageLink: string | null) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>venc ${productVersion}</title>
<style>${style}</style>
</head>
<body>
<h1>venc ${productVersion}</h1>
<p>This is a video encoding service: it takes jobs over a REST API, runs ffmpeg on its own machine and delivers the files.</p>
<ul>
${pageLink === null ? '' : `<li><a href="${pageLink}">The queue, in a browser</a></li>\n`}<li><a href="openapi.json">Every address, as an OpenAPI document</a></li>
<li><a href="health">Whether it can take jobs</a></li>
<li><a href="version">Which version it is</a></li>
</ul>
<h2>API keys</h2>
<p>All else needs an API key, in the header <code>Service-Api-Key</code> or, on a GET, as <code>api_key</code> in the query:</p>
<pre><code>curl -H "Service-Api-Key: $KEY" "$ADDRESS/v2/jobs"</code></pre>
<p>The owner's key is in the data folder of the daemon, in the file <code>owner-key</code>; <code>venc keys create</code> makes further ones.</p>
</body>
</html>
`;

const styleHash = createHash('sha256').update(style).digest('base64');
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
};

let settings: { readonly settings: readonly SettingRecord[] } | null = null;

const documents = new WeakMap<AppContext, (baseUrl: string) => readonly Buffer[]>();

const requestSchemas = new WeakMap<AppContext, Buffer>();

/** The handlers of the routes about the daemon itself, by route name. */
export const serviceHandlers = {
  /**
   * `GET /`: a page for people who open the address in a browser. It runs no script and loads nothing. Its
   * links are relative, so that they also work behind a proxy.
   */
  home: async ({ pageSessions }, { url }) => {
    // There is no page below the prefix /api.
    const pageLink = url.pathname === '/api/' ? '../ui/' : 'ui/';
    return { status: 200, text: home(pageSessions === null ? null : pageLink), headers };
  },

  /** `GET /health`: 200 if jobs are accepted, else 503 with the reasons. */
  health: async (appContext) => {
    const results = await appContext.readHealth();
    const checks = results.map(({ name, ok, isRequired: required, reason }) => ({
      name,
      ok,
      required,
      reason,
    }));
    const errors = results.flatMap(({ isRequired, reason }) => (isRequired ? (reason ?? []) : []));
    if (errors.length > 0) {
      return {
        status: 503,
        record: { status: 'unavailable', errors, checks },
        headers: { 'Retry-After': '30' },
      };
    }
    const status = checks.every(({ ok }) => ok) ? 'ok' : 'degraded';
    return { status: 200, record: { status, checks } };
  },

  /** `GET /version`. */
  version: async () => ({
    status: 200,
    record: { name: 'venc', version: productVersion },
  }),

  /** `GET /v2/settings`. The list is built at the first request. */
  settings: async () => {
    settings ??= {
      settings: (await import('../../src/shared/settings/support.js')).listSettings(),
    };
    return { status: 200, record: settings };
  },

  /** `GET /v2/schema.json`. It is made at the first request. */
  requestSchema: async (appContext) => {
    const { editorSchema } = await import('../../src/shared/settings/schema/editor-schema.js');
    const bytes =
      requestSchemas.get(appContext) ?? Buffer.from(JSON.stringify(editorSchema(appContext.maxOutputs)));
    requestSchemas.set(appContext, bytes);
    return { status: 200, bytes: [bytes], headers: { 'Content-Type': 'application/json; charset=utf-8' } };
  },

  /** `GET /openapi.json`. The tables that it is derived from are loaded at the first request. */
  openApi: async (appContext, { baseUrl }) => {
    const known = documents.get(appContext);
    const bytesFor = known ?? (await import('./openapi/document.js')).openApiBytes(appContext.maxOutputs);
    documents.set(appContext, bytesFor);
    return {
      status: 200,
      bytes: bytesFor(baseUrl),
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    };
  },
} as const satisfies Partial<Record<RouteName, PublicRouteHandler>>;
