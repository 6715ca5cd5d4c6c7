import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { cpuSecondsOf, outputOf, runProgram, vencPath } from './programs.js';

const programAt = (name: string) => fileURLToPath(new URL(`${name}.js`, import.meta.url));

/** Measures segmented outputs: cutting, compared with cp; a ladder, compared with MP4 files; uploads, compared with the SDK. */
export async function measureStreams(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = (await requireFfmpeg()).ffmpeg.path;
  return [
    ...(await measurePackaging(ffmpeg, join(folder, 'packaging'), rounds)),
    ...(await measureMemory(ffmpeg, join(folder, 'memory'))),
    ...(await measureLadder(ffmpeg, join(folder, 'ladder'), rounds)),
    ...(await measureUploads(join(folder, 'uploads'), rounds)),
  ];
}

interface Packaged {
  readonly ms: number;
  readonly peakMegabytes: number;
  readonly segments: number;
}

async function packageOnce(...words: readonly string[]): Promise<Packaged> {
  return JSON.parse(await outputOf(['--no-warnings', programAt('package-once'), ...words], process.env));
}

async function measurePackaging(ffmpeg: string, folder: string, rounds: number): Promise<readonly Figure[]> {
  await mkdir(folder, { recursive: true });
  const clip = await makeClip(ffmpeg, folder, { size: '1280x720', seconds: 4, megabits: 20 });
  const out = join(folder, 'out');
  const figures: Figure[] = [];
  for (const [container, extension] of [
    ['ts', 'ts'],
    ['fmp4', 'mp4'],
  ] as const) {
    const film = join(folder, `film.${extension}`);
    const looped = ['-stream_loop', '39', '-i', clip, '-c', 'copy', film];
    await runProgram(ffmpeg, ['-nostdin', '-v', 'error', '-y', ...looped]);
    const { size } = await stat(film);
    const samples = await alternate(rounds, {
      cp: async () => {
        const ms = await timed(() => runProgram('cp', [film, join(folder, 'copy')]));
        await rm(join(folder, 'copy'));
        return ms;
      },
      packaging: async () => {
        const { ms } = await packageOnce(film, out, container, '6');
        await rm(out, { recursive: true });
        return ms;
      },
    });
    const rate = (ms: readonly number[]) => size / 1000 / spreadOf(ms).median;
    // The target is the lower of the two.
    const target = Math.min(200, 0.8 * rate(samples.cp));
    figures.push({
      name: `segments of ${container}, ${(size / 1e6).toFixed(0)} MB, rate compared with ${target.toFixed(0)} MB/s`,
      unit: 'x',
      value: spreadOf(samples.packaging.map((ms) => size / 1000 / ms / target)),
      atMost: null,
      atLeast: 1,
      basis: `${rate(samples.packaging).toFixed(0)} MB/s, cp ${rate(samples.cp).toFixed(0)} MB/s`,
    });
    await rm(film);
  }
  return figures;
}

async function measureMemory(ffmpeg: string, folder: string): Promise<readonly Figure[]> {
  await mkdir(folder, { recursive: true });
  const figures: Figure[] = [];
  for (const [container, extension] of [
    ['ts', 'ts'],
    ['fmp4', 'mp4'],
  ] as const) {
    const peaks: Packaged[] = [];
    for (const segments of [500, 10_000]) {
      const film = join(folder, `film-${segments}.${extension}`);
      const video = `color=size=32x32:rate=10:duration=${segments * 2}`;
      const encoder = [
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
        '-g',
        '20',
        '-keyint_min',
        '20',
        '-sc_threshold',
        '0',
      ];
      await runProgram(ffmpeg, ['-v', 'error', '-y', '-f', 'lavfi', '-i', video, ...encoder, film]);
      peaks.push(await packageOnce(film, join(folder, 'out'), container, '2'));
      await rm(join(folder, 'out'), { recursive: true });
    }
    const [few, many] = peaks;
    if (few === undefined || many === undefined) throw new Error('nothing was measured');
    const more = many.peakMegabytes - few.peakMegabytes;
    figures.push({
      name: `memory of ${many.segments} segments of ${container}, more than of ${few.segments}`,
      unit: 'MB',
      value: { median: more, low: more, high: more },
      atMost: 64,
      basis: `${many.peakMegabytes.toFixed(0)} MB and ${few.peakMegabytes.toFixed(0)} MB of a process of its own`,
    });
  }
  return figures;
}

async function measureLadder(ffmpeg: string, folder: string, rounds: number): Promise<readonly Figure[]> {
  await mkdir(folder, { recursive: true });
  // Three segments of each rendition are decoded to verify them, however long it is.
  const clip = await makeClip(ffmpeg, folder, { size: '1280x720', seconds: 60, megabits: 5 });
  const rungs = [720, 480, 360].map((height) => ({
    label: `${height}`,
    height,
    quality: 3,
    forced_keyframe_rate: 0.5,
  }));
  const requests = {
    mp4: { outputs: rungs },
    hls: {
      outputs: [
        ...rungs.map((rung) => ({ ...rung, type: 'segmented', segment_seconds: 6 })),
        { type: 'playlist', label: 'all', streams: rungs.map(({ label }) => ({ source: label })) },
      ],
    },
    cmaf: {
      outputs: [
        ...rungs.map((rung) => ({
          ...rung,
          type: 'segmented',
          packaging: 'cmaf',
          skip_audio: rung.height !== 720,
        })),
        {
          type: 'playlist',
          packaging: 'cmaf',
          label: 'all',
          streams: rungs.map(({ label }) => ({ source: label })),
        },
      ],
    },
  };
  const run = (name: keyof typeof requests) => async () => {
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify({ input: `file://${clip}`, ...requests[name] }));
    const before = await cpuSecondsOf('self');
    const out = join(folder, 'out');
    const ms = await timed(() =>
      runProgram(process.execPath, [
        vencPath,
        'run',
        path,
        '-o',
        `${out}/`,
        '--progress',
        'none',
        '--ffmpeg',
        ffmpeg,
      ]),
    );
    await rm(out, { recursive: true });
    return { ms, cpuSeconds: (await cpuSecondsOf('self')) - before };
  };
  const samples = await alternate(rounds, { mp4: run('mp4'), hls: run('hls'), cmaf: run('cmaf') });
  return (['hls', 'cmaf'] as const).flatMap((name) =>
    (
      [
        ['wall', 'ms', 1],
        ['CPU', 'cpuSeconds', 1000],
      ] as const
    ).map(([what, field, factor]): Figure => {
      const [one, files] = [samples[name], samples.mp4].map((list) =>
        list.map((sample) => sample[field] * factor),
      );
      return {
        name: `a ladder of three as ${name}, compared with MP4, ${what}`,
        unit: 'x',
        value: spreadOf(ratiosOf(one ?? [], files ?? [])),
        atMost: 1.05,
        basis: `${spreadOf(one ?? []).median.toFixed(0)} ms, MP4 ${spreadOf(files ?? []).median.toFixed(0)} ms`,
      };
    }),
  );
}

async function measureUploads(folder: string, rounds: number): Promise<readonly Figure[]> {
  const files = join(folder, 'files');
  await mkdir(files, { recursive: true });
  await mkdir(join(folder, 'objects'));
  const bytes = randomBytes(200_000);
  for (let index = 0; index < 500; index += 1) await writeFile(join(files, `film-${index}.ts`), bytes);
  const server = spawn(process.execPath, [programAt('s3-server'), join(folder, 'objects')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [endpoint] = await once(createInterface({ input: server.stdout }), 'line');
    const upload = (way: string) => async () => {
      const words = ['--no-warnings', programAt('segments-upload'), way, String(endpoint), files];
      const sample: { readonly ms: number } = JSON.parse(await outputOf(words, process.env));
      return sample.ms;
    };
    const { venc, sdk } = await alternate(rounds, { venc: upload('venc'), sdk: upload('sdk') });
    return [
      {
        name: '500 segments to a bucket, rate compared with the SDK',
        unit: 'x',
        value: spreadOf(ratiosOf(sdk, venc)),
        atMost: null,
        atLeast: 0.8,
        basis: `${spreadOf(venc).median.toFixed(0)} ms, the SDK ${spreadOf(sdk).median.toFixed(0)} ms`,
      },
    ];
  } finally {
    const ended = once(server, 'close');
    server.kill();
    await ended;
  }
}
