import { jobTable, outputTable } from '../../../src/shared/settings/index.js';
import { canonicalName } from '../../../src/shared/settings/spellings.js';
import type { Fields } from './generate-request.js';

/** The files of a request that is encoded: addresses of files on this machine. */
export interface LocalFiles {
  readonly input: string;
  readonly watermark: string;
  readonly captions: string;
}

/** Settings that name other machines, or accounts there. */
const remote: ReadonlySet<string> = new Set([
  ...[
    'url',
    'base_url',
    'secondary_url',
    'credentials',
    'notifications',
    'encryption_key_url',
    'smil_base_url',
  ],
  ...['expected_md5_checksum', 'transfer_minimum_rate', 'transfer_maximum_rate', 'path', 'requires'],
]);

/** The highest values at which an encode of a second takes a second. */
const limits: Readonly<Record<string, number>> = {
  ...{ width: 320, height: 320, frame_rate: 30, min_frame_rate: 30, number: 3, max_video_bitrate: 1000 },
  ...{ interval_in_frames: 10, video_reference_frames: 4, video_bframes: 4 },
};

/** An accepted request with local files, small sizes and the fastest encoders, so that it can be encoded. */
export function smallRequest(body: Fields, files: LocalFiles): Fields {
  const given: unknown = body.outputs ?? body.output ?? [];
  const outputs = (Array.isArray(given) ? given : [given]) as readonly Fields[];
  const job = reduced(Object.fromEntries(Object.entries(body).filter(([name]) => !/^outputs?$/.test(name))));
  const small = outputs.map((output) => ({ ...withFiles(reduced(output) as Fields, files), speed: 5 }));
  return { ...(job as Fields), input: files.input, outputs: small };
}

function withFiles(output: Fields, files: LocalFiles): Fields {
  const replaced = Object.entries(output).map(([name, value]) => {
    const setting = canonicalName(outputTable, name.replaceAll('-', '_'));
    const url = setting === 'watermark' ? files.watermark : setting === 'caption_url' ? files.captions : null;
    if (url === null) return [name, value];
    const entries = Array.isArray(value) ? value.slice(0, 3) : [value];
    return [name, entries.map((entry: unknown) => ({ ...(typeof entry === 'object' ? entry : {}), url }))];
  });
  return Object.fromEntries(replaced);
}

function reduced(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 5).map(reduced);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const name = canonicalName(outputTable, canonicalName(jobTable, key.replaceAll('-', '_')));
      if (remote.has(name)) return [];
      const max = limits[name];
      if (name === 'size') return [[key, '64x48']];
      if (max !== undefined && Number(inner) > max) return [[key, max]];
      return [[key, reduced(inner)]];
    }),
  );
}
