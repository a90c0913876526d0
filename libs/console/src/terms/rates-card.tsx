import type { components } from '@app/client';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { Loaded } from '../parts/loaded';
import { rateText } from '../parts/words/rate-text';
import { Table } from '../parts/tables/table';
import { TextField } from '../parts/dialogs/text-field';
import { TermDialog } from './term-dialog';
import { whyColumns } from './why-columns';

type AgreedRate = components['schemas']['AgreedRate'];

/** What the person is about to do: set a rate, perhaps in place of one, or end one. */
type Act =
  | { readonly does: 'set'; readonly rate?: AgreedRate }
  | { readonly does: 'remove'; readonly rate: AgreedRate };

/** The rates that were agreed with the customer. */
export function RatesCard({ may }: { readonly may: boolean }): ReactNode {
  const api = useApi();
  const rates = useQuery({
    queryKey: ['terms', 'rates'],
    queryFn: ({ signal }) => api.rates({ signal }),
  });
  const [act, setAct] = useState<Act>();
  const close = (): void => setAct(undefined);
  return (
    <section className="card" aria-labelledby="rates">
      <div className="page-head">
        <h2 id="rates">Rates</h2>
        {may && (
          <button type="button" onClick={() => setAct({ does: 'set' })}>
            Agree on a rate …
          </button>
        )}
      </div>
      <Loaded query={rates} what="the rates" rows={3}>
        {(data) => (
          <Table
            caption="Agreed with the customer"
            label="Agreed rates"
            columns={[
              { name: 'Rate', cell: rateText, isHead: true },
              ...whyColumns<AgreedRate>(({ set_at: at }) => at),
              ...(may
                ? [{ name: 'Change', cell: (rate: AgreedRate) => <Acts rate={rate} onAct={setAct} /> }]
                : []),
            ]}
            rows={data}
            keyOf={({ from, to }) => `${from} ${to}`}
            empty="No rate is agreed. Official pegs count, and amounts in other currencies are in no sum."
          />
        )}
      </Loaded>
      {act?.does === 'set' && <SetRate known={rates.data ?? []} before={act.rate} onClose={close} />}
      {act?.does === 'remove' && (
        <TermDialog
          title="Remove the rate?"
          act="Remove"
          send={(why) => api.removeRate(act.rate.from, act.rate.to, why)}
          done={`The rate of ${act.rate.from} to ${act.rate.to} was removed.`}
          onClose={close}
        >
          <p>
            <strong>{rateText(act.rate)}</strong> ends. Without a rate, and without an official peg, amounts
            in these currencies cannot be compared.
          </p>
        </TermDialog>
      )}
    </section>
  );
}

function Acts({ rate, onAct }: { readonly rate: AgreedRate; readonly onAct: (act: Act) => void }): ReactNode {
  const pair = <span className="hidden"> {`${rate.from} to ${rate.to}`}</span>;
  return (
    <div className="actions">
      <button type="button" onClick={() => onAct({ does: 'set', rate })}>
        Change …{pair}
      </button>
      <button type="button" onClick={() => onAct({ does: 'remove', rate })}>
        Remove …{pair}
      </button>
    </div>
  );
}

interface SetRateProps {
  readonly known: readonly AgreedRate[];
  /** The rate that is changed; undefined for a pair that the person names. */
  readonly before: AgreedRate | undefined;
  readonly onClose: () => void;
}

function SetRate({ known, before, onClose }: SetRateProps): ReactNode {
  const api = useApi();
  const [from, setFrom] = useState(before?.from ?? '');
  const [to, setTo] = useState(before?.to ?? '');
  const [rate, setRate] = useState('');
  const wanted = { from: from.trim().toUpperCase(), to: to.trim().toUpperCase(), rate: rate.trim() };
  const held = known.find((one) => one.from === wanted.from && one.to === wanted.to);
  return (
    <TermDialog
      title={before === undefined ? 'Agree on a rate' : `Change the rate of ${before.from} to ${before.to}`}
      act="Set the rate"
      send={(why) => api.setRate({ ...wanted, ...why })}
      done={`${rateText(wanted)} from now on.`}
      onClose={onClose}
    >
      {before === undefined && (
        <>
          <TextField
            label="One unit of"
            value={from}
            onChange={setFrom}
            maxLength={3}
            required
            hint="Such as USD."
          />
          <TextField
            label="In units of"
            value={to}
            onChange={setTo}
            maxLength={3}
            required
            hint="Such as QAR."
          />
        </>
      )}
      <TextField
        label="Rate"
        value={rate}
        onChange={setRate}
        maxLength={40}
        required
        hint="A decimal number with a point, such as 3.64."
      />
      <p aria-live="polite">
        {isWhole(wanted) && (
          <>
            <strong>{rateText(wanted)}</strong> from now on.{' '}
          </>
        )}
        {held !== undefined && <>Until now {rateText(held)}; that ends.</>}
      </p>
    </TermDialog>
  );
}

/** Whether the fields are complete enough to be shown as a sentence. The service checks the values. */
function isWhole({
  from,
  to,
  rate,
}: {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
}): boolean {
  return from.length === 3 && to.length === 3 && rate !== '';
}
