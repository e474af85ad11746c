import { describe, expect, it } from 'vitest';
import { placeInWords, placeOf } from '../../../cli/deployments/place-of.ts';

const workers = (url: string) => ({ NIGHTCREW_WORKERS: JSON.stringify({ default: { lanes: { default: url } } }) });
const QUEUE = 'https://sqs.eu-central-1.amazonaws.com/123456789012/shop-default';

describe('where a deployment runs', () => {
  it.each([
    ['by the address of a queue', workers(QUEUE), 'shop (account 123456789012, eu-central-1)'],
    ['in the region that is set', { ...workers(QUEUE), AWS_REGION: 'eu-west-1' }, 'shop (account 123456789012, eu-west-1)'],
    [
      'by the ARN of a table',
      { NIGHTCREW_TABLES: '{"jobs":"arn:aws-cn:dynamodb:cn-north-1:210987654321:table/shop-jobs"}' },
      'shop (account 210987654321, cn-north-1)',
    ],
    ['in China', workers('https://sqs.cn-north-1.amazonaws.com.cn/210987654321/q'), 'shop (account 210987654321, cn-north-1)'],
    ['as far as it is known', { AWS_DEFAULT_REGION: 'eu-west-1', NIGHTCREW_TABLES: '{"jobs":"shop-jobs"}' }, 'shop (eu-west-1)'],
    ['nowhere that is known', {}, 'shop'],
    ['on this machine', { ...workers('http://127.0.0.1:4566/000000000000/q'), AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }, 'shop (local)'],
  ])('is told %s', (_, environment, words) => expect(placeInWords('shop', placeOf(environment))).toBe(words));
});
