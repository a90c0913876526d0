import type { components } from '@app/client';
import type { ReactNode } from 'react';
import { platforms } from '../../data/queries';
import { Outcome } from '../../parts/outcome';
import { Table } from '../../parts/tables/table';

/** What a dry run says: for each platform the native fields that would be written, and what would become of it. */
export function Outgoing({ plan }: { readonly plan: components['schemas']['PropagateResult'] }): ReactNode {
  return (
    <>
      {platforms.flatMap((platform) => {
        const entry = plan.propagated[platform];
        if (entry === undefined) return [];
        const { changes = [] } = entry;
        return [
          <div key={platform}>
            <Outcome platform={platform} outcome={entry} isPlan />
            {changes.length > 0 && (
              <Table
                caption={`What goes to ${platform}, in its own words`}
                label={`What goes to ${platform}`}
                columns={[
                  { name: 'Native field', cell: ({ path }) => <code>{path}</code>, isHead: true },
                  {
                    name: 'Value',
                    cell: ({ value }) => <code className="name">{JSON.stringify(value)}</code>,
                  },
                ]}
                rows={changes}
                keyOf={({ path }) => path}
              />
            )}
          </div>,
        ];
      })}
      {plan.warnings?.map(({ rule, field, message }) => (
        <p key={`${rule} ${field}`} className="note warning">
          <span aria-hidden="true">▲ </span>
          {message}
        </p>
      ))}
    </>
  );
}
