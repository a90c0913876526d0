import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { CopyButton } from '../parts/copy-button';
import { Loaded } from '../parts/loaded';
import { rawRecords } from '../parts/values/raw-records';

interface RawRecordsProps {
  readonly id: string;
  readonly asOf: string | undefined;
  /** Another one is another record. */
  readonly version: string;
}

/** Each platform's record as it is sent, numbers included. */
export function RawRecords({ id, asOf, version }: RawRecordsProps): ReactNode {
  const api = useApi();
  const records = useQuery({
    queryKey: ['object', id, asOf, 'text', version],
    queryFn: async ({ signal }) =>
      rawRecords(await api.objectText(id, asOf === undefined ? { signal } : { signal, asOf })),
  });
  return (
    <Loaded query={records} what="the records" rows={10}>
      {(data) => (
        <div className="columns">
          {data.map(({ platform, platformId, deletedAt, text }) => {
            const name = `${platform} ${platformId}`;
            return (
              <div key={name}>
                <div className="page-head">
                  <h2 className="name">
                    {name}
                    {deletedAt !== undefined && ' (gone from the platform)'}
                  </h2>
                  <CopyButton text={text} what={`record of ${platform}`} />
                </div>
                <pre className="json" role="region" aria-label={name} tabIndex={0}>
                  {text}
                </pre>
              </div>
            );
          })}
        </div>
      )}
    </Loaded>
  );
}
