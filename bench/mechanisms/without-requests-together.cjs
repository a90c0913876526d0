'use strict';
// Each request begins when its head has been parsed.
require('../../dist/src/common/server/begin-together.js').beginTogether = (begin) => begin();
