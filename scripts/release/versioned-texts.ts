/** Gives the section of unreleased changes the version and its day, and begins an empty one. */
export function changelogOf(text: string, version: string, day: string): string {
  return text.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`);
}

/** The section of a version without its heading. */
export function sectionOf(changelog: string, version: string): string {
  const [, after = ''] = changelog.split(`## [${version}]`);
  return (after.split(/^## /m)[0] ?? '').replace(/^.*\n/, '').trim();
}

const INSTALLED = /("name": "nightcrew",\n\s+"version": ")[^"]+/g;

/** Each file that names the version of the package, and how it names another one. Generated pages follow from these. */
export const VERSIONED: Readonly<Record<string, (text: string, version: string) => string>> = {
  'package.json': (text, version) => text.replace(INSTALLED, `$1${version}`),
  'package-lock.json': (text, version) => text.replaceAll(INSTALLED, `$1${version}`),
  'shared/config/package-version.ts': (text, version) => text.replace(/(PACKAGE_VERSION = ')[^']+/, `$1${version}`),
  'README.md': (text, version) => text.replaceAll(/nightcrew-\d+\.\d+\.\d+\.tgz/g, `nightcrew-${version}.tgz`),
};
