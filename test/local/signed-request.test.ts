import { describe, expect, test } from 'vitest';
import { isSigned, type SignedRequest } from '../../local/signed-request.ts';

const KEY = { accessKeyId: 'local', secretAccessKey: 'local', region: 'us-east-1' };
const AT = Date.UTC(2027, 0, 31, 12);

/** Signed by the AWS SDK's own signer. */
const GET: SignedRequest = {
  method: 'GET',
  path: '/jobs',
  query: 'state=dead&type=a%20b%2Fc%27',
  headers: {
    'content-type': 'application/json',
    host: '127.0.0.1:8080',
    'x-amz-date': '20270131T120000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20270131/us-east-1/lambda/aws4_request, SignedHeaders=content-type;host;x-amz-date, ' +
      'Signature=53954afca99350b872659fcbc0ada7ba3a9e3012d4517e7ab34f7a536427e6bf',
  },
  body: Buffer.alloc(0),
};

describe('a signed request', () => {
  test('is taken for five minutes, whatever the order of its query', () => {
    expect(isSigned(GET, KEY, AT)).toBe(true);
    expect(isSigned({ ...GET, query: 'type=a%20b%2Fc%27&state=dead' }, KEY, AT)).toBe(true);
    for (const late of [-300_000, 300_000]) expect(isSigned(GET, KEY, AT + late)).toBe(true);
    for (const late of [-300_001, 300_001]) expect(isSigned(GET, KEY, AT + late)).toBe(false);
  });

  test('is refused if anything that was signed is another', () => {
    const { headers } = GET;
    const without = (name: string): SignedRequest['headers'] => ({ ...headers, [name]: undefined });
    const authorization = headers['authorization'] ?? '';
    for (const changed of [
      { method: 'POST' },
      { path: '/jobs/count' },
      { query: 'state=dead' },
      { body: Buffer.from('{}') },
      { headers: { ...headers, host: 'other' } },
      { headers: { ...headers, 'x-amz-date': '20270131T120001Z' } },
      { headers: { ...headers, 'x-amz-date': 'today' } },
      { headers: { ...headers, authorization: authorization.replace('53954', '53955') } },
      { headers: { ...headers, authorization: authorization.replace('content-type;host;x-amz-date', 'content-type;x-amz-date') } },
      { headers: { ...headers, authorization: authorization.replace('/lambda/', '/sqs/') } },
      { headers: without('authorization') },
      { headers: without('x-amz-date') },
      { headers: without('host') },
    ]) {
      expect(isSigned({ ...GET, ...changed }, KEY, AT)).toBe(false);
    }
  });

  test.each([{ accessKeyId: 'other' }, { secretAccessKey: 'other' }, { region: 'eu-west-1' }])('is refused by %o', (other) =>
    expect(isSigned(GET, { ...KEY, ...other }, AT)).toBe(false),
  );
});
