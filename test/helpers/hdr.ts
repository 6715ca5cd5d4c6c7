import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from './media.js';
import { addToSampleEntry, box } from './mp4-boxes.js';

/** The mastering display and the light levels of the samples, in the steps of HEVC, in the order of their boxes. */
export const mastering = {
  points: [
    [13_251, 34_499],
    [7501, 2999],
    [33_999, 16_001],
    [15_634, 16_451],
  ],
  luminance: { max: 10_000_000, min: 51 },
  light: [1001, 399],
} as const;

/** The same as parameters of x265. */
const masterDisplay = (({ points, luminance }) => {
  const [green, blue, red, white] = points.map((point) => `(${point.join()})`);
  return `G${green}B${blue}R${red}WP${white}L(${luminance.max},${luminance.min})`;
})(mastering);

const transfers = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const;

/** Makes an HDR video in HEVC, of a pattern or of the given input; with the metadata of HDR10 in its frames on request. */
export async function makeHdr(
  path: string,
  { range, hasData = false, input }: { range: 'pq' | 'hlg'; hasData?: boolean; input?: readonly string[] },
): Promise<void> {
  const data = hasData ? `:master-display=${masterDisplay}:max-cll=${mastering.light.join()}` : '';
  await ffmpegRaw(
    ...(input ?? ['-f', 'lavfi', '-i', 'testsrc2=size=128x128:rate=25:duration=0.4']),
    ...['-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '5', '-tag:v', 'hvc1'],
    ...['-x265-params', `log-level=error${data}`, '-color_range', 'tv'],
    ...['-color_primaries', 'bt2020', '-color_trc', transfers[range], '-colorspace', 'bt2020nc', path],
  );
}

/** Adds the metadata of HDR10 to the header of an HEVC MP4 file. */
export async function addHdrBoxes(path: string): Promise<void> {
  const { points, luminance, light } = mastering;
  const display = Buffer.alloc(24);
  for (const [at, value] of points.flat().entries()) display.writeUInt16BE(value, at * 2);
  display.writeUInt32BE(luminance.max, 16);
  display.writeUInt32BE(luminance.min, 20);
  const levels = Buffer.alloc(4);
  for (const [at, value] of light.entries()) levels.writeUInt16BE(value, at * 2);
  await addToSampleEntry(path, box('mdcv', display), box('clli', levels));
}

type SideData = Readonly<Record<string, string | number>>;

/** What ffprobe prints about HDR in the header of the first stream and in the first frame of a file. */
export async function hdrDataOf(path: string): Promise<readonly SideData[]> {
  const { ffprobe } = await testFfmpeg();
  const args = [
    '-v',
    'error',
    '-show_streams',
    '-show_frames',
    '-read_intervals',
    '%+#4',
    '-of',
    'json',
    path,
  ];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  const { streams, frames } = JSON.parse(stdout) as Record<string, { side_data_list?: SideData[] }[]>;
  return [...(frames ?? []).slice(0, 1), ...(streams ?? [])]
    .flatMap(({ side_data_list: list = [] }) => list)
    .filter(({ side_data_type: type }) => /^(?:Mastering|Content light|HDR|DOVI)/.test(String(type)))
    .toSorted((a, b) => String(a.side_data_type).localeCompare(String(b.side_data_type)));
}
