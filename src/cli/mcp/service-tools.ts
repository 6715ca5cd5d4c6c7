import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { type Client, createJobWithRetry, isVencDaemon } from '../../client/client.js';
import type { McpCall, McpTool } from '../../mcp/tool.js';
import { readId } from '../../shared/client/coerce.js';
import { normaliseCreated } from '../../shared/client/normalise.js';
import { VencError } from '../../shared/errors.js';
import { redact } from '../../shared/redact.js';
import { isFinal } from '../../shared/states.js';
import { isObject } from '../../shared/util/is-object.js';
import { readableFileSize } from '../input/files.js';
import { replaceWatermarks } from '../input/local-watermarks.js';
import { uploadFile } from '../submit/uploads.js';
import { readArguments, readFields, readText } from './arguments.js';
import { type Limits, requireSize } from './limits.js';
import { readInput, schemaOf } from './local-tools.js';
import { confineSettings, isRemote, type Root } from './root.js';

/** What the tools of a service share. */
interface ServiceContext {
  readonly root: Root;
  readonly limits: Limits;
  readonly client: () => Promise<Client>;
}

type Fields = Readonly<Record<string, unknown>>;

/** How many jobs `status` lists without an id. */
const listedJobs = 10;

/** The tools that need a service. */
export function serviceTools(context: ServiceContext): readonly McpTool[] {
  return [
    {
      name: 'submit',
      title: 'Submit a job to the service',
      description:
        'Creates a job at the encoding service, which runs on its own machines, and returns its id at once. A local file is uploaded first. status says how it goes on.',
      inputSchema: schemaOf(
        {
          input: { type: 'string', description: 'The path of a media file below the root folder, or a URL' },
          request: {
            type: 'object',
            description:
              'The other fields of the request, such as {"outputs": [{"width": 1280, "url": "s3://bucket/film.mp4"}]}; without a url the service hosts the file',
          },
        },
        ['input'],
      ),
      ...{ isReadOnly: false, isLocal: false },
      run: (args, call) => submit(args, call, context),
    },
    {
      name: 'status',
      title: 'Look up jobs of the service',
      description: `Returns a job of the service with its outputs and progress, or the ${listedJobs} newest jobs without an id.`,
      inputSchema: schemaOf({ id: { type: 'integer', minimum: 1, description: 'The id of a job' } }, []),
      ...{ isReadOnly: true, isLocal: false },
      run: async (args, { signal }) => {
        readArguments(args, ['id']);
        return statusOf(await context.client(), args.id, signal);
      },
    },
  ];
}

async function submit(args: Fields, { signal, onProgress }: McpCall, context: ServiceContext) {
  readArguments(args, ['input', 'request']);
  const given = readText(args, 'input');
  const { settings: request, files } = await confineSettings(readFields(args, 'request'), context.root);
  if ('input' in request) throw new VencError('UsageError', 'request must not have an input.');
  const input = await readInput(args, context);
  for (const path of files.values()) await requireSize(path, 'request', context.limits);
  const client = await context.client();
  const isDaemon = await isVencDaemon(client);
  const upload = async (path: string) => {
    const sizeBytes = await readableFileSize(path);
    const name = basename(path);
    const report = (done: number) =>
      onProgress(sizeBytes === 0 ? 0 : (done / sizeBytes) * 99, `uploading ${name}`);
    return uploadFile(client, { path, sizeBytes }, isDaemon, { signal, onProgress: report });
  };
  const addresses = new Map<string, string>();
  for (const [url, path] of files) addresses.set(url, await upload(path));
  const address = isRemote(given) ? input : await upload(input);
  const body = { ...(await replaceWatermarks(request, addresses)), input: address };
  const { body: answer } = await createJobWithRetry(client, body, randomUUID(), signal);
  const { id, outputs } = normaliseCreated(answer);
  const warnings = isObject(answer) && Array.isArray(answer.warnings) ? answer.warnings : [];
  return { id: readId(id), outputs, warnings };
}

async function statusOf(client: Client, id: unknown, signal: AbortSignal): Promise<object> {
  if (id === undefined || id === null) {
    const { jobs } = await client.listJobs({ perPage: listedJobs }, signal);
    return {
      jobs: jobs.map(({ id: jobId, state, created_at, input_media_file: { url } }) => ({
        ...{ id: jobId, state, created_at, input: url === null ? null : redact(url) },
      })),
    };
  }
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 1)
    throw new VencError('UsageError', 'id must be a whole number from 1.');
  const job = await client.job(id, signal);
  if (isFinal(job.state)) return { job };
  return { job, progress: await client.jobProgress(id, signal) };
}
