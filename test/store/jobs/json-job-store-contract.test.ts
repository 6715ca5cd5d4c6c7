import { jobStoreContract } from '../../contracts/job-store.js';
import { jsonStoreRoom } from '../../helpers/store-room.js';

jobStoreContract('the JSON job store', jsonStoreRoom);
