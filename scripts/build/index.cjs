// The entry point of the package for `require('venc')`. index.mjs exports the same, so that both share one state.
const library = require('./launch.cjs').library();

// In this form, other tools find the names.
exports.encode = library.encode;
exports.plan = library.plan;
exports.probe = library.probe;
exports.compare = library.compare;
exports.thumbnails = library.thumbnails;
exports.configure = library.configure;
exports.VencError = library.VencError;
exports.InvalidRequestError = library.InvalidRequestError;
exports.InputError = library.InputError;
exports.EncodeError = library.EncodeError;
exports.OutputError = library.OutputError;
exports.UnavailableError = library.UnavailableError;
