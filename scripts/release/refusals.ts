import { sectionOf } from './versioned-texts.ts';
import { inOrder, isVersion } from './versions.ts';

/** What a release is judged by. */
export interface ReleaseState {
  /** As it was given to the command. */
  readonly version: string;
  /** `package.json`. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly changelog: string;
  /** All tags of the repository. */
  readonly tags: readonly string[];
  readonly branch: string;
  /** Files that differ from the last commit. */
  readonly changed: readonly string[];
}

function versionRefusals({ version, tags }: ReleaseState): readonly string[] {
  if (!isVersion(version)) return [`version: ${JSON.stringify(version)} is not valid. Give it as x.y.z: npm run release -- 0.2.0.`];
  const last = inOrder(tags.map((tag) => tag.replace(/^v/, ''))).at(-1);
  if (last === undefined || (version !== last && inOrder([last, version]).at(-1) === version)) return [];
  return [`version: ${version} is not later than ${last}, which has the tag v${last}. Give a later one.`];
}

/** Where users find the source, help, and a private address for reports of vulnerabilities. npm refuses provenance without `repository`. */
function manifestRefusals(manifest: ReleaseState['manifest']): readonly string[] {
  const fields: readonly (readonly [field: string, form: RegExp, fix: string])[] = [
    [
      'repository.url',
      /^git\+https:\/\/.+\.git$/,
      'Add the repository whose CI publishes the package, such as git+https://host/owner/nightcrew.git.',
    ],
    ['homepage', /^https:\/\/./, 'Add the https address of the documentation.'],
    ['bugs.url', /^https:\/\/./, 'Add the https address where users ask for help.'],
    ['bugs.email', /^[^@\s]+@[^@\s]+$/, 'Add the address that SECURITY.md sends reports of vulnerabilities to.'],
  ];
  return fields.flatMap(([field, form, fix]) => {
    const value = field.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], manifest);
    if (typeof value === 'string' && form.test(value)) return [];
    return [`package.json ${field}: ${value === undefined ? 'missing' : `${JSON.stringify(value)} is not valid`}. ${fix}`];
  });
}

/** Each reason why this release cannot be made, with its fix. */
export function releaseRefusals(state: ReleaseState): readonly string[] {
  const { branch, changed, changelog, manifest } = state;
  return [
    ...versionRefusals(state),
    ...(branch === 'main' ? [] : [`branch: ${JSON.stringify(branch)} is not main. Run: git switch main.`]),
    ...(changed.length === 0 ? [] : [`working copy: ${changed.slice(0, 3).join(', ')} differ from the last commit. Commit or stash them.`]),
    ...(/^- /m.test(sectionOf(changelog, 'Unreleased'))
      ? []
      : ['CHANGELOG.md [Unreleased]: it names no change. Add a line for each that users see.']),
    ...manifestRefusals(manifest),
  ];
}
