const TIMEOUT_MS = 10_000;

/** Sends JSON; resolves to the status, or null when the receiver cannot be reached in ten seconds. */
export async function postJson(url: string, body: string): Promise<number | null> {
  const answer = await sent(url, body);
  return answer?.status ?? null;
}

/** Asks a receiver whether it wants notices: it has to answer with 200 and the token as text. */
export async function shakeHands(notificationUrl: string, token: string): Promise<boolean> {
  const url = new URL(notificationUrl);
  url.searchParams.set('validationToken', token);
  const answer = await sent(url.href, '');
  return answer?.status === 200 && answer.text.trim() === token;
}

async function sent(
  url: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    // A client that cannot be reached counts as one that does not answer, whatever the reason.
    return undefined;
  }
}
