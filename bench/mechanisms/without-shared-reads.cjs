'use strict';
// Every request for a page reads it by itself.
require('../../dist/src/objects/listing/coalesced-reads.js').CoalescedReads.prototype.run = (
  _key,
  gone,
  work,
) => work(gone);
