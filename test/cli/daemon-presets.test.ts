import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { type ServedContext, serveContext } from '../helpers/served-context.js';
import { tempFolder } from '../helpers/temp.js';
import type { CliResult } from './run-cli.js';
import { completionsOf, runInProcess } from './run-here.js';

interface Context {
  served: ServedContext;
  home: string;
  env: Readonly<Record<string, string>>;
  /** Runs a command at the daemon. The words are separated by spaces. */
  venc: (words: string, key?: string) => Promise<CliResult>;
  /** Runs a command that must succeed. */
  done: (words: string) => Promise<CliResult>;
}

const test = suite<Context>('presets of a daemon, from the command line');

test.before.each(async (context) => {
  context.served = await serveContext();
  context.home = tempFolder();
  const { url, key } = context.served;
  context.env = { XDG_CONFIG_HOME: context.home, VENC_URL: url, VENC_API_KEY: key };
  context.venc = (words, apiKey = key) =>
    runInProcess(words.split(' '), { env: { ...context.env, VENC_API_KEY: apiKey } });
  context.done = async (words) => {
    const result = await context.venc(words);
    assert.is(result.code, 0, `${words}: ${result.stderr}`);
    return result;
  };
});
test.after.each(({ served }) => served.close());

const film = 'http://127.0.0.1:9/a.mov';

/** Submits and resolves to the stored settings of the outputs. */
async function submitted({ served, done }: Context, words: string): Promise<readonly unknown[]> {
  const { stdout } = await done(`submit ${words}`);
  const job = await served.appContext.store.get(Number(stdout.trim()));
  return (job?.outputs ?? []).map(({ settings }) => settings);
}

test('a preset is saved, listed, shown and removed at the daemon', async ({ venc, done, served }) => {
  assert.match((await done('preset save house --height 480 --daemon')).stderr, 'preset house saved');
  const again = await venc('preset save house --height 360 --daemon');
  assert.equal([again.code, /There is already a preset house/.test(again.stderr)], [2, true], again.stderr);
  await done('preset save house --preset house --quality 5 --daemon --force');
  const settings = { outputs: [{ height: 480, quality: 5 }] };
  assert.equal(JSON.parse((await done('preset show house --daemon')).stdout), settings);
  assert.match(
    (await done('preset list --daemon')).stdout,
    /house +account +height=480 quality=5\n.*web +shipped/,
  );
  assert.not.match((await done('preset list')).stdout, 'house');
  const { key } = await createAccount(openFolderSetup(served.dataFolder), 'studio');
  assert.not.match((await venc('preset list --daemon', key)).stdout, 'house');
  const missing = await venc('preset show hose --daemon');
  assert.equal([missing.code, /did you mean house\?/.test(missing.stderr)], [2, true], missing.stderr);
  await done('preset remove house --daemon');
  assert.is((await venc('preset remove house --daemon')).code, 2);
  assert.is((await venc('preset remove web --daemon')).code, 6, 'it comes with venc');
});

test('an own preset comes before that of the account, and this before the shipped one', async (context) => {
  const { done } = context;
  const widths = async () =>
    (await submitted(context, `${film} --preset web`)).map((one) => (one as { width: number }).width);
  assert.equal(await widths(), [1920]);
  await done('preset save web --width 640 --daemon');
  assert.equal(await widths(), [640]);
  await done('preset save web --width 320');
  assert.equal(await widths(), [320]);
  assert.match((await done('preset remove web')).stderr, 'web is that of venc again');
  assert.equal(await widths(), [640]);
});

test('a preset of the account is sent by its name, with the flags that override it', async (context) => {
  const { done, served, home } = context;
  await done('preset save pair --output label=a,width=64 --output label=b,width=128 --daemon');
  await done('preset save one --width 64 --quality 2 --test --daemon');
  assert.equal(await submitted(context, `${film} --preset one --quality 5`), [{ width: 64, quality: 5 }]);
  assert.equal(await submitted(context, `${film} --preset pair --quality 5`), [
    { label: 'a', width: 64, quality: 5 },
    { label: 'b', width: 128, quality: 5 },
  ]);
  writeFileSync(
    join(home, 'r.json'),
    JSON.stringify({ input: film, outputs: [{ preset: 'phone', width: 90 }, { width: 80 }] }),
  );
  const [phone, other] = await submitted(context, join(home, 'r.json'));
  assert.equal([(phone as { width: number }).width, other], [90, { width: 80 }]);
  // With the same key and the same words, a changed preset makes no other job.
  const keyed = `submit ${film} --preset one --idempotency-key k`;
  const first = (await done(keyed)).stdout;
  await done('preset save one --width 128 --daemon --force');
  assert.is((await done(keyed)).stdout, first);
  assert.is((await context.venc(`submit ${film} --preset pair --idempotency-key k`)).code, 6);
  assert.is(served.appContext.maxOutputs, 10);
});

test('a request can name presets, and a flag takes the place of its own', async (context) => {
  const { done, home } = context;
  await done('preset save mine --width 64');
  const path = join(home, 'r.json');
  writeFileSync(path, JSON.stringify({ input: film, preset: 'mine', output: { quality: 4 } }));
  assert.equal(await submitted(context, path), [{ width: 64, quality: 4 }]);
  await done('preset save other --height 32');
  assert.equal(await submitted(context, `${path} --preset other`), [{ height: 32, quality: 4 }]);
  writeFileSync(path, JSON.stringify({ input: film, preset: 'mien' }));
  const { code, stderr } = await context.venc(`submit ${path}`);
  assert.equal(
    [code, /There is no preset "mien"/.test(stderr), /mine/.test(stderr)],
    [2, true, true],
    stderr,
  );
});

test('hls makes the outputs of --hls, and names itself where a flag contradicts it', async (context) => {
  const outputs = await submitted(context, `${film} --preset hls --quality 5`);
  assert.equal(outputs, await submitted(context, `${film} --hls --quality 5`));
  const verbose = await context.done(`submit ${film} --preset hls -v`);
  assert.is(verbose.stderr.match(/GET \S+\/v2\/presets\/hls$/gm)?.length, 1, verbose.stderr);
  const { code, stderr } = await context.venc(`submit ${film} --preset hls --height 480`);
  assert.equal([code, /--height contradicts --preset hls/.test(stderr)], [2, true], stderr);
  await context.done('preset save tall --height 480');
  const other = await context.venc(`submit ${film} --hls --preset tall`);
  assert.match(other.stderr, 'height of --preset tall contradicts --hls');
});

test('a preset of a daemon has no local files and no passwords', async ({ venc, home }) => {
  const image = join(home, 'logo.png');
  writeFileSync(image, 'x');
  const local = await venc(`preset save logo --watermark url=${image} --daemon`);
  assert.equal([local.code, /A daemon cannot read .*logo\.png/.test(local.stderr)], [2, true], local.stderr);
  const secret = await venc('preset save away --url ftp://me:pw@host/a.mp4 --daemon');
  assert.equal([secret.code, /url must have no password/.test(secret.stderr)], [2, true], secret.stderr);
  assert.not.match(secret.stderr, 'pw@');
});

test('completions offer the presets of the account', async ({ done, env }) => {
  await done('preset save house --height 480 --daemon');
  const words = await completionsOf(['submit', '--preset', ''], env);
  assert.match(words, /^web\tcomes with venc$/m);
  assert.match(words, /^house\tpreset of the account$/m);
});

test.run();
