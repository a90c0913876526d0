'use strict';
// Every request looks its key up in the database; requests that wait at the same time share a lookup, as always.
// Admission still knows whose turn a request takes.
require('reflect-metadata');
require('../../dist/src/auth/callers/caller-lookup.js').CallerLookup.prototype.find = function (
  hash,
  address,
) {
  return this.lookUp(hash, address());
};
