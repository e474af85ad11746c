/** AWS's sentence, the same for every service that IAM guards. What follows says which policy is to blame. */
const DENIED = /is not authorized to perform: ([\w-]+:\w+) on resource: (\S+?)(?: (?:because|with) (.+?))?\.?$/;
const WHY = /VPC endpoint policy|permissions boundary|service control policy|resource-based policy|session policy/;

/** Which action on which resource an error of AWS says is not allowed: "dynamodb:PutItem on arn:…:table/Jobs". Undefined if it says something else. */
export function missingPermission(message: string): string | undefined {
  const [, action, resource, because = ''] = DENIED.exec(message) ?? [];
  if (action === undefined || resource === undefined) return undefined;
  const [by] = WHY.exec(because) ?? [];
  return `${action} on ${resource}${by === undefined ? '' : ` (${by})`}`;
}
