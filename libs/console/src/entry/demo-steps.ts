import type { TranslationClient } from '@app/client';
import { clientWith } from '../data/api';
import { platforms } from '../data/queries';

/** The steps of a demo session, in words. */
export const demoSteps = [
  'Open a demo session',
  ...platforms.map((platform) => `Connect ${platform}`),
] as const;

/**
 * Opens a demo session and connects both platforms.
 *
 * @param onStep called with the place of the step that begins
 * @returns the key of the session
 * @throws ClientError; nothing is left to undo, as a demo session ends by itself
 */
export async function startDemo(onStep: (step: number) => void): Promise<string> {
  onStep(0);
  const { api_key: key } = await clientWith().openDemoSession();
  const api = clientWith(key);
  for (const [index, platform] of platforms.entries()) {
    onStep(index + 1);
    await connected(api, platform);
  }
  return key;
}

/** A connect answers "connecting" when reading takes longer than it waits; the next one waits for the same reading. */
async function connected(api: TranslationClient, platform: (typeof platforms)[number]): Promise<void> {
  for (;;) {
    const { status } = await api.connect(platform);
    if (status === 'connected') return;
  }
}
