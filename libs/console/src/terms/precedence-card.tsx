import type { components, StoredEntityType } from '@app/client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import type { Platform } from '../data/queries';
import { storedTypeOf, typeWords } from '../parts/words/type-words';
import { TypeOptions } from '../parts/dialogs/type-options';
import { Loaded } from '../parts/loaded';
import { Table } from '../parts/tables/table';
import { TextField } from '../parts/dialogs/text-field';
import { TermDialog } from './term-dialog';
import { precedenceFields } from './precedence-fields';
import { orderText } from './term-words';
import { whyColumns } from './why-columns';

type PrecedenceList = components['schemas']['PrecedenceList'];
type AgreedPrecedence = components['schemas']['AgreedPrecedence'];

/** Whose value counts where the platforms differ, by field. */
export function PrecedenceCard({ may }: { readonly may: boolean }): ReactNode {
  const api = useApi();
  const precedence = useQuery({
    queryKey: ['terms', 'precedence'],
    queryFn: ({ signal }) => api.precedence({ signal }),
  });
  const [sets, setSets] = useState(false);
  const [ends, setEnds] = useState<AgreedPrecedence>();
  return (
    <section className="card" aria-labelledby="precedence">
      <div className="page-head">
        <h2 id="precedence">Precedence</h2>
        {may && precedence.data !== undefined && (
          <button type="button" onClick={() => setSets(true)}>
            Set the order of a field …
          </button>
        )}
      </div>
      <Loaded query={precedence} what="the precedence" rows={3}>
        {({ default_platforms: byDefault, precedence: agreed }) => (
          <>
            <p>
              Where the platforms differ, values count in this order: {orderText([], byDefault)}. But for
              these fields:
            </p>
            <Table
              caption="Fields with an order of their own"
              label="Fields with an order of their own"
              columns={[
                { name: 'Type', cell: ({ entity_type: type }) => wordsOf(type) },
                { name: 'Field', cell: ({ field }) => <code>{field}</code>, isHead: true },
                { name: 'Counts first', cell: ({ platforms }) => orderText(platforms, byDefault) },
                ...whyColumns<AgreedPrecedence>(({ since }) => since),
                ...(may
                  ? [
                      {
                        name: 'Change',
                        cell: (one: AgreedPrecedence) => (
                          <button type="button" onClick={() => setEnds(one)}>
                            Back to default …
                            <span className="hidden"> {`${one.entity_type} ${one.field}`}</span>
                          </button>
                        ),
                      },
                    ]
                  : []),
              ]}
              rows={agreed}
              keyOf={({ entity_type: type, field }) => `${type} ${field}`}
              empty="No field has one."
            />
          </>
        )}
      </Loaded>
      {sets && precedence.data !== undefined && (
        <SetPrecedence list={precedence.data} onClose={() => setSets(false)} />
      )}
      {ends !== undefined && (
        <TermDialog
          title="Go back to the default order?"
          act="Go back"
          send={(why) => api.clearPrecedence(storedType(ends.entity_type), ends.field, why)}
          done={`${wordsOf(ends.entity_type)}, ${ends.field}: the default order from now on.`}
          onClose={() => setEnds(undefined)}
        >
          <p>
            {wordsOf(ends.entity_type)}, <code>{ends.field}</code>: the value of{' '}
            <strong>{orderText([], precedence.data?.default_platforms ?? [])}</strong> counts from now on.
          </p>
        </TermDialog>
      )}
    </section>
  );
}

interface SetPrecedenceProps {
  readonly list: PrecedenceList;
  readonly onClose: () => void;
}

function SetPrecedence({ list, onClose }: SetPrecedenceProps): ReactNode {
  const api = useApi();
  const id = useId();
  const { default_platforms: byDefault } = list;
  const [type, setType] = useState<StoredEntityType>('invoice');
  const [field, setField] = useState('');
  const [first, setFirst] = useState<Platform>(byDefault.at(-1) ?? 'platform_b');
  const held = list.precedence.find((one) => one.entity_type === type && one.field === field.trim());
  return (
    <TermDialog
      title="Set the order of a field"
      act="Set the order"
      send={(why) => api.setPrecedence(type, field.trim(), { platforms: [first], ...why })}
      done={`${typeWords[type]}, ${field.trim()}: ${orderText([first], byDefault)} from now on.`}
      onClose={onClose}
    >
      <label htmlFor={`${id}-type`}>
        Type
        <select id={`${id}-type`} value={type} onChange={({ target }) => setType(storedType(target.value))}>
          <TypeOptions />
        </select>
      </label>
      <TextField
        label="Field"
        value={field}
        onChange={setField}
        required
        offers={precedenceFields[type]}
        hint="Type a part of its name, or choose one. References take no precedence."
      />
      <label htmlFor={`${id}-first`}>
        Counts first
        <select
          id={`${id}-first`}
          value={first}
          onChange={({ target }) => setFirst(byDefault.find((one) => one === target.value) ?? first)}
        >
          {byDefault.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <p>
        <strong>{orderText([first], byDefault)}</strong> from now on.{' '}
        {held !== undefined && <>Until now {orderText(held.platforms, byDefault)}; that ends.</>}
      </p>
    </TermDialog>
  );
}

/** Types come from the service as text. */
function storedType(text: string): StoredEntityType {
  const type = storedTypeOf(text);
  if (type === undefined) throw new Error(`${text} is no stored type`);
  return type;
}

function wordsOf(type: string): string {
  return typeWords[storedType(type)];
}
