import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SHARED_OPTIONS } from '../../functions/api/job-fields.ts';
import { ROUTES } from '../../functions/api/serve.ts';
import { httpApiDoc, openApiText } from '../../scripts/generate-http-api-doc.ts';
import { fromRoot } from './source-files.ts';

test.each([
  ['docs/reference/http-api.md', httpApiDoc],
  ['docs/reference/http-api.openapi.json', openApiText],
])('%s is what the routes say (npm run docs writes it)', (path, text) => expect(readFileSync(fromRoot(path), 'utf8')).toBe(text()));

interface Operation {
  readonly operationId: string;
  readonly responses: object;
}

test('the OpenAPI document has every route once, each with what it answers', () => {
  const { openapi, paths } = JSON.parse(openApiText()) as { openapi: string; paths: Record<string, Record<string, Operation>> };
  expect(openapi).toBe('3.1.0');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => `${method.toUpperCase()} ${path} ${one.operationId}`),
  );
  expect(operations.toSorted()).toEqual(ROUTES.map(({ method, path, operationId }) => `${method} ${path} ${operationId}`).toSorted());
  expect(new Set(ROUTES.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '503']));
  }
});

test('its references lead somewhere', () => {
  const document = JSON.parse(openApiText()) as { components: { schemas: object } };
  const named = [...openApiText().matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(Object.keys(document.components.schemas)));
  expect(document.components.schemas).toMatchObject({ Job: { properties: { id: { type: 'string' } } } });
});

test('a retry policy is a text or an object in it, which is all that a request may give', () => {
  expect(SHARED_OPTIONS.retry.schema['type']).toEqual(['string', 'object']);
});
