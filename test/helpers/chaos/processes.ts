import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A running process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  /** Its arguments, separated by spaces. */
  readonly command: string;
}

/** The processes whose arguments or working directory name a folder, except this process. */
export function processesOf(folder: string): readonly ProcessInfo[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const isZombie = /^State:\s+Z/m.test(status);
      const isOfFolder = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      if (isZombie || !isOfFolder) return [];
      return [{ pid: Number(pid), parentPid: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), command }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

/** The state of a process, one letter: `T` is stopped, `Z` ended. Empty if there is none, also if it ends meanwhile. */
export function stateOfProcess(pid: number): string {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** The encoders in a folder, and the programs that contain them, which have the same arguments. */
export function encodersIn(folder: string): readonly ProcessInfo[] {
  return processesOf(folder).filter(({ command }) => / -progress /.test(command));
}

/** The states of the encoders in a folder. */
export function encoderStates(folder: string): string {
  return encodersIn(folder)
    .map(({ pid }) => stateOfProcess(pid))
    .join('');
}
