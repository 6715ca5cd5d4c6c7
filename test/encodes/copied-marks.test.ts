import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { brightnessOf, probed } from './decoded-media.js';
import { shippedBuilds } from './shipped.js';

/* Chapters and timecodes of copied clips. Each frame of the film has another brightness, by which it is known. */

const chapterTimes = [0, 3000, 5200, 10_000] as const;

/** A film of 10 s whose keyframes are 2 s apart, as MP4 and Matroska. In the latter, the video begins after 21 ms. */
async function films(): Promise<readonly string[]> {
  const [mp4, mkv, text] = ['in.mp4', 'in.mkv', 'marks.txt'].map((name) => join(tempFolder(), name)) as [
    ...[string, string, string],
  ];
  const chapters = chapterTimes
    .slice(1)
    .map((end, at) => `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${chapterTimes[at]}\nEND=${end}\ntitle=${at}\n`);
  await writeFile(text, `;FFMETADATA1\ntimecode=01:00:00:00\n${chapters.join('')}`);
  const frames = "color=gray:s=64x48:r=25:d=10,format=gray,geq=lum='20+mod(N\\,200)'";
  const inputs = [
    '-f',
    'lavfi',
    '-i',
    frames,
    '-f',
    'lavfi',
    '-i',
    'sine=440:d=10:r=48000',
    '-f',
    'ffmetadata',
    '-i',
    text,
  ];
  const maps = ['-map', '0', '-map', '1', '-map_metadata', '2', '-map_chapters', '2'];
  const video = ['-c:v', 'libx264', '-qp', '1', '-g', '50', '-sc_threshold', '0', '-bf', '2'];
  await makeMedia(mp4, [...inputs, ...maps, ...video, '-pix_fmt', 'yuv420p', '-c:a', 'aac']);
  await makeMedia(mkv, ['-i', mp4, '-map', '0:v', '-map', '0:a', '-c', 'copy']);
  return [mp4, mkv];
}

/** The titles of the chapters of a file, each with the brightness of the frame that it begins with. */
async function chapterFrames(path: string): Promise<readonly (readonly [title: string, luma: number])[]> {
  const frames = await brightnessOf(path);
  const rows = await probed(path, ['-show_entries', 'chapter=start_time:chapter_tags=title']);
  return rows.map(([start, title = '']) => {
    const shown = frames.filter(({ seconds }) => seconds <= Number(start)).at(-1) ?? frames[0];
    return [title, shown?.luma ?? Number.NaN];
  });
}

/** The timecode of a file. */
async function timecodeOf(path: string): Promise<string | undefined> {
  const rows = await probed(path, ['-show_entries', 'format_tags=timecode:stream_tags=timecode']);
  return rows.flat().find((value) => /^\d\d:\d\d:\d\d[:;]\d\d$/.test(value));
}

for (const build of await shippedBuilds()) {
  const test = suite<{ inputs: readonly string[] }>(`marks of copied clips, ${build.name}`);
  test.before(async (context) => {
    context.inputs = await films();
  });

  test('a chapter begins with the same frame as in the input', async ({ inputs }) => {
    const encoded = ['--copy-video', '--audio-codec', 'aac'];
    for (const [from, start, name, words] of [
      [0, '3.1', 'out.mkv', ['--copy']],
      [0, '4', 'out.mp4', encoded],
      [1, '3.1', 'out.mp4', ['--copy']],
      [1, '4', 'out.mkv', encoded],
    ] as const) {
      const [input, output] = [inputs[from] ?? '', join(tempFolder(), name)];
      const lumas = new Map(await chapterFrames(input));
      const source = await brightnessOf(input);
      const args = ['run', input, '-o', output, '--start-clip', start, '--progress', 'none', ...words];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      const [first] = await brightnessOf(output);
      const at = source.findIndex(({ luma }) => luma === first?.luma);
      const [opening, ...later] = await chapterFrames(output);
      const label = `${input} ${start} ${name} ${words}`;
      assert.is(opening?.[1], first?.luma, label);
      assert.equal(
        later,
        later.map(([title]) => [title, lumas.get(title)]),
        label,
      );
      assert.is(later.at(-1)?.[0], '2', label);
      assert.is(await timecodeOf(output), `01:00:0${Math.floor(at / 25)}:00`, label);
      const seconds = Number(source[at]?.seconds.toFixed(3));
      assert.match(stderr, `so the clip starts at ${seconds} seconds, at a keyframe`);
    }
  });

  test('captions cover the film from that keyframe, as tracks and as files, with the frames of the input', async ({
    inputs: [film = ''],
  }) => {
    const srt = join(tempFolder(), 'in.srt');
    const cue = (at: number, text: string) => `1\n00:00:0${at},520 --> 00:00:0${at},900\n${text}\n\n`;
    await writeFile(srt, [cue(1, 'before'), cue(2, 'two'), cue(4, 'four'), cue(7, 'after')].join(''));
    const source = await brightnessOf(film);
    const lumaAt = (frames: typeof source, at: number) =>
      frames.filter(({ seconds }) => seconds <= at + 0.002).at(-1)?.luma;
    for (const [name, words] of [
      ['out.mp4', ['--copy']],
      ['out.mkv', ['--copy']],
      ['encoded.mkv', ['--copy-video', '--audio-codec', 'aac']],
      ['files.mp4', ['--copy', '--subtitles', 'sidecar']],
    ] as const) {
      const output = join(tempFolder(), name);
      const clip = ['--start-clip', '3.1', '--clip-length', '3', '--caption-url', `file://${srt}`];
      const args = ['run', film, '-o', output, ...clip, '--progress', 'none', ...words];
      const { code, stderr } = await runCli(args, { env: build.env });
      assert.is(code, 0, stderr);
      const frames = await brightnessOf(output);
      const file = name === 'files.mp4' ? output.replace('.mp4', '.und.vtt') : output;
      const rows = await probed(file, ['-select_streams', 's', '-show_entries', 'packet=pts_time,size']);
      const starts = rows.filter(([, size]) => Number(size) > 2).map(([start]) => Number(start));
      assert.is(starts.length, 2, `${name} ${rows}`);
      assert.equal(
        starts.map((at) => lumaAt(frames, at)),
        [lumaAt(source, 2.52), lumaAt(source, 4.52)],
        `${name} ${starts}`,
      );
    }
  });

  test('a copy from a transport stream says where it starts, which may be late', async ({
    inputs: [film = ''],
  }) => {
    const [input, output] = [join(tempFolder(), 'in.ts'), join(tempFolder(), 'late.mkv')];
    await makeMedia(input, ['-i', film, '-map', '0:v', '-map', '0:a', '-c', 'copy']);
    const args = ['run', input, '-o', output, '--start-clip', '3.1', '--progress', 'none', '--copy'];
    const { stderr } = await runCli(args, { env: build.env });
    const [source, [first]] = [await brightnessOf(input), await brightnessOf(output)];
    const at = source.find(({ luma }) => luma === first?.luma)?.seconds ?? Number.NaN;
    const [, found] = /the clip starts at ([\d.]+) seconds/.exec(stderr) ?? [];
    const begin = Math.min(
      ...(await probed(input, ['-show_entries', 'format=start_time'])).flat().map(Number),
    );
    assert.ok(Math.abs(Number(found) - (at - begin)) < 0.002, `${stderr} ${at} ${begin}`);
  });
  test.run();
}
