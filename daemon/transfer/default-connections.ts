import { jobTable } from '../../src/shared/settings/index.js';

/** Connections for a download where nobody names a number of them (`download_connections`, section 4.1). */
export const defaultConnections = jobTable.download_connections.default;
