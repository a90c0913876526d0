import { Link } from 'wouter';
import { signoffHref, type Signoff } from '../../data/signoffs';
import { Instant } from '../values/instant';
import { roleWords } from '../words/signoff-words';
import type { Column } from './table';

/** Who signed in which role, when, and which figures. */
export const signoffColumns: readonly Column<Signoff>[] = [
  { name: 'Role', cell: ({ role }) => roleWords[role] },
  {
    name: 'By',
    cell: (signoff) => (
      <Link href={signoffHref(signoff)} className="name">
        {signoff.signed_by}
      </Link>
    ),
    isHead: true,
  },
  { name: 'Signed', cell: ({ signed_at: at }) => <Instant at={at} /> },
  { name: 'Figures as of', cell: ({ as_of: at }) => <Instant at={at} /> },
];
