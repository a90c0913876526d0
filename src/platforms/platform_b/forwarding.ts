import type { ForwardingForm, PlacedRequest } from '../live/forwarding/forward-request';
import { platformBAccess } from './access';
import { companyUrl } from './addresses';
import type { PlatformBSettings } from './credentials';

/** Options that may follow a resource. Others, such as `$batch`, take addresses of their own. */
const pathOptions: ReadonlySet<string> = new Set(['$count', '$value']);

/** The paths that callers may address on the ERP: those below the company. */
export const platformBForwarding: ForwardingForm<PlatformBSettings> = {
  access: platformBAccess,
  base: companyUrl,
  headers: () => ({ accept: 'application/json', 'accept-language': 'en-US' }),
  alsoSendable: ['data-access-intent'],
  problems: (_settings, request) => [...pathProblems(request), ...queryProblems(request)],
};

function pathProblems({ segments }: PlacedRequest): readonly string[] {
  return segments.flatMap((segment) => {
    if (/^companies\b/i.test(segment)) return ['path leads to another company'];
    if (/^subscriptions\b/i.test(segment)) {
      return ['path leads to the subscriptions, which the service keeps itself'];
    }
    const isOption = segment.startsWith('$') && !pathOptions.has(segment);
    return isOption ? [`path must not have ${segment}`] : [];
  });
}

// Either parameter can name another company or tenant, whatever the path says.
function queryProblems({ query }: PlacedRequest): readonly string[] {
  return query.flatMap(([name]) =>
    /^(?:company|tenant)$/i.test(name) ? [`query must not have ${name}: the connection has its own`] : [],
  );
}
