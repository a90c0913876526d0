'use strict';
// Each response is sent when it ends.
require('../../dist/src/common/response/socket/end-of-turn.js').sendTogether = () => undefined;
