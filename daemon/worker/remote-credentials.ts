import type { SavedCredentials } from '../jobs/saved-credentials.js';
import { untilAnswered } from './until-answered.js';
import { reportedError, type WorkerClient } from './worker-client.js';

/** The claim for whose job a worker asks something. */
export interface ClaimRef {
  readonly jobId: number;
  readonly token: string;
  /** Ends when the run does. */
  readonly signal: AbortSignal;
}

/**
 * The saved credentials of the account of a job, which the daemon sends when a transfer needs them. The worker keeps
 * none: each transfer asks again.
 */
export function createRemoteCredentials(
  client: Pick<WorkerClient, 'send'>,
  { jobId, token, signal }: ClaimRef,
): SavedCredentials {
  return {
    // The daemon checked the request when it was created.
    check: async () => null,
    async find({ scheme, name }) {
      const json = { scheme, name };
      const path = `/claims/${jobId}/credentials`;
      // Not ended with the run: files that it delivered are removed after it was stopped.
      const ended = signal.aborted ? AbortSignal.timeout(rollbackTimeoutMs) : signal;
      const send = () => client.send({ method: 'POST', path, claim: token, json });
      const answer = await untilAnswered(send, { signal: ended }).catch((error: unknown) => {
        throw reportedError(error);
      });
      return answer.status === 204
        ? null
        : (answer.json as { readonly user: string; readonly secret: string });
    },
  };
}

/** How long the removal of delivered files waits for a daemon, in milliseconds. */
const rollbackTimeoutMs = 5_000;
