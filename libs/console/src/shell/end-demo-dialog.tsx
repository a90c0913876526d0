import type { ReactNode } from 'react';
import { useApi } from '../data/api';
import { Confirm } from '../parts/dialogs/confirm';
import { forgetSession, type Session } from '../session/session';

interface EndDemoDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

/** Asks before a demo session is deleted with its data. */
export default function EndDemoDialog({ session, onClose }: EndDemoDialogProps): ReactNode {
  const api = useApi();
  return (
    <Confirm
      title="End the demo session?"
      act="End and delete"
      send={() => api.closeDemoSession()}
      done={() => 'The demo session was deleted.'}
      onDone={() => forgetSession(session, 'The demo session and its data were deleted.')}
      onClose={onClose}
    >
      <p>The demo customer, its key and all of its data are deleted at once. It cannot be undone.</p>
    </Confirm>
  );
}
