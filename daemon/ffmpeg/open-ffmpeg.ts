import { VencError } from '../../src/shared/errors.js';
import type { AudioMeasurement, Loudness, MeasuredAudio } from '../plan/decide/normalization.js';
import type { Capabilities } from '../plan/plan-types.js';
import type { SearchOptions } from './candidates.js';
import {
  type Containment,
  containmentCommand,
  findContainment,
  requireSandbox,
  type SandboxMode,
} from './containment/find-containment.js';
import {
  defaultEncodeLimits,
  defaultMemoryBytes,
  type EncodeLimits,
  probeLimits,
} from './containment/program-limits.js';
import { type ProgramEndHook, UsageMeter } from './containment/usage-meter.js';
import type { Binary, EncodeOptions, Ffmpeg, Measurer, NewerFfmpeg } from './ffmpeg-types.js';
import {
  type FoundBinaries,
  findBinaries,
  findNewerFfmpeg,
  readVersion,
  wrongChecksumMessage,
} from './find-binaries.js';
import { measureConstantRate } from './probe/constant-rate.js';
import { findCopyStart } from './probe/find-copy-start.js';
import { isWhole } from './probe/is-whole.js';
import { hidesShapes, listShapes } from './probe/list-shapes.js';
import { findDisplayedFrame, measureSeconds, measureVideo, readLength } from './probe/measure-streams.js';
import { probeFile } from './probe/probe-file.js';
import { probeImage } from './probe/probe-image.js';
import { findMeasurer } from './quality/find-measurer.js';
import { measureQuality } from './quality/measure-quality.js';
import { defaultCacheFolder, type ProgramQueryOptions, queryProgram } from './query-program.js';
import { runEncoder } from './run.js';

/** Options for finding and using ffmpeg. */
export interface OpenOptions extends SearchOptions {
  /** Folder for copies of programs and cached outputs; the user's cache folder if absent. */
  readonly cacheFolder?: string;
  /** Queries the programs again instead of using the cache. */
  readonly isFresh?: boolean;
  /** The limits that differ from `defaultEncodeLimits`. */
  readonly limits?: Partial<EncodeLimits>;
  /** Number of concurrent encodes, which share the memory of the machine; 1 if absent. */
  readonly concurrentEncodes?: number;
  /** `auto` if absent. */
  readonly sandbox?: SandboxMode;
  /** Called at the end of each run of ffmpeg and ffprobe. */
  readonly onProgramEnd?: ProgramEndHook;
  /** Maximum seconds to probe a file; 60 if absent. */
  readonly probeSeconds?: number;
}

/** The programs that were found, for `doctor` and the first lines of the log. */
export interface FfmpegReport extends FoundBinaries {
  /** Null without an ffmpeg. */
  readonly capabilities: Capabilities | null;
  /** The program that measures quality; null if there is none. */
  readonly measurer: Measurer | null;
  /** Whether encoders end when the daemon is killed; otherwise its next start ends them. */
  readonly diesWithParent: boolean;
  /** Whether the kernel limits memory, processor time and file sizes of the programs. */
  readonly hasLimits: boolean;
  /** The limit of memory of one run. */
  readonly memoryBytes: number;
  /** The path of bubblewrap; null if programs run without a sandbox. */
  readonly bwrap: string | null;
  /** Why there is no sandbox; null if there is one or none is wanted. */
  readonly sandboxProblem: string | null;
  /** Whether `--io-idle` was given and has no effect. */
  readonly lacksIoIdle: boolean;
}

/** The opened ffmpeg, null if one of the two programs is missing, and a report of the search. */
export interface OpenedFfmpeg {
  readonly ffmpeg: Ffmpeg | null;
  readonly report: FfmpegReport;
}

/**
 * Finds ffmpeg and ffprobe and reads their capabilities. Rejects with `UsageError` if a given path is not the program,
 * or a required sandbox does not work. A missing program is not an error, because the daemon starts without it. With
 * cached outputs it starts no program but one short trial of what contains the others.
 */
export async function openFfmpeg(options: OpenOptions = {}): Promise<OpenedFfmpeg> {
  const limits = { ...defaultEncodeLimits, ...options.limits };
  const sandbox = options.sandbox ?? 'auto';
  const memoryBytes = limits.maxMemoryBytes ?? defaultMemoryBytes(options.concurrentEncodes ?? 1);
  const searchPath = options.searchPath ?? process.env.PATH ?? '';
  const trial = findContainment({ searchPath, sandbox, threads: limits.threads, isIoIdle: limits.isIoIdle });
  // Awaited below; a failure in between must not count as unhandled.
  trial.catch(() => {});
  const queryOptions: ProgramQueryOptions = {
    cacheFolder: options.cacheFolder ?? defaultCacheFolder(),
    isFresh: options.isFresh ?? false,
    command: async (program) => commandOf({ ...(await trial), bwrap: null }, program, memoryBytes),
  };
  const found = await findBinaries({ ...options, ...queryOptions });
  const { ffmpeg, ffprobe } = found;
  const [own, foundMeasurer] =
    ffmpeg === null
      ? [null, null]
      : await Promise.all([
          queryCapabilities(ffmpeg.path, queryOptions),
          findMeasurer(ffmpeg, { ...options, ...queryOptions }),
        ]);
  const programs = [ffmpeg, ffprobe].filter((program) => program !== null);
  const containment = requireSandbox(
    await checkSandbox(await trial, programs, queryOptions, memoryBytes),
    sandbox,
  );
  /** Whether another program runs as contained as ffmpeg; if not, it is not used. */
  const isContained = async (program: Binary) => {
    const checked = await checkSandbox(containment, [program], queryOptions, memoryBytes);
    return checked.bwrap === containment.bwrap;
  };
  const measurer = foundMeasurer !== null && (await isContained(foundMeasurer.binary)) ? foundMeasurer : null;
  const capabilities = own === null ? null : withMeasurer(own, measurer);
  const report: FfmpegReport = {
    ...found,
    capabilities,
    measurer,
    diesWithParent: containment.setpriv.length > 0,
    hasLimits: containment.prlimit !== null,
    memoryBytes,
    bwrap: containment.bwrap,
    sandboxProblem: containment.sandboxProblem,
    lacksIoIdle: limits.isIoIdle && containment.ionice.length === 0,
  };
  if (ffmpeg === null || ffprobe === null || capabilities === null) return { ffmpeg: null, report };
  const launchSettings = { containment, meter: new UsageMeter(options.onProgramEnd), memoryBytes };
  const runSettings = { ...launchSettings, limits };
  const probeSettings = { ...launchSettings, seconds: options.probeSeconds ?? 60 };
  let foundNewer: Promise<NewerFfmpeg | null> | null = null;
  const findNewer = async (): Promise<NewerFfmpeg | null> => {
    const binary = await findNewerFfmpeg(ffmpeg, { ...options, ...queryOptions });
    if (binary === null) return null;
    if (ffmpeg.source === 'option') return { binary, ffmpeg: null };
    if (!(await isContained(binary))) return null;
    const itsOwn = await queryCapabilities(binary.path, queryOptions);
    return { binary, ffmpeg: use(binary, withMeasurer(itsOwn, measurer)) };
  };
  const use = (program: Binary, itsCapabilities: Capabilities): Ffmpeg => ({
    ffmpeg: program,
    ffprobe,
    capabilities: itsCapabilities,
    limits,
    newer: () => {
      foundNewer ??= program === ffmpeg ? findNewer().catch(() => null) : Promise.resolve(null);
      return foundNewer;
    },
    probe: (path, signal, program) => probeFile(ffprobe, path, probeSettings, { signal, program }),
    probeImage: (path, signal, subject) => probeImage(ffprobe, path, probeSettings, { signal, subject }),
    findDisplayedFrame: (path, moment, signal) =>
      findDisplayedFrame(ffprobe, path, moment, probeSettings, signal),
    findCopyStart: (path, copy, analysis, signal) =>
      findCopyStart(program, path, copy, analysis, probeSettings, signal),
    measureConstantRate: (path, video, signal) =>
      measureConstantRate(ffprobe, path, video, probeSettings, signal),
    listShapes: async (path, media, signal) =>
      hidesShapes(itsCapabilities) ? listShapes(ffprobe, path, media, probeSettings, signal) : null,
    readLength: (path, signal) => readLength(ffprobe, path, probeSettings, signal),
    isWhole: (path, signal) => isWhole(ffprobe, path, probeSettings, signal),
    measureVideo: (path, signal) => measureVideo(ffprobe, path, probeSettings, signal),
    measureSeconds: (path, streamIndex, signal) =>
      measureSeconds(ffprobe, path, streamIndex, probeSettings, signal),
    measureAudio: async (args, measurement, encode) =>
      readMeasurement(measurement, await runEncoder(program, args, runSettings, encode, 'info')),
    measurer,
    measureQuality: async (request, encode) => {
      if (measurer === null)
        throw new VencError('UnavailableError', missingMeasurerMessage, { hint: missingMeasurerHint });
      const run = async (args: readonly string[], decode: EncodeOptions) => {
        await runEncoder(program, args, runSettings, decode);
      };
      return measureQuality(measurer, request, { ...runSettings, run }, encode);
    },
    run: async (args, encode) => {
      await runEncoder(program, args, runSettings, encode);
    },
  });
  return { ffmpeg: use(ffmpeg, capabilities), report };
}

/** The filters that this machine has: `libvmaf` may be that of another program. */
function withMeasurer(capabilities: Capabilities, measurer: Measurer | null): Capabilities {
  const filters = new Set(capabilities.filters);
  if (measurer === null) filters.delete('libvmaf');
  else filters.add('libvmaf');
  return { ...capabilities, filters };
}

/** Why quality cannot be measured. */
const missingMeasurerMessage =
  'No ffmpeg or ffprobe on this machine has the filter libvmaf, which measures the quality of videos.';
const missingMeasurerHint = 'install an ffmpeg with libvmaf, or venc with its optional packages';

function commandOf(containment: Containment, program: string, memoryBytes: number): readonly string[] {
  const access = { folder: null, inputs: [] };
  return containmentCommand(containment, { program, limits: probeLimits(memoryBytes), access });
}

/**
 * Returns the containment without its sandbox if a program does not start in it, such as one whose libraries are in a
 * folder of a user. That is cached, like other facts about programs.
 */
async function checkSandbox(
  containment: Containment,
  programs: readonly Binary[],
  queryOptions: ProgramQueryOptions,
  memoryBytes: number,
): Promise<Containment> {
  if (containment.bwrap === null) return containment;
  try {
    const command = (program: string) => commandOf(containment, program, memoryBytes);
    for (const { path } of programs) {
      const options = { ...queryOptions, variant: command(path), command: async () => command(path) };
      await queryProgram(path, ['-version'], options);
    }
    return containment;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ...containment,
      bwrap: null,
      sandboxProblem: `ffmpeg or ffprobe ${reason.replace(/\.$/, '')} in it`,
    };
  }
}

/**
 * Warnings about the programs that were found, one sentence each. Missing programs are shown by the report itself, and
 * settings that the encoders and filters rule out are reported by the plan.
 */
export function warningsFor(report: FfmpegReport): readonly string[] {
  return [
    ...(report.ffmpeg?.source === 'installer'
      ? ['This ffmpeg is from 2018: use it for files that you trust, and install a newer one.']
      : []),
    ...(report.ffmpeg?.source === 'ffmpeg-binary'
      ? [
          'This ffmpeg is from April 2024 and gets no updates; an ffmpeg 5.0 or newer on PATH takes precedence.',
        ]
      : []),
    ...damagedPrograms(report),
    ...(report.diesWithParent
      ? []
      : [
          'setpriv is not installed: if the daemon is killed, its encoders continue until the next start ends them.',
        ]),
    ...limitWarnings(report),
    ...sandboxWarnings(report),
  ];
}

/** A sentence if the kernel enforces no limits of ffmpeg; none otherwise. */
export function limitWarnings({ hasLimits }: Pick<FfmpegReport, 'hasLimits'>): readonly string[] {
  if (hasLimits) return [];
  return [
    'prlimit (util-linux) is not installed or does not work: nothing limits the memory, processor time and output size of ffmpeg.',
  ];
}

/** A sentence if `--io-idle` was given and cannot be set; none otherwise. */
export function ioIdleWarnings({ lacksIoIdle }: Pick<FfmpegReport, 'lacksIoIdle'>): readonly string[] {
  return lacksIoIdle ? [noIoIdle] : [];
}

/** Says that `--io-idle` has no effect. */
export const noIoIdle =
  '--io-idle has no effect: ionice of util-linux is not installed, or does not work on this machine.';

/** A sentence if ffmpeg runs without a sandbox although one is wanted; none otherwise. */
export function sandboxWarnings({ sandboxProblem }: Pick<FfmpegReport, 'sandboxProblem'>): readonly string[] {
  return sandboxProblem === null ? [] : [`ffmpeg runs without a sandbox: ${sandboxProblem}.`];
}

/** A sentence for each packaged program that is not run because its checksum is wrong. */
export function damagedPrograms(report: Pick<FfmpegReport, 'looked'>): readonly string[] {
  return report.looked
    .filter(({ reason }) => reason === wrongChecksumMessage)
    .map(
      ({ path }) =>
        `${path} is damaged or was modified, and is not run: it ${wrongChecksumMessage}. Reinstall venc.`,
    );
}

/**
 * Reads what was measured from the log of ffmpeg. The value is null for silence, and for audio without samples, of
 * which ffmpeg 7 reports nothing.
 */
export function readMeasurement(measurement: AudioMeasurement, log: string): MeasuredAudio {
  return { [measurement]: measurement === 'loudness' ? readLoudness(log) : readPeak(log) };
}

/** Below this level in dB, audio counts as silent. Builds of 2018 report -6153 dB for samples of 0. */
const silenceDb = -120;
/** The loudness of silence. */
const silenceLufs = -70;

/** `astats` reports the peak of each channel, and then that of all. */
function readPeak(log: string): number | null {
  const peaks = [...log.matchAll(/Peak level dB: (\S+)/g)];
  const peak = Number.parseFloat(peaks.at(-1)?.[1] ?? '');
  return Number.isFinite(peak) && peak > silenceDb ? peak : null;
}

/** `ebur128` reports a summary. Less than the 0.4 seconds that it needs is the same as silence. */
function readLoudness(log: string): Loudness | null {
  const summary = log.slice(log.lastIndexOf('Integrated loudness:'));
  const number = (pattern: RegExp): number => Number.parseFloat(pattern.exec(summary)?.[1] ?? '');
  const integratedLufs = number(/\bI:\s+(\S+) LUFS/);
  const truePeakDb = number(/\bPeak:\s+(\S+) dBFS/);
  const thresholdLufs = number(/\bThreshold:\s+(\S+) LUFS/);
  const isLoud =
    integratedLufs > silenceLufs && Number.isFinite(truePeakDb) && Number.isFinite(thresholdLufs);
  return isLoud ? { integratedLufs, truePeakDb, thresholdLufs } : null;
}

/** The outputs of ffmpeg that list its capabilities, by argument. */
interface CapabilityTexts {
  readonly version: string;
  readonly encoders: string;
  readonly filters: string;
  readonly muxers: string;
  /** The output of `-h long`. */
  readonly help: string;
}

// Encoders: " V....D libx264  H.264 ..."; muxers: "  E mp4  MP4 ..." (one more column since release 7).
const encoderLine = /^ [VAS][A-Z.]{5} (\S+)\s/;
const muxerLine = /^ {1,2}[D ]?E[d ]* +(\S+)\s/;
// " T.C scale  V->V  Scale ..."; since release 8, two flags instead of three.
const filterLine = /^ [TSC.]{2,3} (\S+)\s+\S+->\S+/;

function parseNames(text: string, pattern: RegExp): ReadonlySet<string> {
  const names = text.split('\n').flatMap((line) => pattern.exec(line)?.[1]?.split(',') ?? []);
  return new Set(names.filter((name) => name !== '='));
}

/**
 * Parses ffmpeg's lists of capabilities. Support of `-fps_mode` is read from the help, not derived from the version,
 * because development builds have no version number.
 */
export function parseCapabilities(texts: CapabilityTexts): Capabilities {
  return {
    version: readVersion(texts.version)?.number ?? null,
    encoders: parseNames(texts.encoders, encoderLine),
    filters: parseNames(texts.filters, filterLine),
    muxers: parseNames(texts.muxers, muxerLine),
    hasFpsMode: /^-fps_mode\b/m.test(texts.help),
  };
}

/** The capabilities of an ffmpeg, from the program or the cache. Rejects if the program fails. */
async function queryCapabilities(path: string, options: ProgramQueryOptions): Promise<Capabilities> {
  const query = (...args: readonly string[]) => queryProgram(path, args, options);
  const [version, encoders, filters, muxers, help] = await Promise.all([
    query('-version'),
    query('-hide_banner', '-encoders'),
    query('-hide_banner', '-filters'),
    query('-hide_banner', '-muxers'),
    query('-hide_banner', '-h', 'long'),
  ]);
  return parseCapabilities({ version, encoders, filters, muxers, help });
}
