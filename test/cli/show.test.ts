import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';
import { runInProcess } from './run-here.js';

const test = suite<{ service: FakeService; env: Record<string, string> }>('venc show of several jobs');

test.before(async (context) => {
  context.service = await startFakeService();
  context.env = { VENC_URL: context.service.url, VENC_API_KEY: context.service.key };
});
test.after(({ service }) => service.close());

test('show prints each job, continues after an error, and exits with the first error code', async ({
  env,
}) => {
  const { code, stdout, stderr } = await runInProcess(['show', '1002', '999', '1001'], { env });
  assert.is(code, 5);
  assert.equal(stdout.match(/^job \d+/gm), ['job 1002', 'job 1001']);
  assert.match(stdout, /\n\njob 1001/);
  assert.match(stderr, /^venc: There is no job 999 here\.\n/);
});

test('show --json prints one object for one id and an array for several', async ({ env }) => {
  const [one, several, partly, lines] = await Promise.all([
    runInProcess(['show', '1001', '--json'], { env }),
    runInProcess(['show', '1003', '1001', '--json', '--fields', 'id'], { env }),
    runInProcess(['show', '1001', '999', '--json', '--fields', 'id'], { env }),
    runInProcess(['show', '1003', '1001', '--jsonl', '--fields', 'id'], { env }),
  ]);
  assert.is(Array.isArray(JSON.parse(one.stdout)), false);
  const ids = (text: string) => JSON.parse(text).map(({ id }: { id: unknown }) => Number(id));
  assert.equal(ids(several.stdout), [1003, 1001]);
  assert.equal([partly.code, ids(partly.stdout)], [5, [1001]]);
  assert.equal([lines.code, lines.stdout.trim().split('\n').length], [0, 2]);
});

test.run();
