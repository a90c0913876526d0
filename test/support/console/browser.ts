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

/**
 * What a browser with windows does for its own surface and for later. With each window it draws two popups of the address bar,
 * which takes three times as long as to load the console, and with each page it starts a process for the next one.
 */
const ofItsOwn = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
];

/** What Playwright switches off, as far as it concerns pages of this machine. Chromium takes the last list alone. */
const ofPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** A browser without a window. It is kept off the network but for this machine by what it is asked to load. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  // The sandbox needs rights that a container does not give; the pages are our own.
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--disable-features=${[...ofPlaywright, ...ofItsOwn].join(',')}`,
    ],
  });
}
