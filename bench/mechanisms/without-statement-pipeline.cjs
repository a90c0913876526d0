'use strict';
// Every statement takes a separate round trip.
const { StatementPipeline } = require('../../dist/src/database/connection/statement-pipeline.js');

const { startBatch } = StatementPipeline.prototype;
StatementPipeline.prototype.startBatch = function (waiting, evenEmpty) {
  if (this.inFlight !== undefined) return;
  const [first, ...others] = waiting;
  startBatch.call(this, first === undefined ? [] : [first], evenEmpty);
  this.queued = [...this.queued, ...others];
};
