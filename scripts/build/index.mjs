// The entry point of the package for `import 'venc'`.
export {
  compare,
  configure,
  EncodeError,
  encode,
  InputError,
  InvalidRequestError,
  OutputError,
  plan,
  probe,
  thumbnails,
  UnavailableError,
  VencError,
} from './index.cjs';
