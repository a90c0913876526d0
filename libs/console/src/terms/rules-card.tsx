import type { components } from '@app/client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { Loaded } from '../parts/loaded';
import { Table } from '../parts/tables/table';
import { TermDialog } from './term-dialog';
import { levelsOf, levelWords, ruleWords } from './term-words';
import { whyColumns } from './why-columns';

type Rule = components['schemas']['Rule'];

/** What becomes of changes that break a rule, and when missing records are created. */
export function RulesCard({ may }: { readonly may: boolean }): ReactNode {
  const api = useApi();
  const rules = useQuery({
    queryKey: ['terms', 'rules'],
    queryFn: ({ signal }) => api.rules({ signal }),
  });
  const [act, setAct] = useState<{ readonly does: 'set' | 'clear'; readonly rule: Rule }>();
  const close = (): void => setAct(undefined);
  return (
    <section className="card" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <Loaded query={rules} what="the rules" rows={5}>
        {(data) => (
          <Table
            caption="What becomes of a change"
            label="What becomes of a change"
            columns={[
              {
                name: 'Rule',
                cell: ({ rule }) => <div className="titled">{ruleWords[rule]}</div>,
                isHead: true,
              },
              { name: 'Level', cell: ({ level }) => <div className="explained">{levelWords[level]}</div> },
              ...whyColumns<Rule>(({ since }) => since),
              ...(may
                ? [
                    {
                      name: 'Change',
                      cell: (rule: Rule) => (
                        <div className="actions">
                          <button type="button" onClick={() => setAct({ does: 'set', rule })}>
                            Change …<span className="hidden"> {rule.rule}</span>
                          </button>
                          {rule.since !== null && (
                            <button type="button" onClick={() => setAct({ does: 'clear', rule })}>
                              Back to default …<span className="hidden"> {rule.rule}</span>
                            </button>
                          )}
                        </div>
                      ),
                    },
                  ]
                : []),
            ]}
            rows={data}
            keyOf={({ rule }) => rule}
          />
        )}
      </Loaded>
      {act?.does === 'set' && <SetRule rule={act.rule} onClose={close} />}
      {act?.does === 'clear' && (
        <TermDialog
          title="Go back to the default level?"
          act="Go back"
          send={(why) => api.clearRule(act.rule.rule, why)}
          done={`${ruleWords[act.rule.rule]}: the default level from now on.`}
          onClose={close}
        >
          <p>{ruleWords[act.rule.rule]}.</p>
          <p>Until now: {levelWords[act.rule.level]}. That ends.</p>
        </TermDialog>
      )}
    </section>
  );
}

function SetRule({
  rule: { rule, level: held },
  onClose,
}: {
  readonly rule: Rule;
  readonly onClose: () => void;
}): ReactNode {
  const api = useApi();
  const id = useId();
  const levels = levelsOf(rule);
  const [level, setLevel] = useState(held);
  return (
    <TermDialog
      title="Change the level of a rule"
      act="Set the level"
      send={(why) => api.setRule(rule, { level, ...why })}
      done={`${ruleWords[rule]}: ${levelWords[level]}, from now on.`}
      onClose={onClose}
    >
      <p>{ruleWords[rule]}.</p>
      <label htmlFor={`${id}-level`}>
        Level
        <select
          id={`${id}-level`}
          value={level}
          onChange={({ target }) => setLevel(levels.find((one) => one === target.value) ?? held)}
        >
          {levels.map((one) => (
            <option key={one} value={one}>
              {levelWords[one]}
            </option>
          ))}
        </select>
      </label>
      <p>Until now: {levelWords[held]}.</p>
    </TermDialog>
  );
}
