import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import type { Context } from '../context.js';
import { hasFileOutput, withOverwrite } from '../destinations/output-names.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequestBody, loadPreset, validateRequest } from '../input/job-args.js';
import { readJobInput } from '../input/job-input.js';
import { printRequestWarnings } from '../input/print-warnings.js';
import type { SubmitOptions } from './submit-options.js';

/** The request built from the command line and local files, and the files to upload first. */
export interface PreparedRequest {
  /** Without an input if that is a file to upload. */
  readonly fields: Record<string, unknown>;
  readonly input: FileToUpload | null;
  /** Local watermarks and caption files, by the `file:` URLs in the request. */
  readonly images: ReadonlyMap<string, FileToUpload>;
}

/**
 * Builds the request of `venc submit`. Validates everything that needs no service, before a long upload. `subject` is a
 * prefix of its warnings. Rejects with `UsageError` and `InvalidRequestError`.
 */
export async function prepareRequest(
  arg: string,
  options: SubmitOptions,
  { io }: Context,
  subject = '',
): Promise<PreparedRequest> {
  const input = await readJobInput(arg, io, options.xml === true ? { isXml: true, parseXml } : { parseXml });
  const images = new Map<string, FileToUpload>();
  const base = {
    request: input.kind === 'request' ? await withCaptionFiles(input.request, images) : null,
    input: input.kind === 'url' ? input.url : null,
    preset: await loadPreset(options, io.env),
  };
  const built = await buildRequestBody(base, options, images);
  if (options.force === true && options.download === undefined && !hasFileOutput(built))
    throw new VencError('UsageError', '--force needs --download, or an output at a file: URL.');
  const fields = options.force === true ? withOverwrite(built) : built;
  await printRequestWarnings(fields, { io, typed: { arg, args: options }, where: subject });
  if (options.stage !== undefined && input.kind !== 'file' && images.size === 0) {
    throw new VencError('UsageError', '--stage needs a local file; the input is already a URL.');
  }
  const file = input.kind === 'file' ? input : null;
  if (file !== null) await validateRequest({ ...fields, input: 'upload://still/to-come' });
  else if (images.size > 0) await validateRequest(fields);
  return { fields, input: file, images };
}

async function withCaptionFiles(request: RequestFields, files: Map<string, FileToUpload>) {
  const { toCaptionUrls } = await import('../input/local-watermarks.js');
  return toCaptionUrls(request, files, false);
}

async function parseXml(text: string) {
  const { readXmlRequest } = await import('../../shared/xml/read-xml-request.js');
  return readXmlRequest(text);
}

/** Replaces the addresses of the watermarks in a request. */
export async function withAddresses(
  request: Record<string, unknown>,
  addresses: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  if (addresses.size === 0) return request;
  const { replaceWatermarks } = await import('../input/local-watermarks.js');
  return replaceWatermarks(request, addresses);
}
