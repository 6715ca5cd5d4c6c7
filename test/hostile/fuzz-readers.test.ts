import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codecsOfTransportStream } from '../../daemon/packaging/cut-transport-stream.js';
import { tracksOf } from '../../daemon/packaging/sample-tables.js';
import { elementaryStreams } from '../../daemon/packaging/transport-stream.js';
import { checkCaptionText } from '../helpers/fuzz/check-captions.js';
import { caseSeeds, createChoices } from '../helpers/fuzz/choices.js';
import { type MediaKind, makeMediaKinds } from '../helpers/fuzz/media-kinds.js';
import { mutateMedia } from '../helpers/fuzz/mutate-media.js';
import { createSuiteReport, type SuiteReport } from '../helpers/fuzz/suite-report.js';
import { suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * The readers of files that run in the daemon itself, with mutated files: a loop or an allocation there would stop all jobs.
 */

const test = suite<{ kinds: readonly MediaKind[] }>('readers of mutated files');
const { seed, isLong } = suiteOptions();
const count = isLong ? 200_000 : 2000;
/** A small file that takes longer is a loop that follows what the file claims. */
const maxReadMs = 2000;

test.before(async (context) => {
  context.kinds = await makeMediaKinds(tempFolder());
});

test('mutated caption files are read, or rejected with the line', ({ kinds }) => {
  const report = createSuiteReport('fuzz captions');
  const captions = kinds.filter(({ use }) => use === 'captions');
  runAll(report, captions, (bytes) => checkCaptionText(bytes.toString('utf8')));
  assert.is(report.findingCount(), 0, 'there are findings');
});

test('the boxes and packets of mutated files are read, or rejected', ({ kinds }) => {
  const report = createSuiteReport('fuzz packaging');
  const segmentable = kinds.filter(({ name }) => /\.(?:mp4|mov|ts)$/.test(name));
  runAll(report, segmentable, (bytes, name) => {
    if (name.endsWith('.ts')) {
      codecsOfTransportStream(bytes);
      return `${elementaryStreams(bytes).length} streams`;
    }
    const at = bytes.indexOf('moov');
    const size = at < 4 ? 0 : bytes.readUInt32BE(at - 4);
    let samples = 0;
    for (const track of tracksOf(bytes.subarray(at + 4, at - 4 + size)))
      for (const _ of track.samples()) samples += 1;
    return samples > 0 ? 'read' : 'no samples';
  });
  assert.is(report.findingCount(), 0, 'there are findings');
});

function runAll(
  report: SuiteReport,
  kinds: readonly MediaKind[],
  read: (bytes: Buffer, name: string) => string,
): void {
  for (const own of caseSeeds(seed, count)) {
    const choices = createChoices(own);
    const kind = choices.pick(kinds);
    const { bytes, changes } = mutateMedia(kind.bytes, choices, choices.pick(kinds).bytes);
    const about = `${kind.name}, seed ${own}, ${changes.join('+')}`;
    const began = performance.now();
    try {
      report.count(read(bytes, kind.name));
    } catch (error) {
      if (error instanceof RangeError) report.count('rejected');
      else report.find(error);
    }
    const ms = performance.now() - began;
    report.took(ms, about);
    if (ms > maxReadMs) report.find(new Error(`${Math.round(ms)} ms for ${about}`));
  }
  report.close({});
}

test.run();
