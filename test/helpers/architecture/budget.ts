import type { Budget } from './check-budget.js';

/**
 * The budget of each module. Lower it when a module gets smaller. A commit that raises it says why.
 */
export const budget: Budget = {
  'daemon/actions': { lines: 5210, files: 38 },
  'daemon/admin': { lines: 1210, files: 10 },
  'daemon/admin/database': { lines: 40, files: 1 },
  'daemon/app': { lines: 2710, files: 20 },
  'daemon/app/records': { lines: 360, files: 3 },
  'daemon/captions': { lines: 1530, files: 14 },
  'daemon/dry-run': { lines: 690, files: 5 },
  'daemon/ffmpeg': { lines: 7120, files: 48 },
  'daemon/hosted-files': { lines: 1610, files: 11 },
  'daemon/http': { lines: 4540, files: 30 },
  'daemon/jobs': { lines: 4550, files: 34 },
  'daemon/metrics': { lines: 450, files: 2 },
  'daemon/migrate': { lines: 940, files: 4 },
  'daemon/net': { lines: 440, files: 4 },
  'daemon/packaging': { lines: 4330, files: 32 },
  'daemon/pipeline': { lines: 6460, files: 43 },
  'daemon/plan': { lines: 13900_860, files: 94 },
  'daemon/queue': { lines: 4110, files: 27 },
  'daemon/queue/postgres': { lines: 930, files: 4 },
  'daemon/store': { lines: 6550, files: 42 },
  'daemon/store/postgres': { lines: 4240, files: 16 },
  'daemon/tracing': { lines: 300, files: 2 },
  'daemon/transfer': { lines: 1710, files: 15 },
  'daemon/transports': { lines: 8820, files: 54 },
  'daemon/webhooks': { lines: 790, files: 5 },
  'daemon/worker': { lines: 1740, files: 8 },
  'src/cli': { lines: 14540, files: 101 },
  'src/cli/output': { lines: 1740, files: 14 },
  'src/client': { lines: 3760, files: 27 },
  'src/config': { lines: 860, files: 6 },
  'src/shared': { lines: 13990, files: 109 },
  'src/tui': { lines: 2100, files: 17 },
};
