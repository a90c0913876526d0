'use strict';
// Every page of a listing is read and made again.
require('reflect-metadata');
require('../../dist/src/objects/listing/fair-cache.js').FairCache.prototype.get = () => undefined;
