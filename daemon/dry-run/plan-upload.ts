import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidRequest, isVencError, VencError } from '../../src/shared/errors.js';
import { placeholderInput } from '../../src/shared/settings/input-files.js';
import type { RequestFields } from '../../src/shared/settings/setting.js';
import { Semaphore } from '../../src/shared/util/semaphore.js';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import type { AppContext } from '../actions/app-context.js';
import type { CreateContext } from '../actions/check-request.js';
import { checkJobRequest } from '../actions/create-job.js';
import { Turns } from '../actions/turns.js';
import { inputName, missingFfmpegMessage } from '../ffmpeg/index.js';
import { mapLocalDiskError } from '../transfer/disk-errors.js';
import { describePlan, type UploadPlan, unknownPlan } from './describe-plan.js';
import { ffmpegForParts } from './partial-media.js';
import { planOutputs } from './plan-outputs.js';

/** How much of the start of a file is read, and how much of its end, in bytes. */
export const partBytes = 2 * 1024 * 1024;
/** The largest file that is planned, in bytes. */
const maxFileBytes = 2 ** 50;
/** Plans that are made at a time, those of all visitors that are made or wait, and those of one visitor. */
const limits = { running: 2, all: 8, perVisitor: 4 } as const;
/** The time in which a plan has to be made, in milliseconds. */
const timeLimitMs = 20_000;

/** A file that is not uploaded yet: its size, its first and its last bytes, and what is to be made of it. */
export interface FileToPlan {
  /** A request for a job without its input. */
  readonly request: RequestFields;
  readonly sizeBytes: number;
  /** The first `partBytes` bytes, or all of a smaller file. */
  readonly head: Buffer;
  /** The last `partBytes` bytes, or what is left after the head of a smaller file. */
  readonly tail: Buffer;
}

/** Who asks for a plan. */
interface PlanVisitor {
  readonly account: CreateContext['account'];
  /** Each has one plan made at a time. */
  readonly visitor: string;
  readonly signal: AbortSignal;
}

/** What plans need of the daemon. */
type PlanDeps = Pick<AppContext, 'ffmpeg' | 'scratch'> & Parameters<typeof checkJobRequest>[0];

/**
 * Plans the outputs of files before they are uploaded, from their first and last bytes. These are in a temporary folder
 * while the plan is made, in a file that has the size of the whole file and takes no more room than they.
 */
export class UploadPlans {
  readonly #context: PlanDeps;
  readonly #running = new Semaphore(limits.running);
  readonly #visitors = new Turns({
    perClient: limits.perVisitor,
    rejection: 'Too many plans are being made: try again in a second.',
  });
  #count = 0;

  constructor(context: PlanDeps) {
    this.#context = context;
  }

  /**
   * Plans a file, which is read in the turn of its visitor. Rejects with `InvalidRequestError` for a request that is not
   * valid, `TooManyRequestsError` if too many plans wait, and `UnavailableError` without an ffmpeg.
   */
  async plan(asked: PlanVisitor, readFile: () => Promise<FileToPlan>): Promise<UploadPlan> {
    const { visitor, signal } = asked;
    if (this.#count >= limits.all) throw this.#visitors.rejection();
    this.#count += 1;
    try {
      return await this.#visitors.run(visitor, signal, async () => {
        const file = await readFile();
        requireParts(file);
        return this.#running.runExclusive(() => this.#make(asked, file), signal);
      });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new VencError('InterruptedError', 'The plan is no longer wanted.', { cause: error });
    } finally {
      this.#count -= 1;
    }
  }

  async #make({ account, signal }: PlanVisitor, file: FileToPlan): Promise<UploadPlan> {
    const { ffmpeg, scratch } = this.#context;
    if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
    const { request, sizeBytes } = file;
    const { outputs, isTest, warnings } = await checkJobRequest(
      this.#context,
      { account, baseUrl: 'http://localhost' },
      { ...request, input: placeholderInput },
    );
    const isWhole = sizeBytes === file.head.length + file.tail.length;
    const limit = timeoutSignal(timeLimitMs);
    const folder = await scratch.openFor('plan');
    try {
      const input = join(folder, inputName);
      if (!(await writeParts(input, file))) return unknownPlan('size');
      const planned = await planOutputs(isWhole ? ffmpeg : ffmpegForParts(ffmpeg, file.head), {
        ...{ input, isTest, outputs, files: [], readsImages: false },
        signal: AbortSignal.any([signal, limit]),
      });
      const isLengthKnown = isWhole || planned.media.durationSeconds !== null;
      // Its length may be all that an output lacks.
      if (!isLengthKnown && planned.outputs.some(({ failure }) => failure !== null))
        return unknownPlan('parts');
      return describePlan(planned, { outputs, warnings, folder, isWhole, sizeBytes });
    } catch (error) {
      if (limit.aborted && !signal.aborted) return unknownPlan('time');
      // The disk is full: the file says nothing about that.
      if (isVencError(error, 'OutOfSpaceError'))
        throw new VencError('UnavailableError', error.message, { cause: error });
      if (!isVencError(error)) throw error;
      return isWhole ? { ...unknownPlan(null), failure: error.message } : unknownPlan('parts');
    } finally {
      await scratch.close(folder);
    }
  }
}

function requireParts({ sizeBytes, head, tail }: FileToPlan): void {
  const isSize = Number.isInteger(sizeBytes) && sizeBytes > 0 && sizeBytes <= maxFileBytes;
  if (!isSize) throw invalidRequest([`size must be a whole number of bytes from 1 to ${maxFileBytes}`]);
  const expected = Math.min(partBytes, sizeBytes);
  if (head.length !== expected)
    throw invalidRequest([`head must be the first ${expected} bytes of the file`]);
  const rest = Math.min(partBytes, sizeBytes - expected);
  if (tail.length !== rest) throw invalidRequest([`tail must be the last ${rest} bytes of the file`]);
}

/**
 * Writes a file that has a hole instead of what is not known. Resolves to false for a size that the disk does not allow.
 * Rejects with `OutOfSpaceError` if the parts have no room.
 */
async function writeParts(path: string, { sizeBytes, head, tail }: FileToPlan): Promise<boolean> {
  try {
    await writeFile(path, head, { flag: 'wx', mode: 0o600 });
    const isPossible = await truncate(path, sizeBytes).then(
      () => true,
      () => false,
    );
    if (!isPossible) return false;
    await truncate(path, sizeBytes - tail.length);
    await appendFile(path, tail);
    return true;
  } catch (error) {
    throw mapLocalDiskError(error, 'download');
  }
}
