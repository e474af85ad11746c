import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRelease, ReleaseRefused } from '../../scripts/release/make-release.ts';
import { releaseRefusals, type ReleaseState } from '../../scripts/release/refusals.ts';
import { VERSIONED } from '../../scripts/release/versioned-texts.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';

const ADDRESSES = {
  repository: { type: 'git', url: 'git+https://code.example/crew/nightcrew.git' },
  homepage: 'https://code.example/crew/nightcrew',
  bugs: { url: 'https://code.example/crew/nightcrew/issues', email: 'security@crew.example' },
};
const STATE: ReleaseState = {
  version: '0.10.0',
  manifest: ADDRESSES,
  changelog: '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.9.0] - 2026-01-01\n\n- An older thing.\n',
  tags: ['v0.9.0', 'v0.1.0', 'nightly'],
  branch: 'main',
  changed: [],
};

describe('a release is refused', () => {
  it.each<[string, Partial<ReleaseState>, string]>([
    ['without a version', { version: '' }, 'version: "" is not valid. Give it as x.y.z'],
    ['of another form', { version: 'v1.0.0' }, 'version: "v1.0.0" is not valid. Give it as x.y.z'],
    ['that has a tag', { version: '0.9.0' }, 'version: 0.9.0 is not later than 0.9.0, which has the tag v0.9.0. Give a later one.'],
    ['that comes before the last one', { tags: ['v0.10.0', 'v0.9.0'], version: '0.9.1' }, 'version: 0.9.1 is not later than 0.10.0'],
    ['of another branch', { branch: 'topic' }, 'branch: "topic" is not main. Run: git switch main.'],
    [
      'with changes',
      { changed: ['README.md', 'x.ts'] },
      'working copy: README.md, x.ts differ from the last commit. Commit or stash them.',
    ],
    [
      'that changes nothing',
      { changelog: STATE.changelog.replace('- A thing.\n', '') },
      'CHANGELOG.md [Unreleased]: it names no change. Add a line for each that users see.',
    ],
    [
      'without an address of its source',
      { manifest: { ...ADDRESSES, repository: undefined } },
      'package.json repository.url: missing. Add',
    ],
    [
      'of another form of it',
      { manifest: { ...ADDRESSES, repository: { url: 'x' } } },
      'package.json repository.url: "x" is not valid. Add',
    ],
    ['without a home page', { manifest: { ...ADDRESSES, homepage: undefined } }, 'package.json homepage: missing. Add'],
    ['without an address for help', { manifest: { ...ADDRESSES, bugs: { email: 'a@b' } } }, 'package.json bugs.url: missing. Add'],
    ['without a security contact', { manifest: { ...ADDRESSES, bugs: { url: 'https://x' } } }, 'package.json bugs.email: missing. Add'],
  ])('%s', (_, wrong, refusal) => {
    expect(releaseRefusals({ ...STATE, ...wrong })).toEqual([expect.stringContaining(refusal)]);
  });

  it('for all reasons at once', () => {
    expect(releaseRefusals({ version: '', manifest: {}, changelog: '', tags: [], branch: '', changed: ['x'] })).toHaveLength(8);
    expect(releaseRefusals(STATE)).toEqual([]);
  });
});

it('each file that names the version today is written by a release, and names it once it was', () => {
  for (const [path, named] of Object.entries(VERSIONED)) {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(named(text, PACKAGE_VERSION), path).toBe(text);
    expect(named(text, '98.7.6'), path).toContain('98.7.6');
  }
});

describe('a release', () => {
  let root: string;
  const git = (...args: readonly string[]): string => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const calls: string[] = [];
  const release = (version: string): void =>
    makeRelease(version, {
      root,
      day: '2026-01-31',
      script: (name, ...args) => {
        calls.push([name, ...args].join(' '));
        write(`${name === 'release-bundle' ? 'test/releases/kept' : 'made-by'}/${name}`, args.join(' '));
      },
    });

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'nightcrew-release-'));
    calls.length = 0;
    const manifest = { name: 'nightcrew', version: '0.9.0', ...ADDRESSES };
    write('package.json', JSON.stringify(manifest, undefined, 2));
    write(
      'package-lock.json',
      JSON.stringify({ ...manifest, packages: { '': manifest, 'node_modules/x': { version: '0.9.0' } } }, undefined, 2),
    );
    write('shared/config/package-version.ts', "export const PACKAGE_VERSION = '0.9.0';\n");
    write('README.md', 'npm install nightcrew-0.9.0.tgz\n');
    write('CHANGELOG.md', STATE.changelog);
    write('test/releases/kept/earlier.json', '{}');
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'anna');
    git('config', 'user.email', 'anna@crew.example');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Begin');
    git('tag', 'v0.9.0');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('writes the version everywhere, cuts the changelog, keeps layouts, commits and tags', () => {
    release('0.10.0');
    for (const path of ['package.json', 'shared/config/package-version.ts', 'README.md']) {
      expect(git('show', `v0.10.0:${path}`), path).toMatch(/0\.10\.0/);
      expect(git('show', `v0.10.0:${path}`), path).not.toContain('0.9.0');
    }
    expect(JSON.parse(git('show', 'v0.10.0:package-lock.json'))).toMatchObject({
      version: '0.10.0',
      packages: { '': { version: '0.10.0' }, 'node_modules/x': { version: '0.9.0' } },
    });
    expect(git('show', 'v0.10.0:CHANGELOG.md')).toContain(
      '## [Unreleased]\n\n## [0.10.0] - 2026-01-31\n\n### Added\n\n- A thing.\n\n## [0.9.0] - 2026-01-01',
    );
    expect(git('show', 'v0.10.0:made-by/layouts')).toBe('0.10.0');
    expect(git('for-each-ref', 'refs/tags/v0.10.0', '--format=%(objecttype)%0a%(contents)')).toBe(
      'tag\nNightcrew 0.10.0\n\n### Added\n\n- A thing.',
    );
  });

  it('keeps the bundle of its tag, in place of the one before, in a commit after it', () => {
    release('0.10.0');
    expect(calls).toEqual(['docs', 'layouts 0.10.0', 'format', 'release-bundle v0.10.0', 'format']);
    expect(git('log', '--format=%s%d', '-2').split('\n')).toEqual([
      expect.stringMatching(/^Keep the bundle of 0\.10\.0 .*HEAD -> main/),
      'Release 0.10.0 (tag: v0.10.0)',
    ]);
    expect(git('ls-tree', '--name-only', 'HEAD', 'test/releases/kept/')).toBe('test/releases/kept/release-bundle');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('that is refused writes nothing', () => {
    expect(() => release('0.9.0')).toThrow(ReleaseRefused);
    expect([git('status', '--porcelain'), git('tag'), calls]).toEqual(['', 'v0.9.0', []]);
  });
});
