import { DatabaseError } from 'pg';
import { DatabaseUnavailable, isDatabaseFailure, sqlStateOf, statementFailed } from './database-errors';

/** An error as the driver makes it from what the server sent. */
function serverError(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { severity: 'ERROR', code });
}

describe('sqlStateOf', () => {
  it.each([
    ['bare', (error: Error) => error],
    ['inside an error of TypeORM', (error: Error) => statementFailed('insert', error)],
  ])('reads an error of the server, %s', (_how, wrap) => {
    expect(sqlStateOf(wrap(serverError('23505')))).toBe('23505');
  });

  it.each([
    ['an error of the system', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })],
    ['another error', new DatabaseUnavailable('gone', { cause: serverError('57P01') })],
    ['no error', { code: '23505' }],
    ['nothing', undefined],
  ])('finds nothing in %s', (_what, error) => {
    expect(sqlStateOf(error)).toBeUndefined();
  });
});

describe('isDatabaseFailure', () => {
  it.each(['08006', '25006', '25P03', '53100', '53300', '57014', '57P01', '57P02', '57P03', '58030'])(
    'is true of %s',
    (code) => expect(isDatabaseFailure(serverError(code))).toBe(true),
  );

  it.each(['23505', '23503', '25P02', '40001', '40P01', '42601', '54000', '55P03', 'P0001', 'XX000'])(
    'is false of %s',
    (code) => expect(isDatabaseFailure(serverError(code))).toBe(false),
  );
});
