import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureFullSpeed } from '../../bench/download.js';
import { measureFtp } from '../../bench/ftp.js';
import { type Figure, isMet, tableOf } from '../../bench/measure.js';
import { measureShortJob } from '../../bench/one-job.js';
import { measureSftp } from '../../bench/sftp.js';
import { measureStartup } from '../../bench/startup.js';
import { cpuFigureSuffix } from '../../bench/transfer-cost.js';
import { beginLoadSuite } from '../helpers/load/load-suite.js';
import { findPrograms } from '../helpers/servers/find-program.js';
import type { ServerProgramName } from '../helpers/servers/packages.js';
import { tempFolder } from '../helpers/temp.js';

const load = beginLoadSuite('processor-time');

/** What is measured, and the programs that it needs. */
interface Work {
  readonly name: string;
  readonly programs: readonly ServerProgramName[];
  readonly needsRoot?: true;
  readonly measure: (folder: string) => Promise<readonly Figure[]>;
}

/** Enough for processor times that are counted in hundredths of a second. */
const bytes = 120_000_000;

const all: readonly Work[] = [
  {
    name: 'a transfer over HTTP',
    programs: ['curl', 'nginx'],
    measure: (folder) => measureFullSpeed(folder, 3, bytes),
  },
  {
    name: 'a transfer over FTP',
    programs: ['curl', 'vsftpd'],
    // vsftpd runs with test users.
    needsRoot: true,
    measure: (folder) => measureFtp(folder, 3, bytes),
  },
  {
    name: 'a transfer over SFTP',
    programs: ['sftp', 'sshd'],
    measure: (folder) => measureSftp(folder, 3, bytes),
  },
  { name: 'a short job', programs: [], measure: (folder) => measureShortJob(folder, 3) },
  { name: 'the start of a command', programs: [], measure: (folder) => measureStartup(folder, 15) },
];

for (const { name, programs, needsRoot, measure } of all) {
  const found = findPrograms(...programs);
  const lacksRoot = needsRoot === true && process.getuid?.() !== 0;
  const missing = 'missing' in found ? found.missing : lacksRoot ? 'it needs root' : null;
  const title = `${name} takes no more processor time than it did, compared with another program in the same run`;
  if (missing !== null) {
    load.print(`SKIPPED ${name}: ${missing}`);
    test.skip(title, () => undefined);
    continue;
  }
  test(title, async () => {
    const missed = await missedFigures(measure);
    if (missed.length === 0) return;
    // What else the machine does changes the caches of the processor; slower code is slower each time.
    const again = new Set(await missedFigures(measure));
    assert.equal(
      missed.filter((figure) => again.has(figure)),
      [],
    );
  });
}

/** The figures of processor time that exceed their limits. The durations are only printed. */
async function missedFigures(measure: Work['measure']): Promise<readonly string[]> {
  const figures = await measure(tempFolder());
  load.print(`\n${tableOf(figures)}`);
  return figures
    .filter((figure) => isMet(figure) === false && figure.name.endsWith(cpuFigureSuffix))
    .map((figure) => figure.name);
}

test.run();
