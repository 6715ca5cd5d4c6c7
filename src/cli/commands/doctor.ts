import type { Command } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Fact } from '../../shared/text/file-facts.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanSize } from '../../shared/text/units.js';
import { productVersion } from '../../shared/version.js';
import type { Context, ProgramFlags } from '../context.js';
import { checkDataFolder, checkNode, checkPrograms } from '../doctor/check-machine.js';
import { checkService } from '../doctor/check-service.js';
import { createTextColours, type TextColours } from '../output/paint.js';
import { factLines, filled, wrapText } from '../output/wrap-text.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecord } from '../terminal/print-records.js';

type DoctorOptions = OutputFormatOptions & ProgramFlags;

/** `venc doctor`: checks what is installed, what is missing and how to fix it. */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(command, 'one')
    .option('--ffmpeg <path>', 'the ffmpeg to check (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to check (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
Exit codes: 0 if everything required is installed, 1 if something is missing.

Examples:
  venc doctor
  venc doctor --json --fields ok,findings`;

async function run(options: DoctorOptions, context: Context) {
  const { io } = context;
  const dataFolder = await context.dataFolder();
  const [programs, folder, service] = await Promise.all([
    checkPrograms(async () => {
      const { diagnose } = await import('../../../daemon/admin/diagnose.js');
      return diagnose(await context.programs(options));
    }),
    checkDataFolder(dataFolder),
    checkService(() => context.client()),
  ]);
  const findings = [
    checkNode(process.version),
    ...programs.findings,
    ...folder.findings,
    ...service.findings,
  ];
  const isReady = findings.every(({ level }) => level !== 'missing');
  const answer = {
    ok: isReady,
    version: productVersion,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    ffmpeg: programs.ffmpeg,
    ffprobe: programs.ffprobe,
    looked: programs.looked,
    encoders: programs.encoders,
    filters: programs.filters,
    rules_out: programs.rulesOut,
    transports: { ascp: programs.transports.ascp, with_keys: programs.transports.withKeys },
    data_folder: folder.facts,
    service: service.facts,
    findings,
  };
  await printRecord(io, options, {
    answer,
    known: answer,
    text: async () =>
      doctorText(
        { ...answer, encoders: programs.usedEncoders },
        createTextColours(io.colour.stdout),
        io.width,
      ),
  });
  return isReady ? exitCodes.done : exitCodes.jobFailed;
}

/** The findings of `venc doctor` that the text shows. */
interface Diagnosis {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly looked: readonly {
    readonly program: string;
    readonly path: string | null;
    readonly reason: string | null;
  }[];
  /** Those that outputs may use. */
  readonly encoders: readonly string[];
  readonly filters: readonly string[];
  readonly data_folder: { readonly free_bytes: number | null };
  readonly findings: readonly {
    readonly level: 'good' | 'note' | 'missing';
    readonly subject: string;
    readonly message: string;
    readonly advice: string | null;
  }[];
}

/** Width of a mark with the spaces after it. */
const markWidth = 9;

/** The result in one sentence: what is missing, or that everything required is installed. */
function formatResult(findings: Diagnosis['findings']): string {
  const missing = findings.filter(({ level }) => level === 'missing').map(({ subject }) => subject);
  const notes = findings.filter(({ level }) => level === 'note').length;
  if (missing.length > 0) {
    return `Result: not ready: ${[...new Set(missing)].join(', ')}. Follow the advice under MISSING.`;
  }
  const warnings = notes === 0 ? '' : `, with ${notes === 1 ? '1 note' : `${notes} notes`} above`;
  return `Result: ready${warnings}. Nothing required is missing.`;
}

/** The findings within `width` columns, each with its advice, then the programs that were skipped. */
export function doctorText(diagnosis: Diagnosis, colours: TextColours, width: number): string {
  const marks = { good: colours.green, note: colours.yellow, missing: colours.red };
  const words = { good: 'ok', note: 'note', missing: 'MISSING' };
  const indented = (text: string, indent: number) =>
    filled(safeText(text), width - indent).map((line) => ' '.repeat(indent) + line);
  const findings = diagnosis.findings.flatMap(({ level, subject, message, advice }) => {
    const [first = '', ...rest] = indented(`${subject}: ${message}`, markWidth);
    const mark = marks[level](words[level]) + ' '.repeat(markWidth - words[level].length);
    return [mark + first.trimStart(), ...rest, ...(advice === null ? [] : indented(advice, markWidth + 2))];
  });
  const skipped = diagnosis.looked.flatMap(({ program, path, reason }) =>
    path === null || reason === null ? [] : indented(`${program}: ${path} ${reason}`, 4),
  );
  const facts: readonly Fact[] = [
    ['venc', `${diagnosis.version}, node ${diagnosis.node}, ${diagnosis.platform}`],
    ...(diagnosis.encoders.length === 0 ? [] : [['encoders', diagnosis.encoders.join(' ')] as const]),
    ...(diagnosis.filters.length === 0 ? [] : [['filters', `${diagnosis.filters.length}`] as const]),
    ['free disk', humanSize(diagnosis.data_folder.free_bytes)],
  ];
  const lines = [
    ...factLines(facts).flatMap((line) =>
      wrapText(` ${line}`, width + 1)
        .split('\n')
        .map((part) => part.slice(1)),
    ),
    '',
    ...findings,
    ...(skipped.length === 0 ? [] : ['', 'Skipped:', ...skipped]),
    '',
    ...filled(formatResult(diagnosis.findings), width),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
