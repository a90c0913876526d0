import { refuseEscapedSlashes } from './escaped-slashes';

describe('a slash in a filter', () => {
  it.each([
    "$filter=number eq 'A%2F1'",
    '%24filter=number%20eq%20%27A%2f1%27',
    "$top=1&$filter=number eq 'A' or number eq 'B''%2F'",
  ])('breaks it where it is escaped in a value: %s', (query) => {
    expect(() => {
      refuseEscapedSlashes(query);
    }).toThrow(expect.objectContaining({ status: 400, code: 'Application_FilterErrorException' }));
  });

  it.each(["$filter=number eq 'A/1'", '$orderby=a%2Fb', "$filter=number eq 'A'&$skiptoken='a%2Fb'", ''])(
    'is no trouble elsewhere: %s',
    (query) => {
      expect(() => {
        refuseEscapedSlashes(query);
      }).not.toThrow();
    },
  );
});
