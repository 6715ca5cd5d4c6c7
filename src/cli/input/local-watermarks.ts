import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import { type FileToUpload, readableFileSize } from './files.js';

const names = ['watermark', 'watermarks'] as const;

/**
 * Settings of an output, with `file:` URLs for watermarks that are named by local paths; these are added to `pictures`. Rejects with
 * `UsageError` where such a file cannot be read.
 */
export async function toWatermarkUrls(
  settings: RequestFields,
  images: Map<string, FileToUpload>,
): Promise<RequestFields> {
  return changeWatermarks(settings, async (url) => {
    if (!isLocal(url)) return url;
    const address = pathToFileURL(resolve(url)).href;
    images.set(address, { path: url, sizeBytes: await readableFileSize(url) });
    return address;
  });
}

/** Settings of an output with `file:` URLs for watermarks that are named by local paths, whether there are such files or not. */
export function withWatermarkUrls(settings: RequestFields): Promise<RequestFields> {
  return changeWatermarks(settings, async (url) => (isLocal(url) ? pathToFileURL(resolve(url)).href : url));
}

/** The request with other addresses for watermarks of its outputs, by their `file:` URLs. */
export async function replaceWatermarks(
  request: RequestFields,
  addresses: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  return changeOutputs(request, (output) =>
    changeWatermarks(output, async (url) => addresses.get(url) ?? url),
  );
}

/** A request whose outputs name local watermarks by their paths, as those of a preset do, with `file:` URLs: see {@link placeWatermarks}. */
export function toOutputWatermarkUrls(
  request: RequestFields,
  images: Map<string, FileToUpload>,
): Promise<Record<string, unknown>> {
  return changeOutputs(request, (output) => toWatermarkUrls(output, images));
}

async function changeOutputs(
  request: RequestFields,
  change: (output: RequestFields) => Promise<RequestFields>,
): Promise<Record<string, unknown>> {
  const changed = { ...request };
  for (const name of ['output', 'outputs']) {
    const outputs = request[name];
    if (outputs !== undefined && outputs !== null) changed[name] = await mapObjects(outputs, change);
  }
  return changed;
}

function isLocal(url: string): boolean {
  return url !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

async function changeWatermarks(
  settings: RequestFields,
  change: (url: string) => Promise<string>,
): Promise<RequestFields> {
  const changed = { ...settings };
  for (const name of names) {
    const watermarks = settings[name];
    if (watermarks === undefined) continue;
    changed[name] = await mapObjects(watermarks, async (watermark) =>
      typeof watermark.url === 'string' ? { ...watermark, url: await change(watermark.url) } : watermark,
    );
  }
  return changed;
}

/** One object or each of a list, changed; what is no object is left for the service to name. */
async function mapObjects(
  value: unknown,
  change: (object: RequestFields) => Promise<RequestFields>,
): Promise<unknown> {
  if (Array.isArray(value)) {
    const changed: unknown[] = [];
    for (const item of value) changed.push(await mapObjects(item, change));
    return changed;
  }
  return typeof value === 'object' && value !== null ? change({ ...value }) : value;
}
