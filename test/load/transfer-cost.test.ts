import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureFullSpeed } from '../../bench/download.js';
import { measureFtp } from '../../bench/ftp.js';
import { type Figure, isMet, tableOf } from '../../bench/measure.js';
import { measureSftp } from '../../bench/sftp.js';
import { cpuFigureSuffix } from '../../bench/transfer-cost.js';
import { beginLoadSuite } from '../helpers/load/load-suite.js';
import { findPrograms } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';

const load = beginLoadSuite('transfer-cost');
const rounds = 3;
/** Enough for processor times that are counted in hundredths of a second. */
const bytes = 120_000_000;

const schemes = [
  { name: 'HTTP', programs: ['curl', 'nginx'], measure: measureFullSpeed },
  { name: 'FTP', programs: ['curl', 'vsftpd'], measure: measureFtp },
  { name: 'SFTP', programs: ['sftp', 'sshd'], measure: measureSftp },
] as const;

for (const { name, programs, measure } of schemes) {
  const found = findPrograms(...programs);
  // vsftpd runs with test users, which needs root.
  const needsRoot = name === 'FTP' && process.getuid?.() !== 0;
  const missing = 'missing' in found ? found.missing : needsRoot ? 'vsftpd needs root' : null;
  const title = `a transfer over ${name} takes no more processor time than it did, compared with another program in the same run`;
  if (missing !== null) {
    load.print(`SKIPPED ${name}: ${missing}`);
    test.skip(title, () => undefined);
    continue;
  }
  test(title, async () => {
    const missed = await missedFigures(measure);
    if (missed.length === 0) return;
    // What else the machine does changes the caches of the processor; a slower transfer is slower each time.
    const again = new Set(await missedFigures(measure));
    assert.equal(
      missed.filter((figure) => again.has(figure)),
      [],
    );
  });
}

/** The figures of processor time that exceed their limits. The durations are only printed. */
async function missedFigures(
  measure: (folder: string, rounds: number, bytes: number) => Promise<readonly Figure[]>,
): Promise<readonly string[]> {
  const figures = await measure(tempFolder(), rounds, bytes);
  load.print(`\n${tableOf(figures)}`);
  return figures
    .filter((figure) => isMet(figure) === false && figure.name.endsWith(cpuFigureSuffix))
    .map((figure) => figure.name);
}

test.run();
