import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { commandOf, crontabLine, type DocBlock, docBlocks, docPages } from '../helpers/doc-blocks.js';
import { createDocShell, type DocRun, type DocShell } from '../helpers/doc-shell.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const checkout = 'installs, builds or tests the checkout, which runs this test';
const machine = 'installs venc on the machine, or changes its services';
const docker = 'needs Docker';
const database = 'needs PostgreSQL: database/doc-blocks.test.ts runs it';
const hours = 'the daemon of this test has no hours';
const waiting = 'needs a job that waits: http/priority.test.ts has some';
const bucket = 'needs a bucket: servers/hosted-bucket.test.ts starts such a daemon';

/**
 * The commands that do not run here, with the reason. All other commands of their blocks run. docs.test.ts checks that the command-line
 * parser accepts the venc commands among them.
 */
const notRun: Readonly<Record<string, string>> = {
  'npm ci && npx venc run --sample': checkout,
  'npm ci && npm test': checkout,
  'npm ci': checkout,
  'npm test': checkout,
  'npm run build': checkout,
  'npm run check': checkout,
  'npm run format': checkout,
  'npm run docs': checkout,
  'npm run bench': checkout,
  'npm run bench -- startup http': checkout,
  'npm run bench -- --help': checkout,
  'npm run bench -- size footprint --save bench/baseline.md': checkout,
  'npm run bench -- quality --clips film,screen': checkout,
  '.ci/run': checkout,
  'npm ci && npm pack': machine,
  'git pull && npm ci && rm -f venc-*.tgz && npm pack': machine,
  'sudo npm install --global ./venc-*.tgz': machine,
  'sudo npm install --global ./venc-*.tgz && sudo systemctl restart venc': machine,
  'sudo cp contrib/venc.service /etc/systemd/system/': machine,
  'sudo cp contrib/venc-worker.service /etc/systemd/system/': machine,
  'sudo install -m 0600 /dev/null /etc/venc.env': machine,
  'sudo install -m 0600 /dev/null /etc/venc-worker.env': machine,
  "echo 'VENC_JOIN=https://encode.example.com' | sudo tee -a /etc/venc-worker.env": machine,
  "echo 'VENC_WORKER_TOKEN=vencw_...' | sudo tee -a /etc/venc-worker.env": machine,
  'sudo systemctl enable --now venc': machine,
  'sudo systemctl enable --now venc-worker': machine,
  'journalctl -u venc -f': machine,
  'docker build -t venc .': docker,
  'docker run -d --name venc -p 127.0.0.1:8686:8686 -v venc-data:/data --stop-timeout 60 venc': docker,
  'docker exec venc venc doctor': docker,
  'docker run --rm --network none -v "$PWD:/work" -w /work --user "$(id -u):$(id -g)" venc run film.mov':
    docker,
  'docker exec venc cat /data/owner-key | venc target add box http://127.0.0.1:8686': docker,
  'docker run -d --name venc-worker --no-healthcheck -e VENC_WORKER_TOKEN -v venc-worker:/data --stop-timeout 60 venc worker --join https://encode.example.com':
    docker,
  'venc priority 123 5': waiting,
  'venc next 123': waiting,
  'venc pause 123': waiting,
  'venc resume 123': waiting,
  'venc resume --for 2h': hours,
  'createdb venc': database,
  'systemctl stop venc': database,
  'export VENC_DATABASE=postgres://venc:PASSWORD@db.example.com/venc': database,
  'venc migrate --from /var/lib/venc': database,
  'export VENC_DATABASE_KEY="$(cat /var/lib/venc/database-key)"': database,
  'venc migrate --to /var/lib/venc-copy': database,
  'export VENC_DATABASE_KEY="$(cat database-key)"': database,
  'venc daemon --hosted s3://media/venc --public-url https://encode.example.com': bucket,
};

/** Commands that run until they are stopped: a daemon, a worker, and a log that is followed. */
const runsOn = /\bvenc (?:daemon|worker --join|logs --follow)\b/;

let folder = '';
let daemon: DaemonProcess;
let web: Server;
let films = '';
let shell: DocShell;
const runs = new Map<DocBlock, DocRun>();

/** What is left of each block without the commands that do not run. */
const blocks = docBlocks().filter(
  ({ text }) => !text.includes('/srv/inbox') && /^(?!export|#)./m.test(withoutNotRun(text)),
);

test.before(async () => {
  folder = tempFolder();
  const source = join(folder, 'film.mov');
  await makeMedia(source, film('64x48', 0.4));
  web = createServer((_, response) => response.end(readFileSync(source)));
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  // A server that listens on a port has an address of this form.
  films = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  daemon = await startDaemonProcess(join(folder, 'data'), ['--files-root', folder]);
  const env = { VENC_URL: daemon.url, VENC_API_KEY: processKey, VENC_DATA: join(folder, 'data') };
  shell = createDocShell(folder, { ...env, KEY: processKey, id: '1' });
  for (const name of ['.local/share/venc', 'data', 'video', 'encoded'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['.local/share/venc', 'data'])
    writeFileSync(join(folder, name, 'owner-key'), processKey);
  const first = await shell.run(
    '.',
    'venc submit film.mov --filename first.mp4 --wait --progress none >&2; venc keys create --worker > worker-key',
  );
  assert.is(first.code, 0, first.text);
  // Two pages at a time. The blocks of a page run one after the other, as a reader types them.
  await mapWithConcurrency(docPages, 2, async (page) => {
    for (const block of blocks.filter((one) => one.page === page)) runs.set(block, await runBlock(block));
  });
});
test.after(() => {
  web.closeAllConnections();
  web.close();
  killDaemons();
});

function withoutNotRun(text: string): string {
  return text
    .split('\n')
    .filter((line) => !Object.hasOwn(notRun, commandOf(line)))
    .join('\n');
}

/** The folder of a page, with the films that its commands name. */
function folderOf(page: string): string {
  const own = join(folder, page.replaceAll('/', '-'));
  if (existsSync(own)) return own;
  for (const name of ['film.mov', 'holiday.mov', 'in.mov', 'trailer.mov', 'films/a.mov']) {
    mkdirSync(dirname(join(own, name)), { recursive: true });
    copyFileSync(join(folder, 'film.mov'), join(own, name));
  }
  writeFileSync(join(own, 'key.txt'), processKey);
  return own;
}

/** Runs the commands of a block in the folder of its page, with a configuration of its own. */
function runBlock({ page, text }: DocBlock): Promise<DocRun> {
  const own = folderOf(page);
  const env = {
    XDG_CONFIG_HOME: tempFolder(),
    WORKER_KEY: readFileSync(join(folder, 'worker-key'), 'utf8').trim(),
  };
  if (text.startsWith('#!')) {
    writeFileSync(join(own, 'encode-folder.sh'), text);
    return shell.run(own, 'sh encode-folder.sh films results', env);
  }
  const commands = withoutNotRun(text)
    .split('\n')
    .map((line) => (runsOn.test(line) ? untilItPrints(here(commandOf(line))) : here(line)));
  const worker = text.includes('box-2') ? withWorker : '';
  return shell.run(own, `${worker}${commands.join('\n')}`, env);
}

/** A line with the addresses, folders and ids of this test. */
function here(line: string): string {
  return line
    .replaceAll(/http:\/\/127\.0\.0\.1:8686|https:\/\/enco(?:ding|de)\.example\.com/g, daemon.url)
    .replaceAll(/https:\/\/example\.com\/(?=\w+\.mov)/g, `${films}/`)
    .replaceAll(/(?<=venc (?:show|logs) )123\b/g, '1')
    .replaceAll(/\bvencw_\.\.\./g, '$WORKER_KEY')
    .replaceAll('4f3a9c21', `$(venc keys list --account acme --json | jq -r '.[0].id')`)
    .replaceAll('/var/lib/venc', join(folder, 'data'))
    .replaceAll(/\/(?:srv|mnt)\//g, `${folder}/`)
    .replace('--port 8686', '--port 0')
    .replace(/\bvenc (?:daemon|worker)\b/, '$& --data "$(mktemp -d -p ~)"')
    .replace(/\bvenc daemon\b(?!.*--port)/, '$& --port 0');
}

/** Runs a command until it has printed a line, and stops it. It fails if the command ends by itself. */
function untilItPrints(command: string): string {
  return `${command} > printed 2>&1 & pid=$!
until test -s printed; do kill -0 $pid; sleep 0.1; done
sleep 0.2; kill $pid || { cat printed; exit 1; }
wait $pid || true`;
}

/** Commands that connect a worker with the name of the page, which ends with the shell. */
const withWorker = `VENC_WORKER_TOKEN=$WORKER_KEY venc worker --join "$VENC_URL" --name box-2 --data "$(mktemp -d -p ~)" > /dev/null 2>&1 &
trap "kill $! || true; wait $! || true" EXIT
until venc workers | grep -q box-2; do sleep 0.2; done
`;

for (const block of blocks) {
  test(`the commands of ${block.page} run: ${block.text.split('\n')[0]}`, () => {
    const { code, text } = runs.get(block) ?? { code: -1, text: 'it was not run' };
    assert.is(code, 0, `${block.text}\n${text}`);
  });
}

test('the crontab of the recipe runs its script, which delivers the films of the inbox, and only once at a time', async () => {
  const script = docBlocks().find(({ text }) => text.includes('/srv/inbox'));
  assert.ok(script);
  writeFileSync(join(folder, 'bin/encode-inbox'), here(script.text), { mode: 0o755 });
  mkdirSync(join(folder, 'inbox'));
  copyFileSync(join(folder, 'film.mov'), join(folder, 'inbox/b.mov'));
  const { path, command } = crontabLine();
  const lock = join(folder, 'inbox.lock');
  const installed = (text: string) =>
    text.replaceAll('/usr/local/bin', join(folder, 'bin')).replace('/tmp/venc-inbox.lock', lock);
  // Cron sets only a few variables.
  const cron = `env -i HOME="$HOME" VENC_URL="$VENC_URL" VENC_API_KEY="$VENC_API_KEY" PATH='${installed(path)}' /bin/sh -c '${installed(command)}'`;
  const locked = await shell.run('.', `flock -n '${lock}' ${cron}`);
  assert.is(locked.code, 1, locked.text);
  assert.ok(existsSync(join(folder, 'inbox/b.mov')));
  const { code, text } = await shell.run('.', `${cron}\ntest -s done/b.mp4 && test -s archive/b.mov`);
  assert.is(code, 0, text);
});

test('every command that does not run is on a page', () => {
  const commands = new Set(docBlocks().flatMap(({ text }) => text.split('\n').map(commandOf)));
  for (const command of Object.keys(notRun)) assert.ok(commands.has(command), command);
});

test.run();
