import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where systems keep the browser that pages are tested in; first the one without windows, which takes less. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts the system's Chromium or Chrome without a window; rejects where there is none. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = places.find((place) => existsSync(place));
  if (!executablePath) {
    throw new Error(`pages are tested in Chromium or Chrome; install it at one of ${places.join(', ')}`);
  }
  return chromium.launch({ executablePath, args: flags });
}
