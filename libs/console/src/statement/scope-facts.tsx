import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { useTimeZone, type ReadStatement } from '../data/queries';
import { Instant } from '../parts/values/instant';
import { shownZone } from '../parts/values/time-text';
import { labelOf } from '../parts/words/label';
import { typeWords } from '../parts/words/type-words';

interface ProjectTextProps {
  readonly id: string;
  /** The time of the statement; undefined for now. */
  readonly asOf: string | undefined;
}

/** A project by the number and name that it had at the time, once they are known, and its ID. */
function ProjectText({ id, asOf }: ProjectTextProps): ReactNode {
  const api = useApi();
  const { data: project } = useQuery({
    queryKey: ['object', id, asOf],
    queryFn: ({ signal }) => api.object(id, { signal, asOf }),
  });
  const name = project === undefined ? undefined : labelOf(project.data);
  if (name === undefined) return id;
  return (
    <>
      <bdi>{name}</bdi> ({id})
    </>
  );
}

/** What a statement is of, as items of a list of facts: as of when, in which time zone, up to which day, in which currency, of what. */
export function ScopeFacts({ statement }: { readonly statement: ReadStatement }): ReactNode {
  const { entity_type: type } = statement.query;
  const zone = useTimeZone();
  return (
    <>
      <div>
        <dt>As of</dt>
        <dd>
          <Instant at={statement.as_of} />
        </dd>
      </div>
      <div>
        <dt>Times in</dt>
        <dd>{shownZone(zone)}</dd>
      </div>
      <div>
        <dt>Documents through</dt>
        <dd>{statement.through ?? 'all'}</dd>
      </div>
      <div>
        <dt>Currency</dt>
        <dd>{statement.currency}</dd>
      </div>
      {type !== undefined && (
        <div>
          <dt>Type</dt>
          <dd>{typeWords[type]} only</dd>
        </div>
      )}
      {statement.project_id !== null && (
        <div>
          <dt>Project</dt>
          <dd className="name">
            <ProjectText id={statement.project_id} asOf={statement.query.as_of} />
          </dd>
        </div>
      )}
    </>
  );
}
