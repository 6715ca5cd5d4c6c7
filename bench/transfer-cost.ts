import { fork } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { cpuSecondsOf } from './programs.js';
import type { TransferRequest, TransferSample } from './transfer-process.js';

/** A process that makes transfers with the transports of the daemon. */
interface TransferProcess {
  readonly run: (request: TransferRequest) => Promise<TransferSample>;
  readonly stop: () => Promise<void>;
}

/** Starts the process of `transfer-process.ts`. SFTP needs a private key and a file for the keys of hosts. */
export function startTransferProcess(keyPath = '', hostKeysPath = ''): TransferProcess {
  const program = fileURLToPath(new URL('./transfer-process.js', import.meta.url));
  const child = fork(program, [keyPath, hostKeysPath], { execArgv: ['--no-warnings'] });
  return {
    async run(request) {
      child.send(request);
      const [sample] = (await once(child, 'message')) as [TransferSample];
      if (sample.failure !== undefined) throw new Error(sample.failure);
      return sample;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** The size of the transferred file, unless less time is given. */
export const transferBytes = 400_000_000;

/** The size of a transferred file, for the names of figures. */
function sizeText(bytes: number): string {
  return `${bytes / 1_000_000} MB`;
}

/** Writes the file that is transferred. Its bytes vary, so that no program can skip any. */
export async function makeTransferFile(path: string, bytes: number): Promise<void> {
  const chunk = randomFillSync(Buffer.alloc(1_000_000));
  const handle = await open(path, 'w');
  try {
    for (let at = 0; at < bytes; at += chunk.byteLength) {
      chunk.writeUInt32BE(at, 0);
      await handle.write(chunk);
    }
  } finally {
    await handle.close();
  }
}

/** A transfer and the same one by another program. */
export interface ComparedTransfer {
  /** What is done, such as `in over FTP`. */
  readonly name: string;
  /** The size of the file. */
  readonly bytes: number;
  readonly peer: string;
  readonly ours: () => Promise<TransferSample>;
  /** Runs the other program. */
  readonly theirs: () => Promise<void>;
  /** Checks and removes what was transferred. */
  readonly check: (by: 'ours' | 'theirs') => Promise<void>;
  /** The most that the transfer may take, as multiples of the other program. */
  readonly atMost: TransferLimits;
}

/**
 * Limits of a transfer, as multiples of another program: a goal for the time, and maxima of the processor time. These are
 * at least a quarter more than was reached; more where the other program takes only some hundredths of a second, and for
 * SFTP, whose worst run of several counts: see `speed.md`.
 */
interface TransferLimits {
  readonly ms: number;
  /** Of the whole process. */
  readonly cpu: number;
  /** Without the thread that computes the MD5; null if it is not limited. */
  readonly cpuWithoutMd5: number | null;
}

type Sample = Omit<TransferSample, 'failure'>;

/** The end of the names of the figures that count processor time, which other work on the machine changes least. */
export const cpuFigureSuffix = 'processor time';

/** Measures a transfer: its duration and its processor time, compared with the other program, in turn. */
export async function measureTransfer(
  rounds: number,
  { name, bytes, peer, ours, theirs, check, atMost }: ComparedTransfer,
): Promise<readonly Figure[]> {
  const samples = await alternate<'ours' | 'theirs', Sample>(rounds, {
    async ours() {
      const sample = await ours();
      await check('ours');
      return sample;
    },
    async theirs() {
      const before = await cpuSecondsOf('self');
      const ms = await timed(theirs);
      const cpuSeconds = (await cpuSecondsOf('self')) - before;
      await check('theirs');
      return { ms, cpuSeconds, md5Seconds: 0 };
    },
  });
  const figure = (
    what: string,
    of: (sample: Sample) => number,
    unit: 'ms' | 's',
    limit: number | null,
  ): Figure => {
    const [own, reference] = [samples.ours.map(of), samples.theirs.map(of)];
    const [median, other] = [own, reference].map((all) =>
      spreadOf(all).median.toFixed(unit === 'ms' ? 0 : 2),
    );
    return {
      name: `${sizeText(bytes)} ${name}${what}`,
      unit: 'x',
      value: spreadOf(ratiosOf(own, reference)),
      atMost: limit,
      basis: `${median} ${unit}, ${peer} ${other} ${unit}`,
    };
  };
  return [
    figure(`, compared with ${peer}`, ({ ms }) => ms, 'ms', atMost.ms),
    figure(`, ${cpuFigureSuffix}`, ({ cpuSeconds }) => cpuSeconds, 's', atMost.cpu),
    figure(
      `, without MD5, ${cpuFigureSuffix}`,
      ({ cpuSeconds, md5Seconds }) => cpuSeconds - md5Seconds,
      's',
      atMost.cpuWithoutMd5,
    ),
  ];
}
