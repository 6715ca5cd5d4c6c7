import type { Workshop } from '../../actions/app-context.js';
import type { OpenHandler } from '../handler.js';

const documents = new WeakMap<Workshop, (baseUrl: string) => readonly Buffer[]>();

/** `GET /openapi.json`. The tables it is derived from are loaded when the first client asks. */
export const getOpenApi: OpenHandler = async (workshop, { baseUrl }) => {
  const known = documents.get(workshop);
  const bytesFor = known ?? (await import('./document.js')).openApiBytes(workshop.maxOutputs);
  documents.set(workshop, bytesFor);
  return {
    status: 200,
    bytes: bytesFor(baseUrl),
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  };
};
