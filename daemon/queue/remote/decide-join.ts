import { VencError } from '../../../src/shared/errors.js';
import { workerProtocol } from '../../../src/shared/version.js';
import { type JoinAnswer, type JoinRequest, workerTiming } from '../../jobs/worker-protocol.js';
import type { JoinDecision, WorkerSession } from '../../store/worker-table.js';

/** A worker that has not been seen for this many leases is forgotten. */
export const forgottenAfterLeases = 4;

/** Decides what a join does, as `Workers.join` says. Throws `ConflictError`. Pure. */
export function decideJoin(
  sessions: readonly WorkerSession[],
  { name, folderId, processId, hasJoined = false }: JoinRequest,
  leaseMs: number,
): JoinDecision {
  const isSameFolder = (session: WorkerSession) => folderId !== undefined && session.folderId === folderId;
  const other = sessions.find(
    (session) => isSameFolder(session) && session.processId !== processId && session.seenAgoMs <= leaseMs,
  );
  // The other process has joined since, and neither can have ended.
  if (hasJoined && other !== undefined) throw copiedFolder(other.name);
  const isForgotten = ({ name: known, seenAgoMs }: WorkerSession) =>
    seenAgoMs > forgottenAfterLeases * leaseMs || (known === name && seenAgoMs > leaseMs);
  const isRemoved = (session: WorkerSession) => isSameFolder(session) || isForgotten(session);
  const taken = new Set(sessions.filter((session) => !isRemoved(session)).map((session) => session.name));
  return {
    name: freeName(name, taken),
    removedIds: sessions.filter(isRemoved).map(({ id }) => id),
    endedNames: sessions
      .filter((session) => isSameFolder(session) && session.processId !== processId)
      .map((session) => session.name),
  };
}

/** The answer to a worker that has joined. */
export function joinAnswer(workerId: string, name: string, leaseMs: number): JoinAnswer {
  return {
    workerId,
    name,
    leaseSeconds: leaseMs / 1000,
    heartbeatSeconds: workerTiming.heartbeat,
    pollSeconds: workerTiming.poll,
  };
}

/** Throws `ConflictError` if the protocol of a worker is too old or too new. */
export function requireProtocol({ protocol, version }: JoinRequest): void {
  const { current, oldest } = workerProtocol;
  if (protocol < oldest) {
    throw new VencError(
      'ConflictError',
      `This worker is too old for the daemon (venc ${version}, protocol ${protocol}; the daemon needs ${oldest} or later): upgrade venc on the worker.`,
    );
  }
  if (protocol <= current + 1) return;
  throw new VencError(
    'ConflictError',
    `This worker is too new for the daemon (venc ${version}, protocol ${protocol}; the daemon supports up to ${current + 1}): upgrade venc on the daemon.`,
  );
}

function copiedFolder(name: string): VencError {
  return new VencError(
    'ConflictError',
    `Another process has joined as this worker (${name}): its data folder is a copy of this one, with the same path, on a machine of the same name.`,
    { hint: 'Start one of them with another --data, or give its machine another name.' },
  );
}

/** The error for a worker that is not known. */
export function unknownWorker(): VencError {
  return new VencError('NotFoundError', 'This worker is not known: it must join again.');
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}
