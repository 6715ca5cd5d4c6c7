/** The version of this program. package.json is not read at run time; a test checks that the versions are equal. */
export const productVersion = '0.1.0';

/** The prefix of every worker key; 40 hexadecimal digits follow it. */
export const workerKeyPrefix = 'vencw_';

/**
 * The versions of the protocol between the daemon and its workers that this version of venc speaks: `current`, and all
 * down to `oldest`. The daemon states them in `GET /worker/v1`. Workers stop the programs of a run from `freezing` on.
 */
export const workerProtocol = { current: 2, freezing: 2, oldest: 1 } as const;
