import { receiveUpload } from '../../actions/receive-upload.js';
import type { Handler } from '../handler.js';

/** `PUT /v2/uploads/<name>`, an addition to the document: streams the body to disk. */
export const putUpload: Handler = async (workshop, { params, incoming, signal }, account) => ({
  status: 201,
  record: await receiveUpload(workshop, account.id, { name: params.name ?? '', body: incoming, signal }),
});
