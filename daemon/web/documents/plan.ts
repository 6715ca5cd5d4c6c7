import { invalidRequest } from '../../../src/shared/errors.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { UploadPlan } from '../../dry-run/describe-plan.js';
import { partBytes } from '../../dry-run/plan-upload.js';
import type { DocumentRequest } from './document.js';

/** The largest body, in bytes: both parts in base64, and the request. */
export const maxPlanBytes = Math.ceil((2 * partBytes * 4) / 3) + 128 * 1024;

/**
 * `POST /ui/api/plan`: what becomes of a file that is not uploaded yet. The body is JSON: `request`, without its input,
 * the `size` of the file in bytes, and its first and last 2 MiB as `head` and `tail` in base64. Nothing of it is kept.
 */
export function planOfFile(
  { plans, holder: { account }, sessionId, signal }: DocumentRequest,
  body: () => Promise<unknown>,
): Promise<UploadPlan> {
  return plans.plan({ account, visitor: sessionId, signal }, async () => {
    const sent = await body();
    const { request, size, head, tail } = isObject(sent) ? sent : {};
    const errors = [
      ...(isObject(request) ? [] : ['request must be an object']),
      ...(typeof size === 'number' ? [] : ['size must be a number']),
      ...(typeof head === 'string' ? [] : ['head must be a text in base64']),
      ...(typeof tail === 'string' ? [] : ['tail must be a text in base64']),
    ];
    if (!isObject(request) || errors.length > 0) throw invalidRequest(errors);
    return {
      ...{ request, sizeBytes: Number(size) },
      head: Buffer.from(String(head), 'base64'),
      tail: Buffer.from(String(tail), 'base64'),
    };
  });
}
