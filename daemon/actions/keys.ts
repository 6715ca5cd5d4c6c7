import { invalidRequest, isVencError, VencError } from '../../src/shared/errors.js';
import { readExpiry } from '../../src/shared/text/key-expiry.js';
import { humanTime } from '../../src/shared/text/units.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { defaultAccountId } from '../jobs/job.js';
import type { Account } from '../store/account-store.js';
import { expiryMsOf } from '../store/accounts/accounts-document.js';
import {
  type ApiKeySummary,
  createKey,
  createWorkerKey,
  isValidName,
  type KeyDetails,
  listKeys,
  type NewKey,
  nameRule,
  ownerKeyId,
  type RevokedKey,
  revokeKey,
} from '../store/accounts/api-keys.js';
import { type AppContext, requireOwner } from './app-context.js';

/** Maximum number of keys of an account, and of worker keys, that are created here: every request is compared with all. */
const maxKeys = 100;

type KeyDeps = Pick<AppContext, 'setup' | 'accounts' | 'now' | 'log'>;

/** Who manages keys: an account, and the short id of the key in use. null if a proxy has named the account. */
interface KeyManager {
  readonly account: Account;
  readonly keyId: string | null;
}

/** A key as its account sees it. */
export interface VisibleKey extends ApiKeySummary {
  /** Whether it is the owner's key, which commands of the same user find in the data folder. */
  readonly isOwners: boolean;
}

/** The answer to a create: the only one that has the key itself. */
export type CreatedKey = NewKey;

/** The answer to a revocation. */
export type RevocationAnswer = RevokedKey;

/** The keys that an account can see: its own; those of all accounts and of workers for the owner. */
export async function listVisibleKeys(
  { setup }: Pick<KeyDeps, 'setup'>,
  account: Account,
): Promise<readonly VisibleKey[]> {
  if (account.id !== defaultAccountId)
    return (await listKeys(setup, account.name)).map((key) => ({ ...key, isOwners: false }));
  const ownersId = await ownerKeyId(setup);
  return (await listKeys(setup)).map((key) => ({ ...key, isOwners: key.id === ownersId }));
}

/**
 * Creates a key of the account; one of another account or of a worker for the owner. Rejects with `InvalidRequestError`,
 * which names each invalid field, with `ForbiddenError` for what only the owner may create, with `NotFoundError` for an
 * unknown account, and with `ConflictError` if there are too many.
 */
export async function createVisibleKey(
  deps: KeyDeps,
  manager: KeyManager,
  body: unknown,
): Promise<CreatedKey> {
  const { setup, accounts, log } = deps;
  const { kind, account, details } = await readKeyRequest(deps, manager, body);
  if (kind === 'worker') requireOwner(manager.account, 'Only the owner of the daemon creates worker keys.');
  if (account !== manager.account.name)
    requireOwner(manager.account, 'Only the owner of the daemon creates keys of other accounts.');
  const known = await listKeys(setup);
  const ofSame = known.filter((key) => (kind === 'worker' ? key.kind === kind : key.account === account));
  if (ofSame.length >= maxKeys)
    throw new VencError(
      'ConflictError',
      `There are ${ofSame.length} keys already, and the page creates at most ${maxKeys}: revoke one first.`,
    );
  const created =
    kind === 'worker'
      ? await createWorkerKey(setup, details)
      : await createKey(setup, account, kind, details);
  await accounts.refresh();
  const whose = kind === 'worker' ? '' : ` of account ${accounts.accountNamed(account)?.id ?? account}`;
  log('info', `Key ${created.id} (${kind})${whose} was created at the page ${by(manager)}.`);
  return created;
}

/**
 * Revokes a key that the account can see. Rejects with `NotFoundError` if there is none, and with `ConflictError` for the
 * owner's key.
 */
export async function revokeVisibleKey(
  { setup, accounts, log }: KeyDeps,
  manager: KeyManager,
  id: string,
): Promise<RevocationAnswer> {
  const isOwner = manager.account.id === defaultAccountId;
  const unknown = () => new VencError('NotFoundError', 'There is no key with this id.');
  const revoked = await revokeKey(setup, id, ({ account, isOwners }) => {
    if (!isOwner && account !== manager.account.name) throw unknown();
    if (isOwners)
      throw new VencError(
        'ConflictError',
        "The owner's key cannot be revoked here, because commands on the machine of the daemon use it: venc keys rotate replaces it.",
      );
  }).catch((error: unknown) => {
    // The hints of the command name the ids of all accounts.
    throw isVencError(error, 'NotFoundError') || isVencError(error, 'UsageError') ? unknown() : error;
  });
  await accounts.refresh();
  log('info', `Key ${id} (${revoked.kind}) was revoked at the page ${by(manager)}.`);
  return revoked;
}

function by({ account, keyId }: KeyManager): string {
  return keyId === null ? `by account ${account.id}, as the proxy says` : `with key ${keyId}`;
}

const kinds = ['full', 'viewer', 'read-only', 'worker'] as const;

/** What a request for a key says. Empty texts mean absent. Rejects with `InvalidRequestError`. */
async function readKeyRequest(
  { setup, now }: Pick<KeyDeps, 'setup' | 'now'>,
  { account: own, keyId }: KeyManager,
  body: unknown,
) {
  const { kind, name = '', expires = '', account = own.name } = isObject(body) ? body : {};
  const known = kinds.find((one) => one === kind);
  const expiry = readOwnExpiry(expires, now());
  const expiresAt = 'expiresAt' in expiry ? expiry.expiresAt : null;
  const managing = (await setup.accounts()).keys.find(({ id }) => id === keyId);
  const lastMs = managing === undefined ? Number.POSITIVE_INFINITY : expiryMsOf(managing);
  const endMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  // A key that ends creates none that lasts longer.
  const isTooLate = 'expiresAt' in expiry && endMs > lastMs;
  const errors = [
    ...(known === undefined ? [`kind must be ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}`] : []),
    ...(typeof account === 'string' ? [] : ['account must be the name of an account']),
    ...(name === '' || (typeof name === 'string' && isValidName(name)) ? [] : [`name ${nameRule}`]),
    ...('problem' in expiry ? [`expires ${expiry.problem}`] : []),
    ...(isTooLate
      ? [`expires must be ${humanTime(managing?.expiresAt ?? null)} at the latest, when your key expires`]
      : []),
  ];
  if (known === undefined || typeof account !== 'string' || errors.length > 0) throw invalidRequest(errors);
  const details: KeyDetails = {
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
  return { kind: known, account, details };
}

function readOwnExpiry(expires: unknown, now: Date) {
  if (expires === '') return { expiresAt: null };
  return typeof expires === 'string' ? readExpiry(expires, now) : { problem: 'must be text' };
}
