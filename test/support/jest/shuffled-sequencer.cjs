// Jest's order of test files, shuffled by `FC_SEED`: any file may come behind any other one in a worker.
const { createHash } = require('node:crypto');

const placeOf = (path) => createHash('sha256').update(`${process.env.FC_SEED} ${path}`).digest('hex');

module.exports = class ShuffledSequencer {
  sort(tests) {
    return [...tests].sort((left, right) => (placeOf(left.path) < placeOf(right.path) ? -1 : 1));
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // The order is not that of earlier durations.
  }
};
