import { jobStoreContract } from '../../contracts/job-store.js';
import { createJsonStoreHarness } from '../../helpers/json-store-harness.js';

jobStoreContract('the JSON job store', createJsonStoreHarness);
