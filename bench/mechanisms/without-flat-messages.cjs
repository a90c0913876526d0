'use strict';
// Node's own classes of messages, as Express gets them without `flatMessages`.
require('reflect-metadata');
const { IncomingMessage, ServerResponse } = require('node:http');

require('../../dist/src/common/validation/flat-messages.js').flatMessages = () => ({
  IncomingMessage,
  ServerResponse,
});
