import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

// The one without windows first: it makes a page in a third of the time.
const usual = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/**
 * Where a Chromium is installed: at CHROMIUM_PATH, else where distributions or Playwright put it; undefined if there is none.
 * `npm test` installs one (scripts/browser.mjs).
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  return [...(named === undefined ? [] : [named]), ...usual, chromium.executablePath()].find((path) =>
    existsSync(path),
  );
}

/** A browser without a window. It is kept off the network but for this machine by what it is asked to load. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  // The sandbox needs rights that a container does not give; the pages are our own.
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}
