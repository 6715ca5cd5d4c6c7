import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JobRecord } from '../../shared/records.js';
import type { ReportedWarning } from '../../shared/settings/setting.js';
import { isUrl } from '../../shared/text/url-text.js';
import {
  foldersToCreate,
  rejectInputAsOutput,
  removeEmptyFolders,
  requireAbsent,
  requireWritable,
} from '../../shared/util/check-destinations.js';
import { placeIdentity } from '../../shared/util/disk.js';
import { withWatermarkUrls } from '../../shared/util/local-urls.js';
import { withRunFolder } from '../../shared/util/run-folder.js';
import type { EncodedFile, EncodeResult, Input, Progress, Quality, Warning } from '../declarations.js';
import type { CallContext, Claim } from '../process-state.js';
import { addressOf, pathOfUrl } from './inputs.js';
import { isStream, type OutputStream, openOutputStream } from './output-stream.js';
import { asGiven, failureOf, outputErrorOf } from './pipeline-errors.js';
import {
  destinationHint,
  destinationText,
  optionError,
  type ReadOptions,
  readEncodeOptions,
} from './read-options.js';

/** What an encode needs. */
interface EncodeContext extends CallContext {
  readonly claim: Claim;
  readonly onProgress: (progress: Progress) => void;
}

/** Where an output goes, and what the request has for it. */
interface ResolvedOutput {
  readonly field: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The path of a file; null for other destinations. */
  readonly path: string | null;
  /** The address of a remote destination; null for others. */
  readonly url: string | null;
  readonly stream: OutputStream | null;
}

/** Encodes an input with the pipeline of `venc run`. Rejects with errors that name the options of the caller. */
export async function runEncode(
  input: Input,
  options: unknown,
  context: EncodeContext,
): Promise<EncodeResult> {
  const read = readEncodeOptions(options);
  const outputs = read.outputs.map((one) => resolveOutput(one, read, context.cwd));
  const [stream = null] = outputs.flatMap((one) => one.stream ?? []);
  if (stream !== null && outputs.length > 1)
    throw optionError('outputs', 'cannot have a stream and other outputs', 'write the others to files');
  try {
    const result = await encodeTo(outputs, input, { ...context, read, stream });
    await stream?.end();
    return result;
  } catch (error) {
    stream?.fail(error);
    if (stream?.signal.aborted === true && !context.signal.aborted) throw stream.signal.reason;
    throw asGiven(error, read.fieldOf);
  }
}

function resolveOutput(
  { settings, destination, field }: ReadOptions['outputs'][number],
  { fieldOf }: ReadOptions,
  cwd: string,
): ResolvedOutput {
  const base = { field, settings, path: null, url: null, stream: null };
  if (isStream(destination)) {
    const prefix = field.startsWith('outputs') ? field.replace(/output$/, '') : 'outputs[0].';
    const stream = openOutputStream(destination, settings, {
      ...{ field, fieldOf: (name) => fieldOf(`${prefix}${name}`) },
    });
    return { ...base, stream };
  }
  const text = destinationText(destination, field);
  if (text === null) throw optionError(field, 'is missing', destinationHint);
  if (!isUrl(text) && text.endsWith('/')) throw optionError(field, 'names a folder', 'name a file in it');
  if (isUrl(text) && !/^file:/i.test(text)) return { ...base, url: text };
  return { ...base, path: resolve(cwd, isUrl(text) ? pathOfUrl(text, field) : text) };
}

interface RunContext extends EncodeContext {
  readonly read: ReadOptions;
  readonly stream: OutputStream | null;
}

async function encodeTo(
  outputs: readonly ResolvedOutput[],
  input: Input,
  context: RunContext,
): Promise<EncodeResult> {
  const { read, claim, stream } = context;
  const places = placesOf(outputs);
  claim.add(places);
  claim.add(places, await identitiesOf(outputs, places));
  const signal = stream === null ? context.signal : AbortSignal.any([context.signal, stream.signal]);
  return withRunFolder(async (folder) => {
    const address = await addressOf(input, { folder, signal, cwd: context.cwd, field: 'input' });
    await checkOutputs(outputs, address, read);
    const paths = outputs.flatMap(({ path }) => path ?? []);
    const created = await foldersToCreate(paths);
    const streamPath = stream === null ? null : join(folder, `output.${stream.extension}`);
    const body = { ...read.job, input: address, outputs: await bodiesOf(outputs, read, streamPath) };
    const warnings: ReportedWarning[] = [];
    const job = await runJob(body, {
      ...context,
      signal,
      folder,
      onWarnings: (all) => warnings.push(...all),
    });
    if (job?.state === 'cancelled') await removeEmptyFolders(created);
    signal.throwIfAborted();
    if (job !== null && job.state !== 'finished')
      throw failureOf(
        job,
        outputs.map(({ field }) => field),
      );
    if (stream !== null && streamPath !== null && !stream.isLive) await stream.sendFile(streamPath);
    return resultOf(job, outputs, warnings, read);
  });
}

/** The places that outputs are written to, by their fields. */
function placesOf(outputs: readonly ResolvedOutput[]): ReadonlyMap<string, string> {
  return new Map(
    outputs.flatMap(({ field, path, url }) => {
      const place = path ?? url;
      return place === null ? [] : [[field, place] as const];
    }),
  );
}

async function identitiesOf(
  outputs: readonly ResolvedOutput[],
  places: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const identities = new Map(places);
  for (const { field, path } of outputs)
    if (path !== null) identities.set(field, await placeIdentity(path).catch(() => path));
  return identities;
}

/** Rejects outputs that could not be written, or would replace a file without `overwrite`. */
async function checkOutputs(
  outputs: readonly ResolvedOutput[],
  address: string,
  { overwrite }: ReadOptions,
): Promise<void> {
  for (const { field, path, settings } of outputs) {
    if (path === null) continue;
    try {
      await rejectInputAsOutput(address, [path], 'another output');
      await requireWritable([path], 'another output');
      if (!overwrite && settings.overwrite !== true) await requireAbsent([path], 'another output');
    } catch (error) {
      throw outputErrorOf(error, field);
    }
  }
}

function bodiesOf(
  outputs: readonly ResolvedOutput[],
  { overwrite }: ReadOptions,
  streamPath: string | null,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return Promise.all(
    outputs.map(async ({ settings, path, url }) => ({
      ...(await withWatermarkUrls(settings)),
      ...(overwrite && url === null ? { overwrite } : {}),
      url: url ?? pathToFileURL(path ?? streamPath ?? '').href,
    })),
  );
}

async function runJob(
  body: unknown,
  {
    read,
    stream,
    turns,
    programs,
    folder,
    signal,
    onProgress,
    onWarnings,
  }: RunContext & {
    readonly folder: string;
    readonly onWarnings: (warnings: readonly ReportedWarning[]) => void;
  },
): Promise<JobRecord | null> {
  const { runOneShot } = await import('../../../daemon/app/one-shot-run.js');
  return runOneShot(body, {
    ...programs,
    ...{ folder: join(folder, 'data'), signal, hasMd5: false, isEmbedded: true },
    allowPrivateNetwork: read.allowPrivateNetwork,
    stallTimeoutSeconds: 30,
    concurrentEncodes: Math.min(turns.permits, read.concurrency),
    encodeTurns: { acquire: (_priority, own) => turns.acquire(0, own, read.concurrency) },
    onCreated: async ({ warnings = [] }) => onWarnings(warnings),
    // The type of the API is that of the record, with the states of each file apart.
    onProgress: (record) => onProgress(record as Progress),
    ...(stream?.isLive === true ? { onBytes: stream.write } : {}),
  });
}

function resultOf(
  job: JobRecord | null,
  outputs: readonly ResolvedOutput[],
  requestWarnings: readonly ReportedWarning[],
  { fieldOf }: ReadOptions,
): EncodeResult {
  const records = job?.output_media_files ?? [];
  const files = outputs.flatMap(({ stream, path }, index): readonly EncodedFile[] => {
    const record = records[index];
    if (record?.state !== 'finished') return [];
    const { label, file_size_bytes: bytes, url } = record;
    const place =
      stream !== null || url === null ? {} : path === null ? { url } : { path: fileURLToPath(url) };
    return [{ ...place, label, bytes: bytes ?? 0 }];
  });
  const warnings: readonly Warning[] = [
    ...requestWarnings.map(({ field, message }) => ({ field: fieldOf(field), message })),
    ...records.flatMap((record, index) =>
      (record.warnings ?? []).map((message) => ({ field: outputs[index]?.field ?? 'output', message })),
    ),
  ];
  const [quality = null] = records.flatMap((record) => record.quality ?? []);
  return { files, warnings, quality: quality as Quality | null };
}
