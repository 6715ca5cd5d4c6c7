import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { OutputMediaFile } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { cuesOf, subtitleStreams } from './captions-harness.js';

interface Context {
  folder: string;
  daemon: TestDaemon;
}

const styled = `WEBVTT

STYLE
::cue(b) {color: red}

REGION
id:low

00:01.000 --> 00:02.000
Hello
`;
const late = '1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n01:00:00,000 --> 01:00:01,000\nlate\n';

const test = daemonSuite<Context>('warnings about captions that are changed or left out', async (context) => {
  const folder = tempFolder();
  context.folder = folder;
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 3));
  await makeMedia(join(folder, 'audio.m4a'), ['-f', 'lavfi', '-i', 'sine=d=3', '-c:a', 'aac']);
  writeFileSync(join(folder, 'styled.vtt'), styled);
  writeFileSync(join(folder, 'late.srt'), late);
  return { filesRoots: [folder] };
});

/** Runs one output, which must finish. Its file is `o/NAME`. */
async function outputOf(
  { folder, daemon }: Context,
  {
    name,
    input = 'in.mp4',
    ...settings
  }: { readonly name: string; readonly input?: string; readonly [setting: string]: unknown },
): Promise<OutputMediaFile> {
  const output = { ...settings, url: `file://${folder}/o/${name}` };
  const id = await daemon.create({ input: `file://${folder}/${input}`, outputs: [output] });
  const [made] = (await daemon.waitForJob(id)).output_media_files;
  assert.is(made?.state, 'finished', made?.error_message ?? '');
  if (made === undefined) throw new TypeError('the job has no output');
  return made;
}

const pathOf = ({ folder }: Context, name: string) => join(folder, 'o', name);
const fileOf = ({ folder }: Context, name: string) => ({ url: `file://${folder}/${name}`, language: 'de' });

test('captions with styles keep their cues as tracks and in the frames, and the styles are a warning', async (context) => {
  const caption_url = fileOf(context, 'styled.vtt');
  const { warnings } = await outputOf(context, { name: 'a.webm', caption_url, speed: 5 });
  assert.match(warnings?.join() ?? '', 'The styles and regions of the captions (WebVTT) were left out');
  assert.equal(await cuesOf(pathOf(context, 'a.webm'), 0), [[1000, 2000, 'Hello']]);
  const burned = await outputOf(context, { name: 'b.mp4', caption_url, subtitles: 'burn' });
  assert.match(burned.warnings?.join() ?? '', 'styles and regions');
  // A caption file keeps them.
  await outputOf(context, { name: 'c.vtt', type: 'captions', caption_url });
  assert.match(readFileSync(pathOf(context, 'c.vtt'), 'utf8'), /STYLE\n::cue\(b\) \{color: red\}/);
});

test('an output of captions says what was cut, and that nothing is left', async (context) => {
  const captions = { type: 'captions', caption_url: fileOf(context, 'late.srt') };
  const cut = await outputOf(context, { name: 'd.vtt', ...captions });
  assert.equal(cut.warnings, ['Captions after the end of the video were cut.']);
  const empty = await outputOf(context, { name: 'e.vtt', ...captions, start_clip: 2.5 });
  assert.match(empty.warnings?.join() ?? '', 'There are no captions in this part of the input.');
});

test('caption files of an output without video, because the input has none, are a warning', async (context) => {
  const caption_url = fileOf(context, 'late.srt');
  const { warnings } = await outputOf(context, {
    name: 'f.m3u8',
    input: 'audio.m4a',
    type: 'segmented',
    caption_url,
  });
  assert.equal(warnings, ['There are no captions, because the input has no video.']);
});

test('a file of SCC is copied and cut, and captions of another format are not written as SCC', async (context) => {
  const line = '9420 9420 94ae 94ae 9470 9470 c845 4c4c 4f80 942f 942f';
  const scc = `Scenarist_SCC V1.0\n\n00:00:00:10\t${line}\n\n00:00:02:00\t942c 942c\n`;
  writeFileSync(join(context.folder, 'a.scc'), scc);
  const captions = { type: 'captions', caption_url: `file://${context.folder}/a.scc` };
  await outputOf(context, { name: 'whole.scc', ...captions });
  assert.is(readFileSync(pathOf(context, 'whole.scc'), 'latin1').trim(), scc.trim());
  await outputOf(context, { name: 'clip.scc', ...captions, start_clip: 1.5 });
  assert.match(
    readFileSync(pathOf(context, 'clip.scc'), 'latin1'),
    /^Scenarist_SCC V1\.0\n\n00:00:00:00\t9420.*\n\n00:00:00:15\t942c 942c\n$/,
  );
  const empty = await outputOf(context, { name: 'empty.scc', ...captions, start_clip: 2.5 });
  assert.match(empty.warnings?.join() ?? '', 'There are no captions in this part of the input.');
  const id = await context.daemon.create({
    input: `file://${context.folder}/in.mp4`,
    outputs: [
      {
        ...{ type: 'captions', url: `file://${context.folder}/o/no.scc` },
        caption_url: `file://${context.folder}/late.srt`,
      },
      { type: 'captions', url: `file://${context.folder}/o/none.scc` },
    ],
  });
  const { output_media_files: outputs } = await context.daemon.waitForJob(id);
  assert.equal(
    outputs.map(({ error_class, error_message }) => [error_class, error_message]),
    [
      [
        'CaptionError',
        'The output cannot be scc: there is no encoder for CEA-608, and the caption file is not scc.',
      ],
      ['CaptionError', 'The input has no closed captions.'],
    ],
  );
});

test('a copied video keeps its captions as tracks where they cannot be drawn', async (context) => {
  const caption_url = fileOf(context, 'late.srt');
  await outputOf(context, { name: 'g.mov', caption_url, subtitles: 'burn', copy_video: true });
  const streams = await subtitleStreams(pathOf(context, 'g.mov'));
  // QuickTime files have the codes of libraries.
  assert.equal(
    streams.map(({ codec, language }) => [codec, language]),
    [['mov_text', 'ger']],
  );
});

test('captions of one language have different names in a playlist', async (context) => {
  const caption_url = [fileOf(context, 'late.srt'), fileOf(context, 'styled.vtt')];
  await outputOf(context, { name: 'h/h.m3u8', type: 'segmented', packaging: 'cmaf', caption_url });
  const { media } = parsePlaylist(readFileSync(pathOf(context, 'h/h.m3u8'), 'utf8'));
  assert.equal(
    media.filter(({ TYPE }) => TYPE === 'SUBTITLES').map(({ NAME }) => NAME),
    ['German', 'German 2'],
  );
});

test.run();
