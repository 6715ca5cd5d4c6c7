import type { AppContext } from '../../actions/app-context.js';
import type { PublicRouteHandler } from '../route-handler.js';

const documents = new WeakMap<AppContext, (baseUrl: string) => readonly Buffer[]>();

/** `GET /openapi.json`. The tables it is derived from are loaded when the first client asks. */
export const getOpenApi: PublicRouteHandler = async (appContext, { baseUrl }) => {
  const known = documents.get(appContext);
  const bytesFor = known ?? (await import('./document.js')).openApiBytes(appContext.maxOutputs);
  documents.set(appContext, bytesFor);
  return {
    status: 200,
    bytes: bytesFor(baseUrl),
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  };
};
