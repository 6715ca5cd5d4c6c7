import { suite } from 'uvu';
import { commandTable } from '../../src/cli/command-table.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { matchesGolden } from '../helpers/golden.js';
import { tempFolder } from '../helpers/temp.js';
import { runInProcess } from './run-here.js';

const test = suite('errors of commands');

/** Nothing listens there, and the folders are empty. */
const nowhere = () => {
  const folder = tempFolder();
  return {
    folder,
    env: {
      VENC_URL: 'http://127.0.0.1:9',
      VENC_API_KEY: 'a-key',
      VENC_DATA: folder,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
  };
};
/** These start a process of their own, wait, or need no arguments. */
const excluded = ['daemon', 'worker', 'watch', 'doctor', 'schema', 'mcp'];

const film = 'http://127.0.0.1:9/film.mp4';
/** Arguments that a command rejects, and what it reads from stdin. */
const rejected: readonly (readonly [line: string, stdin?: string])[] = [
  ...[
    '--width abc',
    '--width 1',
    '--size 640',
    '--speed 9',
    '--bitrate-cap -1',
    '--h264-level 99',
    '--video-codec divx',
  ].map((flags) => [`submit ${film} ${flags}`] as const),
  ...[
    '--witdh 3',
    '--thumbnails number=x',
    '--format webm --video-codec h264',
    '--rotate 45',
    '--clip-length 1:2:3:4',
  ].map((flags) => [`submit ${film} ${flags}`] as const),
  ['submit gopher://example.com/film.mp4'],
  ['submit -', '{"input":'],
  ['submit -', '{"outputs":[{"width":-1,"speed":"fast"}]}'],
  ['submit -', `{"input":"${film}","outputs":[{"witdh":3,"strict":true}]}`],
  ['plan -', `{"input":"${film}","outputs":[{"label":"a"},{"label":"a"}]}`],
  ['explain witdh'],
  ['progess 1'],
  ['list --state done'],
  ['prune --older-than soon'],
  ['report vod --from yesterday'],
];

async function answerTo(words: readonly string[], stdin = '', daemon?: TestDaemon): Promise<string> {
  const { folder, env } = nowhere();
  if (daemon !== undefined) Object.assign(env, { VENC_URL: daemon.url, VENC_API_KEY: daemon.key });
  const { code, stdout, stderr } = await runInProcess(words, { env, stdin, width: 100 });
  const text = `${stdout}${stderr}`
    .replaceAll(folder, '/FOLDER')
    .replaceAll(/(?<=took |failed, )[\d.]+s/g, 'TIME');
  return `$ venc ${words.join(' ')}${stdin === '' ? '' : ` <<< '${stdin}'`}\n${text}exit code ${code}\n`;
}

test('errors, hints and exit codes of every command match the golden files', async () => {
  const answers: string[] = [];
  for (const name of Object.keys(commandTable)) {
    const words = name.split(' ').filter((word) => word !== '');
    const variants = [['--no-such-flag'], ['1', '2', '3', '4'], ...(excluded.includes(name) ? [] : [[]])];
    for (const variant of variants) answers.push(await answerTo([...words, ...variant]));
  }
  matchesGolden('cli/errors.txt', answers.join('\n'));
});

test('errors of values, fields and requests match the golden file', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const answers: string[] = [];
  for (const [line, stdin] of rejected) answers.push(await answerTo(line.split(' '), stdin, daemon));
  await daemon.stop();
  matchesGolden('cli/rejected.txt', answers.join('\n'));
});

test.run();
