import type { ConnectionTest } from '../../connector';
import { ApiError } from '../../../common/errors/api-error';
import { companyUrl, setUrl, withOptions } from '../addresses';
import type { Session } from '../session';
import { beginningOf } from './list-place';
import { readPage } from './read-list';
import { NotPermitted } from './records-in';
import { journalsOf } from './targets';

/**
 * Tries a connection: a token, a page of customers, and the journal of payments. Platform errors are returned, not
 * thrown.
 */
export async function tryConnection(
  open: () => Promise<Session>,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  let part = 'customers';
  try {
    const session = await open();
    const { settings } = session;
    const one = { top: '1', select: 'id' };
    const customers = withOptions(`${companyUrl(settings)}/customers`, one);
    await readPage(session, beginningOf(customers, 1), signal);
    part = 'customerPaymentJournals';
    const journals = await journalsOf(session, signal);
    const [first] = journals;
    if (first === undefined) {
      const which =
        settings.journal === undefined ? 'no journal of payments' : `no journal ${settings.journal}`;
      return failed(`platform_b answers, and has ${which}`);
    }
    part = `customerPayments of journal ${first.code}`;
    const payments = withOptions(setUrl(settings, 'payment'), {
      ...one,
      filter: `journalId eq ${first.id}`,
    });
    await readPage(session, beginningOf(payments, 1), signal);
    return { ok: true, message: 'platform_b answers: customers and payments can be read' };
  } catch (error) {
    if (error instanceof NotPermitted)
      return failed(`platform_b does not let ${part} be read (${error.status})`);
    if (error instanceof ApiError) return failed(error.message);
    throw error;
  }
}

function failed(message: string): ConnectionTest {
  return { ok: false, message };
}
