import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * A create blocks the daemon while it is checked, so it must cost time in proportion to its size. Each of these requests took from 2 to more
 * than 60 seconds of processor time when one of its checks compared every entry with every other one. Now they take 0.1 to 0.6.
 */

const test = suite<{ daemon: DaemonProcess }>('the processor time of a create');

const maxCpuSeconds = 1.5;

test.before(async (context) => {
  context.daemon = await startDaemonProcess(tempFolder(), ['--jobs', '0', '--max-outputs', '1000']);
});
test.after(killDaemons);

const input = 'http://127.0.0.1:9/a.mp4';
const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, i) => one(i));
const names = (count: number) => Object.fromEntries(many(count, (index) => [`zz${index}`, 1]));
const outputs = (one: (index: number) => object) => ({ input, outputs: many(1000, one) });
const labelled = (index: number) => ({ label: `l${index}` });

const requests: Readonly<Record<string, () => object | string>> = {
  '20,000 unknown names in an output': () => ({ input, outputs: names(20_000) }),
  '20,000 unknown names in the job': () => ({ input, ...names(20_000) }),
  '20,000 unknown names in a watermark': () => ({
    input,
    outputs: { watermarks: { url: input, ...names(20_000) } },
  }),
  '20,000 unknown names in strict mode': () => ({ input, strict: true, outputs: names(20_000) }),
  '100 unknown names in each of 500 outputs in strict mode': () => ({
    input,
    strict: true,
    outputs: many(500, () => names(100)),
  }),
  '20,000 unknown elements': () =>
    `<api-request><input>${input}</input><output>${many(20_000, (i) => `<zz${i}>1</zz${i}>`).join('')}</output></api-request>`,
  '1,000 outputs': () => outputs(() => ({})),
  '1,000 outputs, each made from the one before': () =>
    outputs((index) => ({ ...labelled(index), ...(index === 0 ? {} : { source: `l${index - 1}` }) })),
  '1,000 outputs in a cycle': () =>
    outputs((index) => ({ ...labelled(index), source: `l${(index + 1) % 1000}` })),
  '1,000 outputs, each a transfer of the one before': () =>
    outputs((index) => ({
      ...labelled(index),
      ...(index === 0 ? {} : { type: 'transfer-only', source: `l${index - 1}` }),
    })),
  '1,000 outputs with unknown sources': () =>
    outputs((index) => ({ ...labelled(index), source: `x${index}` })),
  '1,000 segmented outputs': () => outputs((index) => ({ ...labelled(index), type: 'segmented' })),
  '400 playlists of 40 addresses': () => ({
    input,
    outputs: [
      { label: 'a', type: 'segmented' },
      ...many(400, () => ({
        type: 'playlist',
        streams: many(40, (index) => ({ path: `p${index}`, bandwidth: 1 })),
      })),
    ],
  }),
  '1,000 outputs with 500 thumbnails': () => outputs(() => ({ thumbnails: { number: 500 } })),
};

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // Clock ticks of user and system time; a tick is 10 ms.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

for (const [what, request] of Object.entries(requests)) {
  test(`${what} cost little`, async ({ daemon }) => {
    const body = request();
    const before = cpuSecondsOf(daemon.pid);
    const response = await fetch(`${daemon.url}/v2/jobs`, {
      method: 'POST',
      headers: { 'Service-Api-Key': processKey },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    assert.ok([201, 422].includes(response.status), await response.text());
    const seconds = cpuSecondsOf(daemon.pid) - before;
    assert.ok(seconds < maxCpuSeconds, `${seconds} s`);
  });
}

test.run();
