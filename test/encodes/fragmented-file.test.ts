import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { packets } from './packets.js';

interface Box {
  readonly type: string;
  readonly offset: number;
  readonly size: number;
}

/** The boxes at the top of a file. */
function boxesOf(file: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let offset = 0; offset < file.length; offset += boxes.at(-1)?.size ?? file.length)
    boxes.push({
      type: file.toString('latin1', offset + 4, offset + 8),
      offset,
      size: file.readUInt32BE(offset),
    });
  return boxes;
}

/** The sizes and durations (in seconds) of the parts that the index of a file lists. */
function indexOf(
  file: Buffer,
  { offset }: Box,
): readonly { readonly size: number; readonly seconds: number }[] {
  const timescale = file.readUInt32BE(offset + 16);
  return Array.from({ length: file.readUInt16BE(offset + 30) }, (_, index) => {
    const at = offset + 32 + index * 12;
    return { size: file.readUInt32BE(at), seconds: file.readUInt32BE(at + 4) / timescale };
  });
}

async function hashOf(path: string, stream: 'v' | 'a'): Promise<string> {
  const { ffmpeg } = await testFfmpeg();
  const args = ['-v', 'error', '-xerror', '-i', path, '-map', `0:${stream}`, '-vsync', '0', '-f', 'md5', '-'];
  return (await promisify(execFile)(ffmpeg.path, args)).stdout;
}

test('format m4f is one fragmented MP4 with an index in front, and the frames of an ordinary one', async () => {
  const folder = tempFolder();
  const film = [...testVideo('160x120', 25, 9), ...testTone(9), '-c:v', 'libx264', '-c:a', 'aac'];
  await makeMedia(join(folder, 'in.mp4'), [...film, '-pix_fmt', 'yuv420p']);
  writeFileSync(join(folder, 'en.srt'), '1\n00:00:01,000 --> 00:00:02,000\nHello\n');
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const to = (name: string) => ({ url: `file://${folder}/${name}`, keyframe_interval: 25, width: 80 });
  const id = await daemon.create({
    input: `file://${folder}/in.mp4`,
    outputs: [
      { ...to('film.m4f'), label: 'film', caption_url: { url: `file://${folder}/en.srt`, language: 'en' } },
      { ...to('ordinary.mp4') },
      { url: `file://${folder}/audio.mp4`, format: 'm4f', skip_video: true },
      { url: `file://${folder}/copy.m4f`, source: 'film', copy_video: true, copy_audio: true },
    ],
  });
  const job = await daemon.waitForJob(id);
  await daemon.stop();
  assert.is(job.state, 'finished', JSON.stringify(job));
  const [record] = job.output_media_files;
  const file = readFileSync(join(folder, 'film.m4f'));
  assert.equal(
    [record?.format, record?.segments, record?.width, record?.file_size_bytes],
    ['mpeg4', undefined, 80, file.length],
  );
  assert.ok(existsSync(join(folder, 'film.en.vtt')));

  const boxes = boxesOf(file);
  assert.equal(
    boxes.slice(0, 5).map(({ type }) => type),
    ['ftyp', 'moov', 'sidx', 'moof', 'mdat'],
  );
  const [, , sidx] = boxes;
  assert.ok(sidx !== undefined);
  const index = indexOf(file, sidx);
  assert.equal(
    index.map(({ seconds }) => seconds),
    [2, 2, 2, 2, 1],
  );
  const indexed = index.reduce((sum, { size }) => sum + size, 0);
  assert.is(sidx.offset + sidx.size + indexed, file.length);
  // A fragment for each of nine keyframes, and one of audio for each of the five entries of the index.
  assert.is(boxes.filter(({ type }) => type === 'moof').length, 9 + 5);
  const video = await packets(join(folder, 'film.m4f'));
  assert.equal([video.length, video.filter(({ isKey }) => isKey).length], [225, 9]);
  const ordinary = await hashOf(join(folder, 'ordinary.mp4'), 'v');
  assert.is(await hashOf(join(folder, 'film.m4f'), 'v'), ordinary);
  assert.is(await hashOf(join(folder, 'copy.m4f'), 'v'), ordinary);
  assert.is(await hashOf(join(folder, 'copy.m4f'), 'a'), await hashOf(join(folder, 'film.m4f'), 'a'));

  const audio = readFileSync(join(folder, 'audio.mp4'));
  const [, , audioIndex] = boxesOf(audio);
  assert.is(audioIndex?.type, 'sidx');
  assert.is(audioIndex === undefined ? 0 : indexOf(audio, audioIndex).length, 5);
});

test.run();
