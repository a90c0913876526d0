import type { ReactNode } from 'react';
import { countText } from '../parts/values/money-text';
import { CopyButton } from '../parts/copy-button';
import { Table, type Column } from '../parts/tables/table';
import { curlOf } from './curl';
import { KEPT_CALLS, useCalls, type Call } from './request-log';

const columns: readonly Column<Call>[] = [
  { name: 'Call', cell: ({ request, path }) => <code>{`${request.method} ${path}`}</code>, isHead: true },
  { name: 'Status', cell: statusText },
  {
    name: 'ms',
    cell: ({ milliseconds }) => (milliseconds === undefined ? '…' : countText(milliseconds)),
    isNumber: true,
  },
  { name: 'Request', cell: ({ requestId }) => <code>{requestId}</code> },
  {
    name: 'As curl',
    cell: ({ request, number }) => <CopyButton text={curlOf(request)} what={`command of call ${number}`} />,
  },
];

function statusText({ status, milliseconds, replayed }: Call): string {
  if (status === undefined) return milliseconds === undefined ? 'under way' : 'no answer';
  return replayed ? `${status}, replayed` : String(status);
}

/** What this tab has asked of the service, each call to be repeated elsewhere. No call shows its key. */
export function RequestsDrawer({ onClose }: { readonly onClose: () => void }): ReactNode {
  const calls = useCalls();
  return (
    <aside className="drawer" aria-label="Requests of this tab">
      <div className="page-head">
        <h2>Requests</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Table
        caption={`The last ${KEPT_CALLS} calls of this tab, the latest first. Commands take the key from the variable KEY.`}
        label="Calls of this tab"
        columns={columns}
        rows={calls}
        keyOf={({ number }) => String(number)}
        empty="No calls yet."
      />
    </aside>
  );
}
