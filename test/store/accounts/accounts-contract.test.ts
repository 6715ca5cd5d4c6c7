import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAccounts } from '../../../daemon/store/accounts/accounts.js';
import { hasAllSecrets, readAccountsDocument } from '../../../daemon/store/accounts/accounts-document.js';
import { folderSetup } from '../../../daemon/store/accounts/folder-setup.js';
import { keyUsesDocument } from '../../../daemon/store/accounts/key-use-recorder.js';
import { accountStoreContract } from '../../contracts/account-store.js';
import { tempFolder } from '../../helpers/temp.js';

accountStoreContract('the JSON account store', async () => {
  const folder = tempFolder();
  const file = join(folder, 'accounts.json');
  const text = () => readFile(file, 'utf8');
  return {
    text,
    open: () => openAccounts(folderSetup(folder), { log: () => undefined }),
    async stored() {
      const document = readAccountsDocument(JSON.parse(await text()));
      if (document === null || !hasAllSecrets(document))
        throw new Error(`${file} is not an accounts document`);
      return document;
    },
    keyUses: () => keyUsesDocument(join(folder, 'key-uses.json')).load(),
    // Completely, under a new inode.
    async replace(document) {
      await writeFile(`${file}.new`, JSON.stringify(document));
      await rename(`${file}.new`, file);
    },
  };
});
