'use strict';
// Every request looks its key up in the database.
require('reflect-metadata');
require('../../dist/src/auth/callers/caller-cache.js').CallerCache.prototype.find = () => undefined;
