/** A room: a folder whose files may use their own room and those it names. */
export interface Room {
  readonly folder: string;
  /** Other rooms that its files may import from; `*` for any. */
  readonly mayUse: readonly string[];
  /** Only the files directly in the folder belong to it. */
  readonly isFlat?: true;
}

/** A single way through a wall, with the reason for it. */
export interface Door {
  /** A room, or one file. */
  readonly from: readonly string[];
  /** A folder, or one file. */
  readonly to: string;
  /** `types`: by `import type` alone. `lazily`: by `import(...)` alone, so that it is loaded only where it is needed. */
  readonly how: 'types' | 'lazily';
  readonly because: string;
}

/** Who may look into whose room. */
export interface FloorPlan {
  readonly rooms: readonly Room[];
  readonly doors: readonly Door[];
}

const language = ['src/api'];
const facts = ['daemon/jobs', ...language];
const plans = ['daemon/plan', ...facts];
const tools = ['daemon/ffmpeg', 'daemon/transports', ...plans];
const runs = ['daemon/work', ...tools];
const records = ['daemon/queue', 'daemon/store', ...runs];

/**
 * The floor plan of the house. Imports point downwards: http, actions, queue, work, then ffmpeg and transports side by
 * side, plan, jobs, and the shared language at the bottom; on the desk cli, tui, client, language. The store is
 * touched by the queue, the actions and the notices alone: the counter gets to jobs and accounts through actions.
 */
export const floorPlan: FloorPlan = {
  rooms: [
    { folder: 'src/api', mayUse: [] },
    { folder: 'src/client', mayUse: language },
    { folder: 'src/disk', mayUse: language },
    { folder: 'src/config', mayUse: ['src/disk', ...language] },
    { folder: 'src/cli/print', mayUse: language },
    { folder: 'src/tui', mayUse: ['src/client', ...language] },
    {
      folder: 'src/cli',
      mayUse: ['src/cli/print', 'src/tui', 'src/client', 'src/config', 'src/disk', ...language],
    },
    { folder: 'daemon/jobs', mayUse: language },
    { folder: 'daemon/plan', mayUse: facts },
    { folder: 'daemon/ffmpeg', mayUse: ['src/disk', ...plans] },
    { folder: 'daemon/transports', mayUse: ['src/disk', ...plans] },
    { folder: 'daemon/store', mayUse: ['src/disk', ...facts] },
    { folder: 'daemon/work', mayUse: tools },
    { folder: 'daemon/queue', mayUse: ['daemon/store', ...runs] },
    { folder: 'daemon/notify', mayUse: ['daemon/queue', 'daemon/store', 'daemon/transports', ...facts] },
    { folder: 'daemon/actions', mayUse: records },
    { folder: 'daemon/http', mayUse: ['daemon/actions', 'daemon/queue', 'src/disk', ...runs] },
    {
      folder: 'daemon',
      mayUse: ['daemon/http', 'daemon/notify', 'daemon/actions', 'src/disk', ...records],
      isFlat: true,
    },
    // What is written for readers of the tables and of the commands.
    { folder: 'docs', mayUse: ['src/cli', ...plans] },
    { folder: 'bin', mayUse: ['src/cli'] },
    { folder: 'test', mayUse: ['*'] },
    { folder: 'bench', mayUse: ['*'] },
  ],
  doors: [
    {
      from: ['daemon/work'],
      to: 'daemon/queue/job-queue.ts',
      how: 'types',
      because: 'a run is what the queue promises to its handler',
    },
    {
      from: ['src/cli/print'],
      to: 'src/client',
      how: 'types',
      because: 'what is printed are often the events of the client; their types alone leave the room pure',
    },
    {
      from: [
        ...['daemon', 'run', 'plan', 'doctor', 'accounts', 'keys', 'worker', 'submit'].map(
          (name) => `src/cli/commands/${name}.ts`,
        ),
        ...['bring-files', 'prepare-request'].map((name) => `src/cli/submit/${name}.ts`),
      ],
      to: 'daemon',
      how: 'lazily',
      because: 'these commands need a workshop, and no other should pay for loading it',
    },
    {
      from: ['src/cli/completion/complete-words.ts'],
      to: 'daemon/desk-names.ts',
      how: 'lazily',
      because: 'the names of accounts and keys lie in the data folder, and only the daemon knows how',
    },
  ],
};
