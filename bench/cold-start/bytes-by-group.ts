type Inputs = Readonly<Record<string, { readonly bytesInOutput: number }>>;

/** Bytes of a bundle by what they belong to: a package of node_modules, or a folder of ours, such as `shared/store` or `shared/adapters/sqs`. Largest first. */
export function bytesByGroup(inputs: Inputs): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const group = groupOf(path);
    sums.set(group, (sums.get(group) ?? 0) + bytesInOutput);
  }
  return Object.fromEntries([...sums].filter(([, bytes]) => bytes > 0).toSorted(([, a], [, b]) => b - a));
}

/** The SDK's parts are many and belong together: what the SDK alone brings in counts as the SDK. */
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
