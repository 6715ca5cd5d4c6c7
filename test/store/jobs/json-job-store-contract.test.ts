import { jobStoreContract } from '../../contracts/job-store.js';
import { createJsonStoreHarness } from '../../helpers/store-room.js';

jobStoreContract('the JSON job store', createJsonStoreHarness);
