type Inputs = Readonly<Record<string, { readonly bytesInOutput: number }>>;

/** Bytes of a bundle by package of node_modules, or by our folder, such as `shared/store` or `shared/adapters/sqs`. Largest first. */
export function bytesByGroup(inputs: Inputs): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const group = groupOf(path);
    sums.set(group, (sums.get(group) ?? 0) + bytesInOutput);
  }
  return Object.fromEntries([...sums].filter(([, bytes]) => bytes > 0).toSorted(([, a], [, b]) => b - a));
}

/** Packages that only the SDK imports count as the SDK. */
const SDK = /^(@aws-sdk\/|@smithy\/|@aws\/|@aws-crypto\/|mnemonist$|obliterator$|bowser$|fast-xml-parser$|uuid$|tslib$)/;

function groupOf(path: string): string {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  if (name === undefined)
    return path
      .split('/')
      .slice(0, /^shared\/(adapters|features)\//.test(path) ? 3 : 2)
      .join('/');
  if (SDK.test(name)) return 'AWS SDK';
  return name.startsWith('@aws-lambda-powertools/') ? 'Powertools' : name;
}
