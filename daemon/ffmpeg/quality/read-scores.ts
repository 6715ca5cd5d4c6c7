import { createReadStream } from 'node:fs';
import { LineReader } from '../../../src/shared/util/line-reader.js';
import type { FrameScore, SideStatistics } from '../../plan/quality/pool-scores.js';

/** The scores of the measured frames, and the version of libvmaf. */
interface ReadScores {
  readonly version: string;
  readonly scores: readonly FrameScore[];
}

/** Reads the XML file of libvmaf, which has a line for each measured frame. */
export async function readScores(path: string): Promise<ReadScores> {
  const scores: FrameScore[] = [];
  let version = 'unknown';
  await eachLine(path, (line) => {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(line)?.[1];
    if (/^\s*<VMAF /.test(line)) version = attribute('version') ?? version;
    if (!/^\s*<frame /.test(line)) return;
    const number = (name: string) => Number.parseFloat(attribute(name) ?? '');
    const score = { frame: number('frameNum'), vmaf: number('vmaf'), psnrY: number('psnr_y') };
    if (Number.isFinite(score.frame + score.vmaf + score.psnrY)) scores.push(score);
  });
  return { version, scores };
}

/** Reads what the filter `metadata` printed about the frames of one side. */
export async function readStatistics(lumaPath: string, spreadPath: string): Promise<SideStatistics> {
  const times: number[] = [];
  let sum = 0;
  let first: number | null = null;
  await eachLine(lumaPath, (line) => {
    const time = /\bpts_time:(-?[\d.]+)/.exec(line)?.[1];
    if (time !== undefined) {
      first ??= Number(time);
      times.push(Number(time) - first);
    } else sum += statistic(line, 'YAVG') ?? 0;
  });
  let [spread, count] = [0, 0];
  await eachLine(spreadPath, (line) => {
    const [low, high] = [statistic(line, 'YLOW'), statistic(line, 'YHIGH')];
    if (low !== null) spread -= low;
    if (high === null) return;
    spread += high;
    count += 1;
  });
  return { times, meanLuma: sum / Math.max(1, times.length), spread: spread / Math.max(1, count) };
}

function statistic(line: string, key: string): number | null {
  const prefix = `lavfi.signalstats.${key}=`;
  return line.startsWith(prefix) ? Number(line.slice(prefix.length)) : null;
}

async function eachLine(path: string, onLine: (line: string) => void): Promise<void> {
  const reader = new LineReader(onLine);
  for await (const chunk of createReadStream(path, 'utf8')) reader.add(chunk);
  reader.add('\n');
}
