const NAME = 'console.demo-key';

/*
 * A demo key opens a sandbox that ends by itself, so it may outlive a reload, in this tab alone. No other key is ever stored.
 * A browser may refuse to store anything; then the session ends with the page.
 */
/* oxlint-disable no-restricted-globals */
export function keepDemoKey(key: string): void {
  try {
    sessionStorage.setItem(NAME, key);
  } catch {
    // The key stays in memory.
  }
}

export function keptDemoKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

export function dropDemoKey(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing was stored.
  }
}
