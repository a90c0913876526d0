import { useMutation } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { platforms, type Platform } from '../data/queries';
import { announce } from '../parts/announcer';
import { ErrorNote } from '../parts/error-note';
import { Page } from '../parts/page';
import { readRecord } from '../parts/values/exact-json';
import { wordsOf } from '../parts/words/error-words';
import { placesOf, refusedPaths } from './json-places';
import { MarkedField, MarkedJson } from './marked-text';
import { Report, type SourceField } from './report';
import { SampleButton } from './sample-button';
import { commitmentTypes, entityTypes, type Choice } from './choice';

/** What a record of one platform looks like on the other, and what does not get there. */
export default function TranslateScreen(): ReactNode {
  const api = useApi();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [choice, setChoice] = useState<Choice>({
    source: 'platform_a',
    entityType: 'payment',
    commitmentType: 'WorkOrderContract',
  });
  const [text, setText] = useState('{\n  \n}');
  const [edits, setEdits] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [looked, setLooked] = useState<SourceField>();
  const [refused, setRefused] = useState<ReadonlySet<string>>();
  const { source, entityType, commitmentType } = choice;
  const target = platforms.find((one) => one !== source) ?? source;
  const needsKind = source === 'platform_a' && entityType === 'contract';

  const translate = useMutation({
    mutationFn: (data: Record<string, unknown>) =>
      api.transform({
        source,
        target,
        entity_type: entityType,
        data,
        context: { report: true, ...(needsKind && { commitmentType }) },
      }),
    onMutate: () => {
      setLooked(undefined);
      setRefused(undefined);
    },
  });
  /** Another platform or type: what was translated before is none of it. */
  const choose = (next: Choice): void => {
    setChoice(next);
    setLooked(undefined);
    setRefused(undefined);
    translate.reset();
  };
  const run = (): void => {
    const read = readRecord(text);
    setProblem('problem' in read ? read.problem : undefined);
    if ('record' in read) {
      // These are left out once the person has chosen something else.
      translate.mutate(read.record, {
        onError: (error) => setRefused(refusedPaths(wordsOf(error).sentence)),
        onSuccess: ({ metadata: { report } }) => {
          const lost = report?.values.lost ?? 0;
          announce(lost === 0 ? 'Translated; nothing is lost.' : `Translated; ${lost} values are lost.`);
        },
      });
    } else if (read.at !== undefined) {
      field.current?.focus();
      field.current?.setSelectionRange(read.at, read.at);
    }
  };
  const isRefused = problem !== undefined || translate.error !== null;
  const sourcePlaces = useMemo(
    () => placesOf(text, refused ?? new Set(looked === undefined ? [] : [looked.path])),
    [text, refused, looked],
  );

  return (
    <Page title="Translate">
      <form
        className="scope"
        onSubmit={(event) => {
          event.preventDefault();
          if (!translate.isPending) run();
        }}
      >
        <label htmlFor={`${id}-source`}>
          From
          <select
            id={`${id}-source`}
            value={source}
            onChange={({ target: { value } }) => choose({ ...choice, source: platformOf(value) })}
          >
            {platforms.map((platform) => (
              <option key={platform}>{platform}</option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}-type`}>
          Record
          <select
            id={`${id}-type`}
            value={entityType}
            onChange={({ target: { value } }) =>
              choose({ ...choice, entityType: entityTypes.find((one) => one === value) ?? entityType })
            }
          >
            {entityTypes.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        {needsKind && (
          <label htmlFor={`${id}-kind`}>
            Kind of contract
            <select
              id={`${id}-kind`}
              value={commitmentType}
              onChange={({ target: { value } }) =>
                choose({
                  ...choice,
                  commitmentType: commitmentTypes.find((one) => one === value) ?? commitmentType,
                })
              }
            >
              {commitmentTypes.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
        )}
        <SampleButton
          // A new key for each choice and edit, so that a sample of an earlier choice is dropped, and no sample
          // replaces text that was written since it was requested.
          key={`${source} ${entityType} ${edits}`}
          choice={choice}
          onSample={(sample) => {
            setText(sample);
            setProblem(undefined);
            setLooked(undefined);
            setRefused(undefined);
            translate.reset();
          }}
        />
        <button type="submit" className="primary" aria-disabled={translate.isPending}>
          {translate.isPending ? 'Translating …' : 'Translate'}
        </button>
      </form>
      <div className="columns three">
        <div>
          <h2>
            <label htmlFor={`${id}-data`}>Source, {source}</label>
          </h2>
          <MarkedField
            field={field}
            id={`${id}-data`}
            text={text}
            places={sourcePlaces}
            isRefused={isRefused}
            describedBy={`${id}-problem ${id}-keys`}
            onChange={(next) => {
              setText(next);
              setEdits(edits + 1);
              setLooked(undefined);
              setRefused(undefined);
            }}
            onTranslate={() => {
              if (!translate.isPending) run();
            }}
          />
          <p id={`${id}-keys`} className="quiet">
            JSON as the platform has it; a few fields are enough. Ctrl+Enter translates.
          </p>
          <div id={`${id}-problem`}>
            {problem !== undefined && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            {problem === undefined && translate.error !== null && <ErrorNote error={translate.error} />}
          </div>
        </div>
        <Json title="Canonical" value={translate.data?.canonical} paths={looked?.fields} />
        <Json title={`Target, ${target}`} value={translate.data?.data} paths={looked?.target_paths} />
      </div>
      {translate.data?.metadata.report !== undefined && (
        <Report report={translate.data.metadata.report} onLook={setLooked} />
      )}
    </Page>
  );
}

function platformOf(text: string): Platform {
  return platforms.find((one) => one === text) ?? 'platform_a';
}

interface JsonProps {
  readonly title: string;
  readonly value: unknown;
  /** Of what is marked. */
  readonly paths: readonly string[] | undefined;
}

function Json({ title, value, paths }: JsonProps): ReactNode {
  const text =
    value === undefined ? 'Shows here once the record is translated.' : JSON.stringify(value, null, 2);
  const places = useMemo(
    () => (value === undefined ? [] : placesOf(text, new Set(paths))),
    [text, value, paths],
  );
  return (
    <div>
      <h2>{title}</h2>
      <MarkedJson label={title} text={text} places={places} />
    </div>
  );
}
