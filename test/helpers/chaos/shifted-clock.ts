import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.js';
import { tempFolder } from '../temp.js';
import { waitUntil } from '../wait-until.js';

/** A daemon whose clock the test sets. Its timers run as they do when an operator sets the clock: by the time that passes. */
export interface ShiftedDaemon extends DaemonProcess {
  /** Sets its clock: to the real time plus this many milliseconds. */
  setClock(offsetMs: number): Promise<void>;
}

/** Loaded by Node before the program. */
const preload = `
import { readFileSync } from 'node:fs';
const path = process.env.VENC_TEST_CLOCK;
const RealDate = Date;
let offsetMs = 0;
const read = () => { offsetMs = Number(readFileSync(path, 'utf8')); };
globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMs);
    else super(...parts);
  }
  static now() { return RealDate.now() + offsetMs; }
};
read();
process.on('SIGUSR2', () => { read(); process.stderr.write('clock set to ' + offsetMs + '\\n'); });
`;

/** Starts a daemon whose clock differs from the real one. */
export async function startShiftedDaemon(
  dataFolder: string,
  args: readonly string[] = [],
  options: { readonly offsetMs?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ShiftedDaemon> {
  const folder = tempFolder();
  const paths = { preload: join(folder, 'clock.mjs'), clock: join(folder, 'clock') };
  writeFileSync(paths.preload, preload);
  writeFileSync(paths.clock, String(options.offsetMs ?? 0));
  const daemon = await startDaemonProcess(dataFolder, args, {
    NODE_OPTIONS: `--import ${pathToFileURL(paths.preload).href}`,
    VENC_TEST_CLOCK: paths.clock,
    ...options.env,
  });
  return {
    ...daemon,
    async setClock(offsetMs) {
      const countOf = () => daemon.logged().split('clock set to').length;
      const before = countOf();
      writeFileSync(paths.clock, String(offsetMs));
      daemon.child.kill('SIGUSR2');
      await waitUntil('the clock is set', () => countOf() > before);
    },
  };
}
