import { VencError } from '../../src/shared/errors.js';
import { fileReply } from './file-reply.js';
import type { PublicRouteHandler } from './request-context.js';

/**
 * `GET /hosted/<token>/<file>`: a hosted output, whole or a range; 304 if the client has it already, 410 after 24 hours. Needs no key.
 */
export const getHosted: PublicRouteHandler = async (appContext, requestContext) => {
  const { token = '', name = '' } = requestContext.params;
  const file = await appContext.hosted.find({ token, name });
  if (file.state === 'gone')
    throw new VencError('GoneError', 'This file was hosted for 24 hours and has been removed.');
  if (file.state === 'unknown')
    throw new VencError('NotFoundError', 'There is no hosted file at this address.');
  return fileReply(requestContext, { ...file, name });
};
