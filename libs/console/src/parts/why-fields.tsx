import { useId, type ReactNode } from 'react';

/** Who decides, and why. */
export interface Why {
  readonly reason: string;
  readonly decidedBy: string;
}

let lastName = '';

/** A reason nobody has written yet, of whoever decided last in this tab. */
export function newWhy(): Why {
  return { reason: '', decidedBy: lastName };
}

/** The members of a request, trimmed. The name is proposed for the next decision of this tab; it is stored nowhere. */
export function whyMembers({ reason, decidedBy }: Why): {
  readonly reason: string;
  readonly decided_by: string;
} {
  lastName = decidedBy.trim();
  return { reason: reason.trim(), decided_by: lastName };
}

interface WhyFieldsProps {
  readonly why: Why;
  readonly onChange: (why: Why) => void;
}

/** Asks for the reason of a decision and for the name of the person. Both are demanded: auditors ask for both. */
export function WhyFields({ why, onChange }: WhyFieldsProps): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={`${id}-reason`}>
        Reason
        <input
          id={`${id}-reason`}
          required
          pattern=".*\S.*"
          maxLength={2000}
          value={why.reason}
          onChange={({ target }) => onChange({ ...why, reason: target.value })}
        />
      </label>
      <label htmlFor={`${id}-name`}>
        Decided by
        <input
          id={`${id}-name`}
          required
          pattern=".*\S.*"
          maxLength={200}
          autoComplete="name"
          value={why.decidedBy}
          onChange={({ target }) => onChange({ ...why, decidedBy: target.value })}
        />
      </label>
    </>
  );
}
