import type { WriteProgress } from './write-progress';

/** Sends one writing call and notes in the progress that it was sent, and whether the platform accepted it. */
export async function sendCall<Result extends { readonly status: string }>(
  send: () => Promise<Result>,
  progress: WriteProgress,
): Promise<Result> {
  progress.noteCall();
  const sent = await send();
  if (sent.status === 'done') progress.noteAccepted();
  return sent;
}
