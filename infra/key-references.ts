import { Stack, Token } from 'aws-cdk-lib';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { IConstruct } from 'constructs';
import type { KeyReference } from './references.ts';

/** Services that use a key on behalf of those who call them. */
type KeyService = 'dynamodb' | 'sqs' | 'lambda' | 's3';

/**
 * Services as `kms:ViaService` names them (https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html). In Regions with a domain
 * of their own, as in China, that one is allowed too.
 */
export function viaServices(scope: IConstruct, services: readonly KeyService[]): readonly string[] {
  const { region } = Stack.of(scope);
  const domains = new Set(['amazonaws.com', domainOf(region)]);
  return services.flatMap((service) => [...domains].map((domain) => `${service}.${region}.${domain}`));
}

function domainOf(region: string): string {
  return (Token.isUnresolved(region) ? undefined : RegionInfo.get(region).domainSuffix) ?? 'amazonaws.com';
}

/** The key of tables and queues, if they have one, and those that adopted tables have instead. */
export function keyReferences(
  scope: IConstruct,
  keyArn: string | undefined,
  { tableKeyArns = [], payloads }: { readonly tableKeyArns?: readonly string[] | undefined; readonly payloads: boolean },
): readonly KeyReference[] {
  const others = [...new Set(tableKeyArns)].filter((arn) => arn !== keyArn);
  return [
    ...(keyArn === undefined
      ? []
      : [{ arn: keyArn, services: viaServices(scope, ['dynamodb', 'sqs', ...(payloads ? (['s3'] as const) : [])]) }]),
    ...others.map((arn) => ({ arn, services: viaServices(scope, ['dynamodb']) })),
  ];
}
