/** A module: a folder whose files may import from their own module and from the listed ones. */
export interface Module {
  readonly folder: string;
  /** Other modules that its files may import from; `*` for any. */
  readonly mayUse: readonly string[];
}

/** An import that the map allows in addition to `mayUse`, and the reason. */
export interface Exception {
  /** A folder of a module, or one file. */
  readonly from: readonly string[];
  /** A folder of a module, or one file. */
  readonly to: string;
  /** `types`: only by `import type`. `lazily`: only by `import(...)`, so that the module is loaded when it is needed. */
  readonly how: 'types' | 'lazily';
  readonly because: string;
}

/** Which module may import which. */
export interface ModuleMap {
  readonly modules: readonly Module[];
  readonly exceptions: readonly Exception[];
}

const shared = ['src/shared'];
const jobs = ['daemon/jobs', ...shared];
const plan = ['daemon/plan', 'daemon/captions', ...jobs];
const transfer = ['daemon/transfer', 'daemon/net'];
const transports = ['daemon/transports', 'daemon/hosted-files', ...transfer];
const tools = ['daemon/ffmpeg', ...transports, ...plan];
const pipeline = ['daemon/pipeline', 'daemon/packaging', ...tools];
const records = ['daemon/queue', 'daemon/store', ...pipeline];

/**
 * The module map. Imports point downwards: http, actions, queue, pipeline, then ffmpeg and transports, plan, jobs and the shared module at
 * the bottom; in the command line cli, tui, client and shared. Only the queue, the actions and the webhooks use the store. The HTTP layer
 * accesses jobs and accounts through actions.
 */
export const moduleMap: ModuleMap = {
  modules: [
    { folder: 'src/shared', mayUse: [] },
    // Generated types of the API, which import nothing.
    { folder: 'src/api-types', mayUse: [] },
    { folder: 'src/client', mayUse: shared },
    // Runs in browsers as well: it uses only the pure parts of src/shared.
    { folder: 'src/rest-client', mayUse: ['src/api-types', ...shared] },
    { folder: 'src/config', mayUse: shared },
    { folder: 'src/cli/output', mayUse: shared },
    { folder: 'src/tui', mayUse: ['src/client', ...shared] },
    {
      folder: 'src/cli',
      mayUse: ['src/cli/output', 'src/tui', 'src/mcp', 'src/client', 'src/config', ...shared],
    },
    // Only its types are loaded with a command. It knows the protocol, and nothing of venc.
    { folder: 'src/mcp', mayUse: [] },
    // Types of requests are those of the REST API.
    { folder: 'src/library', mayUse: ['src/api-types', ...shared] },
    { folder: 'daemon/jobs', mayUse: shared },
    { folder: 'daemon/captions', mayUse: shared },
    { folder: 'daemon/plan', mayUse: ['daemon/captions', ...jobs] },
    { folder: 'daemon/ffmpeg', mayUse: plan },
    { folder: 'daemon/net', mayUse: shared },
    { folder: 'daemon/transfer', mayUse: ['daemon/net', ...jobs] },
    { folder: 'daemon/hosted-files', mayUse: [...transfer, ...jobs] },
    { folder: 'daemon/transports', mayUse: ['daemon/hosted-files', ...transfer, ...jobs] },
    { folder: 'daemon/store', mayUse: jobs },
    // A module of its own: the rest of the store must not load the packages for the database.
    { folder: 'daemon/store/postgres', mayUse: ['daemon/store', ...jobs] },
    { folder: 'daemon/packaging', mayUse: [...transfer, ...plan] },
    { folder: 'daemon/pipeline', mayUse: ['daemon/packaging', ...tools] },
    { folder: 'daemon/queue', mayUse: ['daemon/store', ...pipeline] },
    // A module of its own: the rest of the queue must not load the packages for the database.
    {
      folder: 'daemon/queue/postgres',
      mayUse: ['daemon/queue', 'daemon/store/postgres', 'daemon/store', ...jobs],
    },
    { folder: 'daemon/webhooks', mayUse: ['daemon/queue', 'daemon/store', ...transports, ...jobs] },
    // What they measure is passed to them: they know jobs, and nothing that runs them.
    { folder: 'daemon/metrics', mayUse: jobs },
    { folder: 'daemon/tracing', mayUse: jobs },
    { folder: 'daemon/actions', mayUse: ['daemon/metrics', ...records] },
    { folder: 'daemon/http', mayUse: ['daemon/actions', 'daemon/metrics', 'daemon/queue', ...pipeline] },
    // Loaded at the first request of the page.
    { folder: 'daemon/web', mayUse: ['daemon/http', 'daemon/dry-run', 'daemon/actions', ...jobs] },
    {
      folder: 'daemon/app',
      mayUse: [
        ...['daemon/http', 'daemon/webhooks', 'daemon/actions', 'daemon/metrics', 'daemon/tracing'],
        ...['daemon/app/records', ...records],
      ],
    },
    // Chooses where the records of a daemon are. Only what it loads lazily uses the packages for the database.
    {
      folder: 'daemon/app/records',
      mayUse: ['daemon/app', 'daemon/queue/postgres', 'daemon/store/postgres', ...records],
    },
    // A worker has no jobs of its own: of the store it uses the lock of a folder, and of the queue the rules for the end of a run.
    { folder: 'daemon/worker', mayUse: ['daemon/app', 'daemon/queue', 'daemon/store', ...pipeline] },
    { folder: 'daemon/admin', mayUse: ['daemon/store', ...tools] },
    // A module of its own: commands on a data folder must not load the packages for the database.
    {
      folder: 'daemon/admin/database',
      mayUse: ['daemon/admin', 'daemon/store/postgres', 'daemon/store', ...jobs],
    },
    { folder: 'daemon/migrate', mayUse: ['daemon/store', 'daemon/store/postgres', ...jobs] },
    { folder: 'daemon/dry-run', mayUse: ['daemon/actions', ...pipeline] },
    // The build, and the generators of man pages, documentation and types.
    { folder: 'scripts', mayUse: ['src/cli', 'daemon/http', ...plan] },
    { folder: 'bin', mayUse: ['src/cli'] },
    { folder: 'test', mayUse: ['*'] },
    { folder: 'bench', mayUse: ['*'] },
  ],
  exceptions: [
    {
      from: ['src/cli/mcp/local-tools.ts', 'src/cli/commands/mcp.ts'],
      to: 'src/library/index.ts',
      how: 'lazily',
      because: 'the tools of venc mcp encode with the library',
    },
    {
      from: ['src/cli/mcp/local-tools.ts'],
      to: 'src/library/declarations.ts',
      how: 'types',
      because: 'they pass on its options',
    },
    {
      from: ['daemon/app/start-daemon.ts'],
      to: 'daemon/web',
      how: 'lazily',
      because: 'the page is loaded at its first request',
    },
    {
      from: ['src/cli/output'],
      to: 'src/client',
      how: 'types',
      because: 'events of the client are printed; importing only their types keeps the module pure',
    },
    {
      from: ['src/cli/input/with-setup.ts'],
      to: 'daemon/store/accounts/setup-store.ts',
      how: 'types',
      because: 'the operations of the daemon take the store that a command opens',
    },
    {
      from: [
        ...[
          'daemon',
          'worker',
          'run',
          'plan',
          'compare',
          'doctor',
          'submit',
          'explain',
          'accounts',
          'keys',
          'credentials',
          'migrate',
          'backup',
        ].map((name) => `src/cli/commands/${name}.ts`),
        'src/cli/destinations/whole-results.ts',
        'src/cli/submit/uploads.ts',
        'src/cli/submit/after-submit.ts',
        'src/cli/run/encode-all.ts',
        'src/cli/run/write-image.ts',
        'src/cli/commands/join.ts',
        'src/cli/input/with-setup.ts',
        ...['inputs', 'make-plan', 'measure', 'run-encode', 'take-thumbnails'].map(
          (name) => `src/library/work/${name}.ts`,
        ),
      ],
      to: 'daemon',
      how: 'lazily',
      because: 'only these commands need the daemon, and loading it would slow down the others',
    },
    {
      from: ['daemon/admin/open-setup.ts'],
      to: 'daemon/admin/database',
      how: 'lazily',
      because: 'the packages for the database are loaded only if there is one',
    },
    {
      from: ['src/cli/completion/sources.ts'],
      to: 'daemon/admin/read-account-names.ts',
      how: 'lazily',
      because: 'the daemon defines how the names of accounts and keys are stored in the data folder',
    },
  ],
};
