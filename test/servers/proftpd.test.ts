import { ftpContract } from '../contracts/transport/ftp-contract.js';
import { startProftpd } from '../helpers/servers/proftpd.js';

await ftpContract('proftpd', await startProftpd());
