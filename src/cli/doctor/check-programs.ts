import { checkTransports, type TransportReport } from './check-transports.js';
import { type Finding, good, messageOf, missing } from './finding.js';

const installAdvice = 'install ffmpeg 5.0 or newer, or name one with --ffmpeg and --ffprobe';

const sources = {
  option: 'as told',
  'ffmpeg-static': 'from the package ffmpeg-static',
  PATH: 'found on PATH',
  installer: 'from the installer package',
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
    readonly abilities: {
      readonly encoders: ReadonlySet<string>;
      readonly filters: ReadonlySet<string>;
    } | null;
  };
  readonly remarks: readonly string[];
  readonly rulesOut: readonly string[];
  readonly transports: TransportReport;
}

/** Which programs encode, why these, and what they cannot do, as `examine` finds out. Never rejects. */
export async function checkPrograms(examine: () => Promise<ProgramReport>) {
  try {
    const { report, remarks, rulesOut, transports } = await examine();
    const { ffmpeg, ffprobe, looked, abilities } = report;
    const programs = [
      ['ffmpeg', ffmpeg],
      ['ffprobe', ffprobe],
    ] as const;
    const findings = programs.map(([subject, binary]): Finding => {
      if (binary === null) return missing(subject, 'none was found that can be used', installAdvice);
      return good(subject, `${binary.path}, version ${binary.version}, ${sources[binary.source]}`);
    });
    const notes = [...remarks, ...rulesOut].map(
      (message): Finding => ({ level: 'note', subject: 'encoding', message, advice: null }),
    );
    return {
      ffmpeg,
      ffprobe,
      looked,
      rulesOut,
      encoders: [...(abilities?.encoders ?? [])].sort(),
      filters: [...(abilities?.filters ?? [])].sort(),
      transports,
      findings: [...findings, ...notes, ...checkTransports(transports)],
    };
  } catch (error) {
    const findings = [missing('ffmpeg', messageOf(error), installAdvice)];
    return {
      ffmpeg: null,
      ffprobe: null,
      looked: [],
      rulesOut: [],
      encoders: [],
      filters: [],
      transports: null,
      findings,
    };
  }
}
