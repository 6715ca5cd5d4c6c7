import type { Budget } from './check-budget.js';

/**
 * The budget of each module. Lower it when a module gets smaller. A commit that raises it says why.
 */
export const budget: Budget = {
  'daemon/actions': { lines: 3630, files: 33 },
  'daemon/admin': { lines: 1200, files: 13 },
  'daemon/admin/database': { lines: 80, files: 1 },
  'daemon/app': { lines: 1620, files: 18 },
  'daemon/app/records': { lines: 310, files: 4 },
  'daemon/captions': { lines: 1500, files: 14 },
  'daemon/dry-run': { lines: 620, files: 4 },
  'daemon/ffmpeg': { lines: 5450, files: 43 },
  'daemon/hosted-files': { lines: 880, files: 10 },
  'daemon/http': { lines: 4300, files: 32 },
  'daemon/jobs': { lines: 3470, files: 32 },
  'daemon/metrics': { lines: 390, files: 6 },
  'daemon/migrate': { lines: 930, files: 6 },
  'daemon/net': { lines: 420, files: 5 },
  'daemon/packaging': { lines: 4300, files: 35 },
  'daemon/pipeline': { lines: 4850, files: 40 },
  'daemon/plan': { lines: 9300, files: 70 },
  'daemon/queue': { lines: 3310, files: 21 },
  'daemon/queue/postgres': { lines: 890, files: 3 },
  'daemon/store': { lines: 5160, files: 43 },
  'daemon/store/postgres': { lines: 3750, files: 23 },
  'daemon/tracing': { lines: 300, files: 3 },
  'daemon/transfer': { lines: 1610, files: 18 },
  'daemon/transports': { lines: 8600, files: 73 },
  'daemon/webhooks': { lines: 780, files: 6 },
  'daemon/worker': { lines: 1710, files: 13 },
  'src/cli': { lines: 11620, files: 111 },
  'src/cli/output': { lines: 1800, files: 21 },
  'src/client': { lines: 3260, files: 32 },
  'src/config': { lines: 780, files: 6 },
  'src/shared': { lines: 10560, files: 110 },
  'src/tui': { lines: 1970, files: 21 },
};

/** Files that may have more lines than others, with their limit. Shorten them; add none. */
export const longFiles: Readonly<Record<string, number>> = {
  'daemon/queue/queue-run.ts': 430,
  'daemon/queue/waiting-jobs.ts': 410,
  // A table.
  'src/shared/routes.ts': 520,
};
