import { copyQuery } from './copy-rows';

describe('the SQL that reads rows of records', () => {
  it.each([
    ['of now', undefined],
    ['of a time', '$2'],
  ])(
    'names the customer for each table that it joins, so that a cluster asks one server: %s',
    (_name, at) => {
      const [, ...joined] = copyQuery(undefined, at).joins.split(/\bjoin\b/);
      expect(joined.length).toBeGreaterThan(0);
      for (const one of joined) expect(one).toMatch(/\bon \w\.customer_id = \$1 and\b/);
    },
  );
});
