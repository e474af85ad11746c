import { expect, test } from 'vitest';
import { missingPermission } from '../../../shared/job/missing-permission.ts';

const USER = 'User: arn:aws:sts::111122223333:assumed-role/Shop-Executor/fn';
const TABLE = 'arn:aws:dynamodb:eu-west-1:111122223333:table/Shop-Timers';

test.each([
  [
    `${USER} is not authorized to perform: dynamodb:PutItem on resource: ${TABLE} because no identity-based policy allows the dynamodb:PutItem action`,
    `dynamodb:PutItem on ${TABLE}`,
  ],
  [
    `transact: the store refused the request (AccessDeniedException): ${USER} is not authorized to perform: dynamodb:PutItem on resource: ${TABLE} because no VPC endpoint policy allows the dynamodb:PutItem action.`,
    `dynamodb:PutItem on ${TABLE} (VPC endpoint policy)`,
  ],
  [
    `${USER} is not authorized to perform: dynamodb:Query on resource: ${TABLE}/index/byType with an explicit deny in a service control policy`,
    `dynamodb:Query on ${TABLE}/index/byType (service control policy)`,
  ],
  [`${USER} is not authorized to perform: dynamodb:Scan on resource: ${TABLE}`, `dynamodb:Scan on ${TABLE}`],
  [
    `write: the store refused the request (AccessDeniedException): ${USER} is not authorized to perform: dynamodb:Scan on resource: ${TABLE}.`,
    `dynamodb:Scan on ${TABLE}`,
  ],
  [
    `${USER} is not authorized to perform: kms:Decrypt on resource: arn:aws:kms:eu-west-1:1:key/1 because the resource does not exist`,
    'kms:Decrypt on arn:aws:kms:eu-west-1:1:key/1',
  ],
  ['The security token included in the request is expired', undefined],
  ['', undefined],
])('%s', (message, found) => expect(missingPermission(message)).toBe(found));
