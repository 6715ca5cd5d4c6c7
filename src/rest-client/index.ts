export {
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  ServiceError,
  SignatureError,
  TimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
  UnavailableError,
  VencError,
} from './errors.js';
export { Venc } from './venc.js';
export { verifyNotification } from './verify-notification.js';
