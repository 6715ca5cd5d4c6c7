/** User and secret of a server or a storage service. */
export interface Credential {
  readonly user: string;
  readonly secret: string;
}

/** What a URL needs credentials for. */
export interface CredentialRequest {
  readonly accountId: string;
  /** The scheme of the URL. */
  readonly scheme: string;
  /** The name in the request (`credentials`); null without one. */
  readonly name: string | null;
}

/** Why credentials cannot be used. */
interface CredentialProblem {
  /** Whether the account has no credentials of this name; otherwise they are for another scheme. */
  readonly isMissing: boolean;
  /** A sentence without subject. */
  readonly message: string;
}

/** The problem of a name that the account does not have. */
export const missingCredentials: CredentialProblem = {
  isMissing: true,
  message: 'names credentials that this account does not have',
};

/** The credentials that accounts have saved in the data folder (`venc credentials`). */
export interface SavedCredentials {
  /** Why a request cannot name these credentials; null if it can, or names none. */
  check(request: CredentialRequest): Promise<CredentialProblem | null>;
  /**
   * The named credentials, or, without a name or if they are for another scheme, the default ones of the account for
   * the scheme; null if there are none. Rejects with `InvalidUsernameOrPasswordError` if the named ones do not exist
   * any more.
   */
  find(request: CredentialRequest): Promise<Credential | null>;
}

/** Saved credentials of a run without a data folder that lasts: there are none. */
export const noSavedCredentials: SavedCredentials = {
  check: async ({ name }) => (name === null ? null : missingCredentials),
  find: async () => null,
};
