import type { Workshop } from '../../actions/workshop.js';
import type { OpenHandler } from '../handler.js';

const texts = new WeakMap<Workshop, (baseUrl: string) => string>();

/** `GET /openapi.json`. The tables it is derived from are loaded and told when the first one asks. */
export const getOpenApi: OpenHandler = async (workshop, { baseUrl }) => {
  const known = texts.get(workshop);
  const text = known ?? (await import('./document.js')).openApiText(workshop.maxOutputs);
  texts.set(workshop, text);
  return { status: 200, text: text(baseUrl), headers: { 'Content-Type': 'application/json; charset=utf-8' } };
};
