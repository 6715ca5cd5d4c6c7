import { pathToFileURL } from 'node:url';
import { VencError } from '../../shared/errors.js';
import type { Io } from '../terminal/io.js';
import { buildRequestBody, type JobArgs, loadPreset, warnUnknownFields } from './job-args.js';
import { type ParseXml, readJobInput } from './job-input.js';

/**
 * The request that the argument of `run` and `plan` stands for, with its flags, a local file as a `file:` URL. Rejects with
 * `UsageError` where the argument cannot be read or a word makes no sense.
 */
export async function localRequest(arg: string, options: JobArgs, io: Io, parseXml: ParseXml) {
  const input = await readJobInput(arg, io, { parseXml });
  const preset = await loadPreset(options, io.env);
  if (input.kind === 'request') {
    const request = await buildRequestBody({ request: input.request, input: null, preset }, options);
    await warnUnknownFields(request, io);
    return request;
  }
  const address = input.kind === 'url' ? input.url : pathToFileURL(input.path).href;
  return buildRequestBody({ request: null, input: address, preset }, options);
}

/** Turns `UnavailableError` into `UsageError`: a missing ffmpeg is for the user to fix (exit code 2). */
export function withoutProgram(error: unknown): unknown {
  if (!(error instanceof VencError) || error.errorClass !== 'UnavailableError') return error;
  return new VencError('UsageError', error.message, {
    cause: error,
    hint: 'venc doctor shows where it was searched for',
  });
}
