'use strict';
// Every DTO is read by Nest's own pipe.
require('reflect-metadata');
require('../../dist/src/common/validation/fast-path.js').fastPathOf = () => undefined;
