import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useApi } from '../data/api';

/** As many as a list under a field shows well. */
const FOUND = 20;

/** The project of a statement: words find projects by number or name, and a choice puts the ID of one into the field. */
export function ProjectField({ project }: { readonly project: string | undefined }): ReactNode {
  const api = useApi();
  const id = useId();
  const [words, setWords] = useState('');
  const found = useQuery({
    queryKey: ['projects', words],
    queryFn: ({ signal }) => api.findObjects({ entity_type: 'project', q: words, limit: FOUND }, { signal }),
    enabled: words.trim() !== '',
    placeholderData: (before) => before,
  });
  return (
    <label htmlFor={id}>
      Project
      <input
        id={id}
        name="project_id"
        list={`${id}-found`}
        defaultValue={project}
        placeholder="all"
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setWords(target.value)}
      />
      <datalist id={`${id}-found`}>
        {found.data?.data.map(({ canonical_id: one, data }) => (
          <option key={one} value={one} label={data.object === 'project' ? nameOf(data) : one} />
        ))}
      </datalist>
    </label>
  );
}

interface Named {
  readonly number?: string | null | undefined;
  readonly name?: string | null | undefined;
}

/** A project by its number and name. */
function nameOf({ number, name }: Named): string {
  return [number, name].filter((part) => part != null && part !== '').join(' · ');
}
