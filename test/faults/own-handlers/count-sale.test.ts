import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { aimAt, createFaults, type FaultName } from '../../../testing/index.ts';
import { countSale } from './count-sale.ts';
import { localDynamo } from './local-dynamo.ts';

const FAULTS: FaultName[] = ['lost-reply', 'lost-for-good', 'unavailable', 'reset', 'server-error', 'throttle', 'conflict'];

test.each(FAULTS)('a sale is counted once (%s)', async (fault) => {
  const faults = createFaults({ seed: 1 });
  const dynamo = faults.under(await localDynamo());
  const sale = { productId: `product of ${fault}`, jobId: 'job 1' };

  faults.next(aimAt('UpdateItem', 'sales'), fault);
  // What throws is tried again by the executor.
  await countSale(dynamo, sale).catch(async () => countSale(dynamo, sale));

  const { Item: product } = await dynamo.send(new GetItemCommand({ TableName: 'sales', Key: { id: { S: sale.productId } } }));
  expect(product?.['sold']?.N).toBe('1');
  expect(faults.pending()).toBe(0);
});
