import { join } from 'node:path';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { beepNear, brightnessOf, samplesOf } from './decoded-media.js';

/** Moments of the flashes and beeps, in seconds, and their duration: one frame. */
const flashTimes = [0.4, 1.6] as const;
const flashSeconds = 0.04;
/** How far from a flash a beep is searched for. */
const nearSeconds = 0.3;

// The timestamp of the frame may be slightly early or late.
const visible = flashTimes.map((time) => `between(t,${time - 0.01},${time + 0.03})`).join('+');
const audible = flashTimes.map((time) => `gte(t,${time})*lt(t,${time + flashSeconds})`).join('+');

/** How a sync test video differs from the default. */
interface SyncVideoOptions {
  /** Filters of the video and of the audio. */
  readonly video?: string;
  readonly audio?: string;
  /** Encoder of the audio; PCM by default. */
  readonly audioCodec?: 'aac' | 'pcm_s16le' | 'libmp3lame';
}

/**
 * Makes a sync test video and returns its path: black and silent, except for a white frame and a high tone at two known moments;
 * 2 seconds at 25 frames per second, mono.
 */
export async function makeSyncVideo(name: string, options: SyncVideoOptions = {}): Promise<string> {
  const { video = 'null', audio = 'anull', audioCodec = 'pcm_s16le' } = options;
  const path = join(tempFolder(), name);
  const black = `color=black:size=160x120:rate=25:duration=2,drawbox=color=white:t=fill:enable='${visible}'`;
  const tone = `aevalsrc='0.5*sin(2*PI*1000*t)*(${audible})':s=48000:d=2,asetnsamples=480`;
  await makeMedia(path, [
    ...['-f', 'lavfi', '-i', black, '-f', 'lavfi', '-i', tone],
    // Applied to the outputs, because ffmpeg shifts the start of each input to zero.
    ...['-vf', video, '-af', audio],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-pix_fmt', 'yuv420p', '-c:a', audioCodec],
  ]);
  return path;
}

/** The delay of the audio after the video at each flash of a file, in milliseconds; negative if the audio is early. */
export async function lagsOf(path: string): Promise<readonly number[]> {
  const [frames, samples] = await Promise.all([brightnessOf(path), samplesOf(path)]);
  const flashes = frames.filter(
    ({ luma }, at) => luma > 100 && luma >= (frames[at - 1]?.luma ?? 0) && luma > (frames[at + 1]?.luma ?? 0),
  );
  return flashes.map((flash) => {
    const { seconds, peak } = beepNear(flash.seconds, nearSeconds, samples);
    return peak < 0.1 ? Number.NaN : Math.round((seconds - flash.seconds - flashSeconds / 2) * 1000);
  });
}
