import { join } from 'node:path';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { beepNear, brightnessOf, samplesOf } from './listening.js';

/** When the clapper falls, in seconds, and how long it is seen and heard: for one frame. */
const claps = [0.4, 1.6] as const;
const clapSeconds = 0.04;
/** How far from the first picture a clap is looked for. */
const nearSeconds = 0.3;

// The frame's own time may be told a little early or late.
const seen = claps.map((clap) => `between(t,${clap - 0.01},${clap + 0.03})`).join('+');
const heard = claps.map((clap) => `gte(t,${clap})*lt(t,${clap + clapSeconds})`).join('+');

/** How a clapper's film is made to differ. */
interface ClapperOptions {
  /** Filters of the picture and of the sound. */
  readonly video?: string;
  readonly audio?: string;
  /** Encoder of the sound; as it is where absent. */
  readonly audioCodec?: 'aac' | 'pcm_s16le' | 'libmp3lame';
}

/**
 * Makes a film of a clapper and gives its path: black and silent but for a white frame and a high tone at two known moments;
 * 2 seconds at 25 frames a second, mono.
 */
export async function clapper(name: string, options: ClapperOptions = {}): Promise<string> {
  const { video = 'null', audio = 'anull', audioCodec = 'pcm_s16le' } = options;
  const path = join(tempFolder(), name);
  const black = `color=black:size=160x120:rate=25:duration=2,drawbox=color=white:t=fill:enable='${seen}'`;
  const tone = `aevalsrc='0.5*sin(2*PI*1000*t)*(${heard})':s=48000:d=2,asetnsamples=480`;
  await makeMedia(path, [
    ...['-f', 'lavfi', '-i', black, '-f', 'lavfi', '-i', tone],
    // Not at the sources: ffmpeg takes the beginning of each input for its zero.
    ...['-vf', video, '-af', audio],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-pix_fmt', 'yuv420p', '-c:a', audioCodec],
  ]);
  return path;
}

/** How many milliseconds the sound comes after the picture at each clap of a file; below 0 where it is heard first. */
export async function lagsOf(path: string): Promise<readonly number[]> {
  const [frames, samples] = await Promise.all([brightnessOf(path), samplesOf(path)]);
  const flashes = frames.filter(
    ({ luma }, at) => luma > 100 && luma >= (frames[at - 1]?.luma ?? 0) && luma > (frames[at + 1]?.luma ?? 0),
  );
  return flashes.map((flash) => {
    const { seconds, peak } = beepNear(flash.seconds, nearSeconds, samples);
    return peak < 0.1 ? Number.NaN : Math.round((seconds - flash.seconds - clapSeconds / 2) * 1000);
  });
}
