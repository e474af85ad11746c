import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { CLOSING_MS, within } from './watched-page.ts';

/** Possible paths of the system's browser. Debian's headless shell is the same engine without the windows of a desktop. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The browser's file: `CHROMIUM` names another. The error says what to install. */
export function chromiumPath(): string {
  const given = process.env['CHROMIUM'];
  const found = given ?? PLACES.find((path) => existsSync(path));
  if (found !== undefined && existsSync(found)) return found;
  throw new Error(
    `No browser at ${given ?? PLACES.join(', ')}. On Debian: apt-get install chromium-headless-shell; elsewhere name one with CHROMIUM.`,
  );
}

/** A headless browser without a profile. A container has no user namespaces for its sandbox when everything runs as root. */
export async function launchChromium(): Promise<Browser> {
  const root = process.getuid?.() === 0;
  const browser = await chromium.launch({ executablePath: chromiumPath(), headless: true, args: root ? ['--no-sandbox'] : [] });
  const close = browser.close.bind(browser);
  return Object.assign(browser, { close: async () => within(CLOSING_MS, close()) });
}
