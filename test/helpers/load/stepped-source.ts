import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpSource } from '../servers/http-source.js';

/** Bytes of one step: more than the daemon counts as a sign of life, and few enough to arrive in one read. */
const stepBytes = 4096;
/** The daemon reports a download at most four times a second. A report that comes earlier is dropped. */
const pauseMs = 260;

/** A server of inputs whose downloads progress only when the test says so. */
export interface SteppedSource {
  /** The URL of the input of a name, which is a film, or not a media file. */
  url(name: string, content: 'film' | 'text'): string;
  /** The number of downloads that are open. */
  readonly openDownloads: number;
  /** The progress of a download after each step but the last, in percent. */
  readonly percents: readonly number[];
  /** Sends the next step of every download, once the daemon reports it. Resolves to its time (`Date.now()`). */
  release(): Promise<number>;
  /** Sends the rest of one download. */
  finish(name: string): void;
  close(): Promise<void>;
}

/** Serves a film in a number of steps. */
export async function startSteppedSource(film: string, stepCount: number): Promise<SteppedSource> {
  const bodies = {
    film: padded(await readFile(film), stepCount),
    text: Buffer.alloc(stepCount * stepBytes, 'text '),
  };
  const downloads = new Map<string, { readonly body: Buffer; readonly response: ServerResponse }>();
  let step = 0;
  const source = await startHttpSource((request, response) => {
    const [, content = '', name = ''] = (request.url ?? '').split('/');
    const body = bodies[content as keyof typeof bodies];
    response.writeHead(200, { 'Content-Length': body.length, ETag: `"${name}"` });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.flushHeaders();
    downloads.set(name, { body, response });
    response.on('close', () => downloads.delete(name));
  });
  return {
    url: (name, content) => source.url(`/${content}/${name}`),
    get openDownloads() {
      return downloads.size;
    },
    percents: Array.from(
      { length: stepCount - 1 },
      (_, index) => Math.round(((index + 1) / stepCount) * 1e4) / 100,
    ),
    async release() {
      // The report of the previous step was seen before this call.
      await sleep(pauseMs);
      for (const { body, response } of downloads.values())
        response.write(body.subarray(step * stepBytes, (step + 1) * stepBytes));
      step += 1;
      return Date.now();
    },
    finish(name) {
      const download = downloads.get(name);
      if (download === undefined) throw new Error(`nobody downloads ${name}`);
      download.response.end(download.body.subarray(step * stepBytes));
    },
    close: () => source.close(),
  };
}

/** The film followed by a box that players skip, so that it has the length of all steps. */
function padded(film: Buffer, stepCount: number): Buffer {
  const padding = Buffer.alloc(stepCount * stepBytes - film.length);
  padding.writeUInt32BE(padding.length, 0);
  padding.write('free', 4, 'latin1');
  return Buffer.concat([film, padding]);
}
