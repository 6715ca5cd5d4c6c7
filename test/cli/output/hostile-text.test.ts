import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inputText, jobText, outputText } from '../../../src/cli/output/job-text.js';
import { jobsTable } from '../../../src/cli/output/jobs-table.js';
import { createTextColours } from '../../../src/cli/output/paint.js';
import { reportCsv } from '../../../src/cli/output/report-text.js';
import { normaliseInput, normaliseJob, normaliseOutput } from '../../../src/shared/client/normalise.js';

/** Text that a service must not write to a terminal: colours, cleared screens, reversed text, extra lines. */
const malicious = '\u001b[31m\u001b[2J\u009b31m\u202e\u200f\nvenc: fake\r\u0007\u2028';
const paint = createTextColours(false);
const now = new Date('2026-03-01T12:00:00Z');

const names = [
  'url state label format created_at updated_at submitted_at finished_at grouping pass_through video_codec audio_codec',
  'channels md5_checksum error_class error_message',
].flatMap((line) => line.split(' '));
const fields = Object.fromEntries(names.map((name) => [name, `${name} ${malicious}`]));
const file = { ...fields, error_message: `no http://user:hunter2@host/film ${malicious}` };
const job = normaliseJob({
  id: 1,
  ...fields,
  input_media_file: file,
  output_media_files: [file],
  thumbnails: [fields],
  notification_attempts: [
    {
      ...fields,
      attempted_at: malicious,
      event: malicious,
      destination: `http://user:hunter2@host/${malicious}`,
    },
  ],
});

const texts = {
  'the text of a job': jobText(job, paint, { now, progress: null }),
  'the text of an input': inputText(normaliseInput(file), paint),
  'the text of an output': outputText(normaliseOutput(file), paint),
  'the table of jobs': jobsTable([job], { width: 200, hasColour: false, now, percents: new Map() }),
  'a report as CSV': reportCsv(
    [{ kind: 'vod', day: malicious, grouping: malicious, amounts: {} }],
    ['a'],
    true,
  ),
};

for (const [what, text] of Object.entries(texts)) {
  test(`${what} contains no control characters and no password`, () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
    assert.not.match(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200f\u2028\u202e]/);
    assert.not.match(text, /^venc: fake/m);
    assert.not(text.includes('hunter2'));
    assert.match(text, /\\x1b\[31m/);
  });
}

test.run();
