/*
 * Keeps words that have a standard term out of names, comments and messages. A word is found in any spelling: `openShelf`,
 * `shelf-place.ts` and "the shelf" all use "shelf". `allowed` lists the files in which a word has its everyday meaning.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSources } from './helpers/architecture/source-file.js';

interface BannedWord {
  /** Matches the word in lower-case text in which camelCase and kebab-case names are split into words. */
  readonly pattern: RegExp;
  /** The term to use. */
  readonly instead: string;
  readonly allowed?: readonly string[];
}

const bannedWords: readonly BannedWord[] = [
  { pattern: /\bworkshops?\b/, instead: 'AppContext' },
  { pattern: /\bworkbench(es)?\b/, instead: 'PipelineContext' },
  { pattern: /\b(shelf|shelves)\b/, instead: 'hosted file store' },
  { pattern: /\bcrews?\b/, instead: 'workers' },
  {
    pattern: /\bstretch(es|ed|ing)?\b/,
    instead: 'byte range',
    allowed: [
      // The aspect mode of the service.
      'src/shared/settings/video.ts',
      'src/api-types/api-types.ts',
      'daemon/actions/compared-frames.ts',
      'daemon/plan/decide/size.ts',
      'daemon/plan/write/shapes.ts',
      'test/plan/size.test.ts',
      'test/plan/timing.test.ts',
      'test/encodes/field-changing-shape.test.ts',
      'test/encodes/sizes.test.ts',
      'test/encodes/thumbnail-sets.test.ts',
      'test/encodes/video-harness.ts',
      // Lines of a manual page.
      'scripts/docs/man/roff.ts',
    ],
  },
  { pattern: /\blanes?\b/, instead: 'semaphore, worker' },
  { pattern: /\bdesks?\b/, instead: 'admin, dependencies' },
  { pattern: /\bpatien(ce|t|tly)\b/, instead: 'retry policy' },
  { pattern: /\btidings\b/, instead: 'job updates' },
  { pattern: /\bheed(s|ed|ing)?\b/, instead: 'apply, respect' },
  { pattern: /\bwhoever\b/, instead: 'the client, the caller' },
  { pattern: /\b(in haste|such as is|near miss(es)?|waiting line)\b/, instead: 'plain words' },
  { pattern: /\bunfit\b/, instead: 'invalid' },
  { pattern: /\btwins?\b/, instead: 'equivalent' },
  { pattern: /\bliars?\b/, instead: 'lying server' },
  { pattern: /\bguardians?\b/, instead: 'parent-death wrapper' },
  { pattern: /\bhono(u)?r(s|ed)?\b/, instead: 'supported' },
  { pattern: /\bmoot\b/, instead: 'no effect' },
  { pattern: /\bastray\b/, instead: 'misplaced' },
  { pattern: /\balongside\b/, instead: 'task group' },
  { pattern: /\b(tear|tears|tearing|tore|torn) up\b/, instead: 'delete the journal entry' },
  { pattern: /\bput right\b/, instead: 'repair' },
  { pattern: /\b(elder|younger)\b/, instead: 'previous, current generation' },
  { pattern: /\bvouch(es)?\b/, instead: 'signed by a trusted authority' },
  { pattern: /\bmend(s|ed|ing)?\b/, instead: 'fix, repair' },
  { pattern: /\bhired?\b/, instead: 'spawn' },
  { pattern: /\bprocess marks?\b/, instead: 'process fingerprint' },
  { pattern: /\b(refus(e|es|ing|als?))\b/, instead: 'reject, rejection' },
  { pattern: /\btold\b/, instead: 'reported, notified' },
  { pattern: /\btells?\b/, instead: 'reports, shows' },
  { pattern: /\b(beside|anew|whosever)\b/, instead: 'next to, again' },
  { pattern: /\bcomplain(s|ts?)?\b/, instead: 'validation error' },
  { pattern: /\btroubles?\b/, instead: 'error, TransferError' },
  { pattern: /\boutages?\b/, instead: 'network error' },
  { pattern: /\b(brings?|brought|bringing)\b/, instead: 'fetch, upload' },
  { pattern: /\bjudges?\b/, instead: 'verify, validate' },
  { pattern: /\bverdicts?\b/, instead: 'result' },
  { pattern: /\bobey(s|ed)?\b/, instead: 'apply a command' },
  { pattern: /\bupright\b/, instead: 'rotated for display' },
  { pattern: /\b(deeds|evil|scenes?)\b/, instead: 'operations, malicious, screen' },
  { pattern: /\b(swept|leftover)\b/, instead: 'orphan' },
  { pattern: /\b(doubtful|posters?)\b/, instead: 'conflicting, WebhookClient' },
  { pattern: /\bnotice (line|queue)s?\b/, instead: 'notification' },
  { pattern: /\bremarks?\b/, instead: 'warning' },
  {
    pattern: /\bpictures?\b/,
    instead: 'video, frame, image',
    allowed: [
      // Messages of ffmpeg.
      'daemon/ffmpeg/explain.ts',
      'daemon/ffmpeg/probe/probe-image.ts',
      'daemon/ffmpeg/probe/validate-probe.ts',
      'test/ffmpeg/explain.test.ts',
      'test/ffmpeg/validate-probe.test.ts',
    ],
  },
  { pattern: /\bsounds?\b/, instead: 'audio' },
  {
    pattern: /\bfaults?\b/,
    instead: 'failure',
    allowed: [
      // Field names of former versions.
      'daemon/store/jobs/job-document.ts',
      'test/store/jobs/damaged-jobs.test.ts',
    ],
  },
  {
    pattern: /\bnotices?\b/,
    instead: 'notification',
    allowed: [
      // Names that clients and stored files use.
      'daemon/store/jobs/job-document.ts',
      'test/store/jobs/damaged-jobs.test.ts',
    ],
  },
  { pattern: /\bgates?\b/, instead: 'semaphore, barrier' },
];

const files = readSources(process.cwd(), ['bin', 'src', 'daemon', 'scripts', 'bench', 'test']).filter(
  ({ path }) => path !== 'test/vocabulary.test.ts',
);

/** A text in lower case, with camelCase and kebab-case names split into words. */
function wordsOf(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
}

const words = new Map(files.map(({ path, text }) => [path, wordsOf(text)]));

function usesOf({ pattern, allowed = [] }: BannedWord): readonly string[] {
  return files
    .filter(({ path }) => !allowed.includes(path) && pattern.test(words.get(path) ?? ''))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          pattern.test(wordsOf(line)) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
}

for (const word of bannedWords) {
  test(`no name, comment or message uses ${word.pattern.source}; the term is: ${word.instead}`, () => {
    assert.equal(usesOf(word), []);
    const named = files.filter(({ path }) => word.pattern.test(wordsOf(path)));
    assert.equal(
      named.map(({ path }) => path),
      [],
    );
  });
}

test('every allowance names a file that uses its word', () => {
  for (const { pattern, allowed = [] } of bannedWords) {
    for (const path of allowed) assert.match(words.get(path) ?? '', pattern, path);
  }
});

test.run();
