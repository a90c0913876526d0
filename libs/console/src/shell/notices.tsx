import type { ReactNode } from 'react';
import { useNotices } from '../data/notices';
import { followFocus } from '../parts/dialogs/follow-focus';
import { ErrorNote } from '../parts/error-note';

/** What became of writes whose pages the person had left before the answer. It stays on every screen until it is closed. */
export function Notices(): ReactNode {
  const [notices, close] = useNotices();
  if (notices.length === 0) return null;
  return (
    <section aria-label="What became of what you sent">
      {notices.map((notice, index) => (
        // Two may say the same, and stay in their order.
        <div key={index} className="note warning">
          <p>
            <span aria-hidden="true">▲ </span>“{notice.title}”{' '}
            <strong>
              {notice.isUnknown
                ? 'had no answer after you had left the page: nobody knows whether it was done. Look at what is there now before you send it again.'
                : 'was refused after you had left the page.'}
            </strong>
          </p>
          <ErrorNote error={notice.error} />
          <button
            type="button"
            className="small"
            onClick={() => {
              followFocus();
              close(notice);
            }}
          >
            Close
          </button>
        </div>
      ))}
    </section>
  );
}
