import { useSyncExternalStore } from 'react';
import { announce } from '../parts/announcer';
import { forgetCalls } from '../requests/request-log';
import { dropDemoKey, keepDemoKey, keptDemoKey } from './demo-key';
import { modeOf, type KeyMode } from './key-mode';
import type { Written } from './written';

/** A key that is held, in the memory of this page. */
export interface Session {
  readonly key: string;
  readonly mode: KeyMode;
}

/** What the page holds: a session, or the reason why it holds none. */
export interface Held {
  readonly session: Session | undefined;
  /** A sentence for the person who has to give a key again. */
  readonly why: string | undefined;
  /** What that person was writing when the service refused the key. It stays until there is a session, or without use. */
  readonly written: readonly Written[];
}

/** Milliseconds without a key, a click or a touch after which a key is forgotten. */
const IDLE_LIMIT = 30 * 60_000;

let held: Held = { session: undefined, why: undefined, written: [] };
const listeners = new Set<() => void>();

function hold(next: Held): void {
  held = next;
  for (const listener of listeners) listener();
}

/** Holds a key. Only a demo key outlives a reload. */
export function openSession(key: string): void {
  const mode = modeOf(key);
  if (mode === undefined) throw new TypeError('A key has its mode in its prefix');
  if (mode === 'demo') keepDemoKey(key);
  hold({ session: { key, mode }, why: undefined, written: [] });
}

/**
 * Forgets the key of a session, the calls that were made with it, and the announcements about them. The address stays,
 * so that a new key leads back to it. It does nothing for a session that was forgotten already, because late responses
 * of that session may arrive when another one is open.
 */
export function forgetSession(session: Session, why?: string, written: readonly Written[] = []): void {
  if (held.session !== session) return;
  dropDemoKey();
  forgetCalls();
  announce('');
  hold({ session: undefined, why, written });
}

/** Takes up a demo session that a reload interrupted; undefined where there is none. */
export function resumeSession(): Session | undefined {
  const key = keptDemoKey();
  if (key === undefined || modeOf(key) !== 'demo') return undefined;
  const session: Session = { key, mode: 'demo' };
  hold({ session, why: undefined, written: [] });
  return session;
}

/** What the page holds, followed as it changes. */
export function useHeld(): Held {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => held,
  );
}

/**
 * Forgets the key, and what was written with it, when the page has not been used for {@link IDLE_LIMIT}. Time in which the machine slept counts too.
 *
 * @returns a function that ends the watch
 */
export function watchIdleness(): () => void {
  let used = Date.now();
  const look = (): void => {
    if (Date.now() - used < IDLE_LIMIT) return;
    if (held.session !== undefined) {
      forgetSession(held.session, 'The key was forgotten after 30 minutes without use.');
    } else if (held.written.length > 0) hold({ ...held, written: [] });
  };
  // The person who wakes the machine may be another one, and may touch it before a timer has run.
  const use = (): void => {
    look();
    used = Date.now();
  };
  const acts = ['pointerdown', 'keydown', 'wheel'] as const;
  for (const act of acts) addEventListener(act, use, { passive: true, capture: true });
  document.addEventListener('visibilitychange', look);
  const timer = setInterval(look, 10_000);
  return () => {
    for (const act of acts) removeEventListener(act, use, { capture: true });
    document.removeEventListener('visibilitychange', look);
    clearInterval(timer);
  };
}
