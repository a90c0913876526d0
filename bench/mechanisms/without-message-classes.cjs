'use strict';
// Node's own classes of messages, as Express gets them without `messageClasses`.
require('reflect-metadata');
const { IncomingMessage, ServerResponse } = require('node:http');

require('../../dist/src/common/server/message-classes.js').messageClasses = () => ({
  IncomingMessage,
  ServerResponse,
});
