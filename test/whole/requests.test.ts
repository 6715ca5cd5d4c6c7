import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord, ThumbnailRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Requests in the shape that applications send: test/requests/README.md.
 */

type Fields = Readonly<Record<string, unknown>>;

/** What must come of an output. */
interface ExpectedOutput {
  /** `finished` by default. */
  readonly state?: string;
  readonly container?: string;
  readonly codecs?: readonly string[];
  readonly video?: Fields;
  readonly audio?: Fields;
  /** Whether the file has the bytes of the input. */
  readonly isInput?: boolean;
  /** The label, the name and the size of each thumbnail of the job, in order. */
  readonly thumbnails?: readonly (readonly [label: string | null, name: string, size: string])[];
}

interface ApplicationRequest {
  readonly about: string;
  readonly request: Fields;
  readonly warnings?: readonly string[];
  readonly errors?: readonly string[];
  readonly outputs?: readonly ExpectedOutput[];
}

const launch = promisify(execFile);
const folder = join(process.cwd(), 'test', 'requests');

const test = daemonSuite<{ daemon: TestDaemon; input: string; inputPath: string }>(
  'requests of applications',
  async (context) => {
    const inputFolder = tempFolder();
    context.inputPath = join(inputFolder, 'film.mp4');
    await makeMedia(context.inputPath, film('320x180', 3));
    context.input = pathToFileURL(context.inputPath).href;
    return { filesRoots: [inputFolder] };
  },
);

async function post(daemon: TestDaemon, body: string): Promise<CreatedRecord & Partial<ErrorsRecord>> {
  const response = await daemon.request('/v2/jobs', { method: 'POST', body });
  return (await response.json()) as CreatedRecord & Partial<ErrorsRecord>;
}

/** What ffprobe reports about a file: its container, and its streams. */
async function contentsOf(path: string): Promise<{ container: string; streams: readonly Fields[] }> {
  const { ffprobe } = await testFfmpeg();
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', path];
  const { stdout } = await launch(ffprobe.path, args);
  const { format, streams } = JSON.parse(stdout) as { format: Fields; streams: readonly Fields[] };
  return { container: String(format.format_name), streams };
}

/** The label, the name and the size of a thumbnail. Its format must be that of its extension. */
async function readThumbnail({ url, group_label: label }: ThumbnailRecord) {
  const bytes = url.startsWith('file:')
    ? readFileSync(new URL(url))
    : Buffer.from(await (await fetch(url)).arrayBuffer());
  const path = join(tempFolder(), 'thumbnail');
  writeFileSync(path, bytes);
  const [image] = (await contentsOf(path)).streams;
  const name = basename(new URL(url).pathname);
  assert.is(image?.codec_name, name.endsWith('.png') ? 'png' : 'mjpeg');
  return [label ?? null, name, `${image?.width}x${image?.height}`];
}

async function measure(
  { container, codecs, video = {}, audio = {}, isInput }: ExpectedOutput,
  bytes: Buffer,
  inputPath: string,
): Promise<void> {
  const path = join(tempFolder(), 'delivered');
  writeFileSync(path, bytes);
  const found = await contentsOf(path);
  assert.is(found.container, container);
  assert.equal(
    found.streams.map(({ codec_name }) => codec_name),
    codecs,
  );
  for (const [type, fields] of [
    ['video', video],
    ['audio', audio],
  ] as const) {
    const stream = found.streams.find(({ codec_type }) => codec_type === type) ?? {};
    for (const [name, value] of Object.entries(fields)) assert.is(stream[name], value, `${type} ${name}`);
  }
  if (isInput === true) assert.is(md5Of(bytes), md5Of(readFileSync(inputPath)));
}

function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  const expected = JSON.parse(readFileSync(join(folder, name), 'utf8')) as ApplicationRequest;
  test(`${name}: ${expected.about}`, async ({ daemon, input, inputPath }) => {
    const folderUrl = pathToFileURL(dirname(inputPath)).href;
    const created = await post(
      daemon,
      JSON.stringify(expected.request).replace('INPUT', input).replaceAll('FOLDER', folderUrl),
    );
    const errors = created.errors ?? [];
    assert.is(errors.length, expected.errors?.length ?? 0, errors.join('\n'));
    for (const [index, start] of (expected.errors ?? []).entries())
      assert.ok(errors[index]?.startsWith(start), errors.join('\n'));
    if (expected.outputs === undefined) return;
    assert.equal(
      (created.warnings ?? []).map(({ field }) => field),
      expected.warnings ?? [],
    );
    const job = await daemon.waitForJob(Number(created.id));
    assert.is(job.state, 'finished', JSON.stringify(job));
    const thumbnails = expected.outputs.flatMap((output) => output.thumbnails ?? []);
    assert.equal(await Promise.all(job.thumbnails.map(readThumbnail)), thumbnails);
    for (const [index, output] of expected.outputs.entries()) {
      const record = job.output_media_files[index];
      assert.is(record?.state, output.state ?? 'finished');
      if (output.container === undefined || record?.url == null) continue;
      const file = await fetch(record.url);
      const bytes = Buffer.from(await file.arrayBuffer());
      assert.is(bytes.byteLength, record.file_size_bytes);
      assert.is(md5Of(bytes), record.md5_checksum);
      await measure(output, bytes, inputPath);
    }
  });
}

test.run();
