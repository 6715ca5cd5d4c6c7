import type { Command } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import { productVersion } from '../../shared/version.js';
import type { Context, ProgramFlags } from '../context.js';
import { checkDataFolder, checkNode } from '../doctor/check-machine.js';
import { checkPrograms } from '../doctor/check-programs.js';
import { checkService } from '../doctor/check-service.js';
import { doctorText } from '../output/doctor-text.js';
import { createTextColours } from '../output/paint.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecord } from '../terminal/print-records.js';

type DoctorOptions = OutputFormatOptions & ProgramFlags;

/** `venc doctor`: checks what is installed, what is missing and how to fix it. */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(command, 'one')
    .option('--ffmpeg <path>', 'the ffmpeg to check (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to check (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(context.handler((options: DoctorOptions) => run(options, context)));
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
