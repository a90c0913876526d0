import type { Page } from 'playwright-core';
import { api } from '../app/api';
import type { RunningApp } from '../app/app';
import { compared } from '../customers/compared';

/** What the screens are looked at with: the key of a customer whose screens have something on them, and of one that has nothing. */
export interface Books {
  readonly filled: string;
  readonly empty: string;
  /** A case of the books that are filled. */
  readonly caseId: string;
  /** An object of theirs on which the platforms differ. */
  readonly contract: string;
}

/** Fills the books of a customer so that each screen has something to show, and makes another customer. */
export async function makeBooks(app: RunningApp): Promise<Books> {
  const { key: filled } = await app.openSession();
  const { key: empty } = await app.openSession();
  const call = api(app.url, filled);
  for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
  const { body } = await call.get('/objects?q=PO-DCH&entity_type=contract&status=approved');
  const contract = body.data[0].canonical_id as string;
  const title = { title: 'Podium Glazing' };
  const change = { format: 'canonical', entity_type: 'contract', canonical_id: contract, data: title };
  await call.post('/propagate', change);
  await compared(call);
  const { body: cases } = await call.get('/reconciliation/cases?kind=only_on&limit=1');
  await decide(app, filled);
  await sign(app, filled);
  await call.send('PUT', '/rates', { body: { from: 'EUR', to: 'USD', rate: '1.08' } });
  return { filled, empty, contract, caseId: cases.data[0].id as string };
}

/** Says of two contracts that they are not the same: it changes no case. */
async function decide({ url }: RunningApp, key: string): Promise<void> {
  const call = api(url, key);
  const recordOf = async (platform: string): Promise<object> => {
    const query = `kind=only_on&entity_type=contract&platform=${platform}&limit=1`;
    const { platform_id } = (await call.get(`/reconciliation/cases?${query}`)).body.data[0].records[0];
    return { platform, platform_id };
  };
  const records = [await recordOf('platform_a'), await recordOf('platform_b')];
  const why = { reason: 'Seen on paper', decided_by: 'Omar' };
  const body = { decision: 'not_same', entity_type: 'contract', records, ...why };
  expect((await call.post('/reconciliation/decisions', body)).status).toBe(200);
  await compared(call);
}

/** Puts a name under the statement. */
async function sign({ url }: RunningApp, key: string): Promise<void> {
  const { data } = (await api(url, key).get('/reconciliation')).body as {
    data: { as_of: string; currency: string; digest: string };
  };
  const { as_of, currency, digest } = data;
  const body = { as_of, currency, digest, role: 'prepared', signed_by: 'Mariam' };
  expect((await api(url, key).post('/reconciliation/signoffs', body)).status).toBe(200);
}

/** A screen, and how to tell that it shows what it has in each state. */
export interface Screen {
  /** The part of the address behind `/console`; a function where it depends on the books. */
  readonly at: string | ((books: Books) => string);
  readonly filled: (page: Page) => Promise<unknown>;
  readonly empty: (page: Page) => Promise<unknown>;
  /** Whether the screen is of a thing that is not there when it is empty. */
  readonly refuses?: true;
  /** The call that fails for the state of an error, and what makes it. */
  readonly fails: string;
  readonly fail?: (page: Page) => Promise<unknown>;
}

export const addressOf = ({ at }: Screen, books: Books): string => (typeof at === 'string' ? at : at(books));

const translate = (page: Page) => page.getByRole('button', { name: 'Translate' }).click();

/** Every screen behind the entry. */
export const screens: Readonly<Record<string, Screen>> = {
  Statement: {
    at: '#/',
    filled: async (page) => {
      await page.getByText('1 USD = 3.64 QAR').waitFor();
      await page.getByRole('table', { name: 'Exactly these figures' }).waitFor();
    },
    empty: (page) => page.getByRole('heading', { name: 'No platform is connected' }).waitFor(),
    fails: '**/api/v1/reconciliation*',
  },
  'Sign-offs': {
    at: '#/signoffs',
    filled: (page) => page.getByRole('link', { name: 'Mariam' }).waitFor(),
    empty: (page) => page.getByText('Nobody has signed a statement.').waitFor(),
    fails: '**/api/v1/reconciliation/signoffs*',
  },
  Terms: {
    at: '#/terms',
    filled: (page) => page.getByText('1 EUR = 1.08 USD').waitFor(),
    empty: async (page) => {
      await page.getByText('No rate is agreed.').waitFor();
      await page.getByText('Payments of an invoice above its amount').waitFor();
    },
    fails: '**/api/v1/rules',
  },
  Cases: {
    at: '#/cases',
    filled: (page) => page.getByRole('checkbox').first().check(),
    empty: (page) => page.getByText('No case is open').waitFor(),
    fails: '**/api/v1/reconciliation/cases*',
  },
  Decide: {
    at: ({ caseId }) => `#/cases/${caseId}`,
    filled: (page) => page.getByText(/^History and notes/).click(),
    empty: (page) => page.getByText('No case has this ID').waitFor(),
    refuses: true,
    fails: '**/api/v1/reconciliation/cases/*',
  },
  Decisions: {
    at: '#/decisions?status=all',
    filled: (page) => page.getByRole('button', { name: /^Withdraw …/ }).waitFor(),
    empty: (page) => page.getByText('No decision is like this.').waitFor(),
    fails: '**/api/v1/reconciliation/decisions*',
  },
  Connections: {
    at: '#/connections',
    filled: (page) => page.getByText('36', { exact: true }).waitFor(),
    empty: (page) => page.getByText('Not connected.').first().waitFor(),
    fails: '**/api/v1/connections',
  },
  'the finder': {
    at: '#/objects?q=INV-2025&type=invoice',
    filled: (page) =>
      page
        .getByRole('link', { name: /^INV-2025/ })
        .first()
        .waitFor(),
    empty: (page) => page.getByText(/^No such object/).waitFor(),
    fails: '**/api/v1/objects?*',
  },
  Object: {
    at: ({ contract }) => `#/objects/${contract}`,
    filled: (page) => page.getByRole('button', { name: /^Keep platform_a/ }).waitFor(),
    empty: (page) => page.getByText('NOT_FOUND').waitFor(),
    refuses: true,
    fails: '**/api/v1/objects/*',
  },
  Changes: {
    at: '#/changes',
    filled: (page) => page.getByText('1 change, newest first').waitFor(),
    empty: (page) => page.getByText(/^Nothing was changed/).waitFor(),
    fails: '**/api/v1/propagations*',
  },
  Translate: {
    at: '#/translate',
    filled: async (page) => {
      await page.getByRole('button', { name: 'Load a sample' }).click();
      await page
        .getByLabel(/^Source/)
        .getByText('check_number')
        .waitFor();
      await translate(page);
      await page.getByRole('table', { name: 'What became of each field' }).waitFor();
    },
    empty: (page) => page.getByLabel(/^Source/).waitFor(),
    fails: '**/api/v1/transform',
    fail: translate,
  },
};
