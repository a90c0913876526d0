import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import { labelOf } from '../parts/words/label';

/** As many as a list under a field shows well. */
const FOUND = 20;

/** The form of an ID. Whether it is that of a project, the service says. */
const AN_ID = /^[a-z]+_[0-9a-f]{32}$/;

const REFUSAL = 'Words have to find exactly one project.';

/**
 * The project of a statement. Words find projects by number or name; a choice among several puts the ID of one into the field, and
 * words that one project alone has stand for it. With other words the form is not sent.
 */
export function ProjectField({ project }: { readonly project: string | undefined }): ReactNode {
  const api = useApi();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(project ?? '');
  const words = text.trim();
  const isAsked = words !== '' && words !== project && !AN_ID.test(words);
  const found = useQuery({
    queryKey: ['projects', words],
    queryFn: ({ signal }) => api.findObjects({ entity_type: 'project', q: words, limit: FOUND }, { signal }),
    enabled: isAsked,
    placeholderData: (before) => before,
  });
  const rows = (isAsked ? found.data?.data : undefined) ?? [];
  const isOne = rows.length === 1 && found.data?.next_cursor === null && !found.isPlaceholderData;
  const only = isOne ? rows[0] : undefined;
  const refusal = isAsked && only === undefined ? REFUSAL : '';
  useEffect(() => field.current?.setCustomValidity(refusal), [refusal]);
  return (
    <label htmlFor={id}>
      Project
      <input
        ref={field}
        id={id}
        list={`${id}-found`}
        defaultValue={project}
        placeholder="all"
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
      <input type="hidden" name="project_id" value={only?.canonical_id ?? words} />
      <datalist id={`${id}-found`}>
        {rows.map(({ canonical_id: one, data }) => (
          <option key={one} value={one} label={labelOf(data) ?? one} />
        ))}
      </datalist>
    </label>
  );
}
