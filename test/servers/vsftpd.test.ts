import { ftpContract } from '../contracts/transport/ftp-contract.js';
import { startVsftpd } from '../helpers/servers/vsftpd.js';

await ftpContract('vsftpd', await startVsftpd());
