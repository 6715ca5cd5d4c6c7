import { availableParallelism, totalmem } from 'node:os';

/** The limits that the kernel enforces on one run of a program. */
export interface ProgramLimits {
  /**
   * Private writable memory of the process: heap, anonymous mappings, and 8 MB of address space for the stack of each
   * thread.
   */
  readonly memoryBytes: number;
  /** Size of each file that it writes. */
  readonly fileSizeBytes: number;
  /** Processor time of all its threads. */
  readonly cpuSeconds: number;
}

/** What the operator limits, from the flags of `venc daemon`. */
export interface EncodeLimits {
  /** Seconds without progress after which an encode fails (`--encode-stall-timeout`). */
  readonly stallSeconds: number;
  /** Maximum seconds of one run of ffmpeg; null for no limit (`--max-encode-time`). */
  readonly maxEncodeSeconds: number | null;
  /** Maximum size of each file that ffmpeg writes; null for the free space (`--max-output-size`). */
  readonly maxOutputBytes: number | null;
  /** Maximum duration of an input; null for no limit (`--max-input-duration`). */
  readonly maxInputSeconds: number | null;
  /** Memory of one run; null for `defaultMemoryBytes` (`--max-encode-memory`). */
  readonly maxMemoryBytes: number | null;
  /** Processor seconds for each second of media in 1080p (`--encode-cpu-factor`). */
  readonly cpuFactor: number;
  /** Processors that one run may use; null for all (`--encode-threads`). */
  readonly threads: number | null;
  /** The niceness that is added to that of this process, 0-19 (`--nice`). */
  readonly nice: number;
  /** Whether runs use the disk only while no other process does (`--io-idle`). */
  readonly isIoIdle: boolean;
}

/** The limits without flags. */
export const defaultEncodeLimits: EncodeLimits = {
  stallSeconds: 600,
  maxEncodeSeconds: null,
  maxOutputBytes: null,
  maxInputSeconds: null,
  maxMemoryBytes: null,
  cpuFactor: 2000,
  threads: null,
  nice: 10,
  isIoIdle: false,
};

/** What one run of ffmpeg processes, for the limit of its processor time. */
export interface EncodeWork {
  /** Duration of the media; null if unknown. */
  readonly seconds: number | null;
  /** Pixels of a frame of each output, added up. */
  readonly pixels: number;
}

const gigabyte = 1e9;
const maxBaseBytes = 3 * gigabyte;
const bytesPerProcessor = 0.25 * gigabyte;
const minMemoryBytes = gigabyte;

/**
 * The default limit of memory: half the memory of the machine, divided by the number of concurrent encodes; at least 1
 * GB, and at most 3 GB and 0.25 GB for each processor, because encoders keep frames for each thread.
 */
export function defaultMemoryBytes(
  concurrentEncodes: number,
  machine = { memoryBytes: totalmem(), processors: availableParallelism() },
): number {
  const share = machine.memoryBytes / 2 / Math.max(1, concurrentEncodes);
  const ceiling = maxBaseBytes + bytesPerProcessor * machine.processors;
  return Math.round(Math.max(minMemoryBytes, Math.min(share, ceiling)));
}

const referencePixels = 1920 * 1080;
const minCpuSeconds = 3600;
const unknownWorkCpuSeconds = 24 * 3600;

/** The limit of processor time for some work. A day if the duration is unknown. */
export function cpuSecondsFor(work: EncodeWork | undefined, cpuFactor: number): number {
  if (work === undefined || work.seconds === null) return unknownWorkCpuSeconds;
  const scale = Math.max(1, work.pixels / referencePixels);
  return (
    Math.round(
      minCpuSeconds * Math.min(1, cpuFactor / defaultEncodeLimits.cpuFactor) +
        cpuFactor * work.seconds * scale,
    ) || 1
  );
}

const probeCpuSeconds = 3600;
/** ffprobe writes no files. A script in its place may write a log. */
const probeFileBytes = 100_000_000;

/** The limits of ffprobe and of queries. */
export function probeLimits(memoryBytes: number): ProgramLimits {
  return { memoryBytes, fileSizeBytes: probeFileBytes, cpuSeconds: probeCpuSeconds };
}

const maxOpenFiles = 512;
const stackBytes = 8 * 1024 * 1024;
/** After the soft limit the kernel sends SIGXCPU each second; at the hard limit, SIGKILL. */
const cpuGraceSeconds = 5;

/** The hard limits of this process, by the options of `prlimit`; absent if unlimited. Only root may exceed them. */
export type HardLimits = Readonly<Partial<Record<keyof typeof limitNames, number>>>;

/** The names of the limits in `/proc/self/limits`. */
const limitNames = {
  data: 'Max data size',
  stack: 'Max stack size',
  fsize: 'Max file size',
  cpu: 'Max cpu time',
  nofile: 'Max open files',
} as const;

/** Reads the hard limits in the text of `/proc/self/limits`. */
export function parseHardLimits(text: string): HardLimits {
  const found = Object.entries(limitNames).flatMap(([option, name]) => {
    const hard = new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(text)?.[1];
    return hard === undefined ? [] : [[option, Number(hard)] as const];
  });
  return Object.fromEntries(found);
}

/**
 * The options of `prlimit` (util-linux) that set the limits, for a program that it executes. No limit is above the hard
 * limits of this process: `prlimit` would fail, and with it every run.
 */
export function prlimitOptions(
  { memoryBytes, fileSizeBytes, cpuSeconds }: ProgramLimits,
  hard: HardLimits = {},
): readonly string[] {
  const atMost = (option: keyof HardLimits, value: number) =>
    Math.min(Math.round(value), hard[option] ?? Number.POSITIVE_INFINITY);
  return [
    // Not RLIMIT_AS: it counts shared libraries, and what an allocator reserves and does not use.
    `--data=${atMost('data', memoryBytes)}`,
    `--stack=${atMost('stack', stackBytes)}`,
    `--fsize=${atMost('fsize', fileSizeBytes)}`,
    `--cpu=${atMost('cpu', cpuSeconds)}:${atMost('cpu', cpuSeconds + cpuGraceSeconds)}`,
    `--nofile=${atMost('nofile', maxOpenFiles)}`,
    '--core=0',
  ];
}
