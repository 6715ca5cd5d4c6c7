import { VencError } from '../../shared/errors.js';
import type { ExitCode } from '../../shared/exit-codes.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import type { Context } from '../context.js';
import { hostsOutputs } from '../destinations/shared-destinations.js';
import type { FileToUpload } from '../input/files.js';
import { buildRequestBody, loadPreset } from '../input/job-args.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import { chosenMode } from '../terminal/progress-mode.js';
import { afterSubmit } from './after-submit.js';
import { createFileUploader, uploadFiles } from './file-uploader.js';
import { withAddresses } from './prepare-request.js';
import { submitLines } from './submit-lines.js';
import type { SubmitOptions } from './submit-options.js';
import { createPerFileDisplay } from './upload-display.js';

/** Creates one job for each line of stdin, prints their ids, and waits for them where that is asked for. */
export async function submitMany(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<ExitCode> {
  const { io } = context;
  if (args.length !== 1 || args[0] !== '-') {
    throw new VencError('UsageError', '--ndjson reads requests from stdin.', {
      hint: 'for example: venc submit - --ndjson < jobs.ndjson',
    });
  }
  if (io.isTerminal.stdin) io.writeStderr('venc: type a request a line, and end them with Ctrl-D\n');
  const client = await context.client();
  const images = new Map<string, FileToUpload>();
  // A slip in the words is told once, not for every line; and a picture is uploaded once.
  const preset = await loadPreset(options, io.env);
  await buildRequestBody({ request: null, input: null, preset }, options, images);
  const mode = await chosenMode(context, options.progress, 'stderr');
  const { signal, dispose } = listenForInterrupt(io);
  let isHosted = false;
  const submit = async () => {
    const display = createPerFileDisplay(io, mode);
    const uploader = createFileUploader({ client, context, display, stage: undefined, signal });
    const addresses = await uploadFiles(images, uploader);
    return submitLines(client, io, {
      complete: async (line: RequestFields) => {
        const request = await buildRequestBody({ request: line, input: null, preset }, options);
        isHosted ||= hostsOutputs(request);
        return withAddresses(request, addresses);
      },
      toTypedTerms: async (error) => {
        if (error.errorClass !== 'InvalidRequestError') return error;
        const { withTypedTerms } = await import('../input/settings-errors.js');
        return withTypedTerms(error, '', options);
      },
      idempotencyKey: options.idempotencyKey ?? null,
      isJson: options.json === true,
      signal,
    });
  };
  const { ids, code } = await submit().finally(dispose);
  return afterSubmit(client, ids, { io, mode, options, code, isHosted });
}
