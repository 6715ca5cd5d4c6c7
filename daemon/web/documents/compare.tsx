/** @jsxImportSource hono/jsx */
import { invalidRequest, VencError } from '../../../src/shared/errors.js';
import { inputFileName, outputLabels } from '../../../src/shared/file-labels.js';
import type { QualityRecord } from '../../../src/shared/records.js';
import { type ComparedSide, comparedSides } from '../../actions/compared-frames.js';
import { findJob } from '../../actions/find-job.js';
import { jobRecord } from '../../jobs/view.js';
import { type CompareState, CompareView, firstImageWidth } from '../views/compare.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** Where the comparison begins if nothing is known of the quality: a part of the length. */
const firstPart = 0.1;

/** `/ui/jobs/ID/compare?output=ID&time=SECONDS`: the source and an output of a job at the same time. */
export async function compareDocument(request: DocumentRequest): Promise<PageDocument> {
  const { appContext, holder, root, param, query, frames } = request;
  const id = Number(param('id'));
  const job = await findJob(appContext, holder.account.id, id);
  const record = jobRecord(job);
  const labels = outputLabels(record);
  const withVideo = job.outputs.filter(({ state, media }) => state === 'finished' && media?.video);
  const given = query('output');
  const output = given === '' ? withVideo[0] : job.outputs.find((one) => String(one.id) === given);
  if (output === undefined && given !== '')
    throw new VencError('NotFoundError', `Job ${id} has no output with the id ${given.slice(0, 20)}.`);
  const problem =
    output === undefined
      ? 'The job has no finished output with video.'
      : await frames.problem(job, output.id);
  const seconds = output?.media?.durationSeconds ?? null;
  const worst = worstTimes(output?.quality, output?.media?.video?.durationSeconds ?? seconds);
  const time = readTime(query('time')) ?? worst[0] ?? (seconds ?? 0) * firstPart;
  const rate = output?.media?.video?.frameRate ?? null;
  const state: CompareState = {
    ...{
      jobId: id,
      name: inputFileName(record) ?? '',
      outputId: output?.id ?? null,
      problem,
      worst,
      seconds,
    },
    outputs: withVideo.map((one) => ({ id: one.id, label: labels.get(one.id) ?? String(one.id) })),
    time: Math.round(Math.min(time, seconds ?? time) * 1000) / 1000,
    framesPerSecond: rate === null ? null : rate.numerator / rate.denominator,
  };
  return {
    ...{ title: `Compare job ${id}`, current: 'queue' },
    live: problem === null ? { name: 'compare', data: state } : null,
    content: <CompareView {...state} root={root} />,
  };
}

/** `/ui/api/jobs/ID/frame`: a frame of the source or of an output, as a PNG image. */
export async function compareFrame(request: DocumentRequest): Promise<Response> {
  const { appContext, holder, param, query, frames, sessionId, signal, header } = request;
  const job = await findJob(appContext, holder.account.id, Number(param('id')));
  const knownTag = /^"([0-9a-f]+)"$/.exec(header('if-none-match'))?.[1] ?? null;
  const { tag, image } = await frames.frame(
    { ...readFrameQuery(query), job, visitor: sessionId, signal },
    knownTag,
  );
  // Another account may use the same browser.
  const headers = { ETag: `"${tag}"`, 'Cache-Control': 'private, no-cache' };
  if (image === null) return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(image), { headers: { ...headers, 'Content-Type': 'image/png' } });
}

const widths = { min: 16, max: 1920 } as const;

function readFrameQuery(query: DocumentRequest['query']) {
  const side = query('side');
  const outputId = /^\d{1,15}$/.test(query('output')) ? Number(query('output')) : null;
  const seconds = readTime(query('time'));
  const width = query('width') === '' ? firstImageWidth : Number(query('width'));
  const isWidth = Number.isInteger(width) && width >= widths.min && width <= widths.max;
  const errors = [
    ...(isSide(side) ? [] : [`side must be ${comparedSides.join(' or ')}`]),
    ...(outputId === null ? ['output must be the id of an output of the job'] : []),
    ...(seconds === null ? ['time must be a number of seconds, such as 12.5'] : []),
    ...(isWidth ? [] : [`width must be a whole number from ${widths.min} to ${widths.max}`]),
  ];
  if (!isSide(side) || outputId === null || seconds === null || errors.length > 0)
    throw invalidRequest(errors);
  return { side, outputId, seconds, width };
}

function isSide(text: string): text is ComparedSide {
  return (comparedSides as readonly string[]).includes(text);
}

/** Seconds; null if the text is no such number. */
function readTime(text: string): number | null {
  return /^\d{1,7}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null;
}

/** The times with the lowest scores, the worst second first; none if the quality was not measured. */
function worstTimes(quality: QualityRecord | undefined, seconds: number | null): readonly number[] {
  const { worst_second: worst, scores = [] } = quality ?? {};
  if (worst === undefined) return [];
  const length = (seconds ?? 0) / Math.max(1, scores.length);
  const parts = scores
    .map((score, index) => ({ score, start: index * length }))
    // The middle of the worst second is in one of them.
    .filter(({ start }) => worst.time + 0.5 < start || worst.time + 0.5 >= start + length)
    .toSorted((a, b) => a.score - b.score)
    .map(({ start }) => Math.round((start + length / 2) * 1000) / 1000);
  return [worst.time, ...(length === 0 ? [] : parts)];
}
