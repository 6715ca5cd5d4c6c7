import { defaultAccountId } from '../jobs/job.js';
import { vodReport } from '../jobs/report.js';
import type { Account, Quotas } from '../store/account-store.js';
import { summaryOf } from '../store/accounts/accounts-document.js';
import type { AppContext } from './app-context.js';
import { readUsage } from './read-report.js';

/** An account, and what it has used. */
export interface AccountUsage {
  readonly name: string;
  readonly isIntegration: boolean;
  readonly quotas: Quotas;
  readonly keyCount: number;
  /** Minutes of the outputs that finished this month, in UTC. */
  readonly encodedMinutes: number;
  /** The same without test jobs. */
  readonly billableMinutes: number;
  /** The hosted outputs that have not expired. */
  readonly hostedBytes: number;
}

/** The usage of this month of an account; that of all accounts, in the order of their creation, for the owner. */
export async function readAccountUsage(
  appContext: Pick<AppContext, 'setup' | 'store' | 'now'>,
  { id }: Pick<Account, 'id'>,
): Promise<readonly AccountUsage[]> {
  const document = await appContext.setup.accounts();
  const visible = document.accounts.filter((account) => id === defaultAccountId || account.id === id);
  const today = appContext.now().toISOString().slice(0, 10);
  const month = { from: `${today.slice(0, 8)}01`, to: today, grouping: null };
  return Promise.all(
    visible.map(async (account) => {
      const { total } = vodReport(...(await readUsage(appContext, account.id, month)));
      const { name, isIntegration, quotas = {}, keyCount } = summaryOf(document, account);
      return {
        ...{ name, isIntegration, quotas, keyCount },
        encodedMinutes: total.encoded_minutes,
        billableMinutes: total.billable_minutes,
        hostedBytes: await appContext.store.hostedBytes(account.id, appContext.now()),
      };
    }),
  );
}
