/** `docs/reference/http-api.openapi.json` and `http-api.md`, from the routes of the API; a test fails when they differ. */
import { type Schema, schemaOf } from '../functions/api/fields.ts';
import { JOB_SCHEMA } from '../functions/api/job-answer.ts';
import { PROBLEMS, type ProblemName } from '../functions/api/problems.ts';
import type { AnswerText, Route } from '../functions/api/route.ts';
import { ROUTES } from '../functions/api/serve.ts';
import { PACKAGE_VERSION } from '../shared/config/package-version.ts';

const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  description: 'A problem document (RFC 9457).',
  properties: {
    type: { enum: Object.keys(PROBLEMS).map(typeOf) },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened.' },
    field: { type: 'string', description: 'Of `invalid-input`: the field.' },
    fix: { type: 'string', description: 'Of `invalid-input`: what to send instead.' },
    limit: { type: 'integer', description: 'Of `too-large`: the limit in bytes.' },
    state: { type: 'string', description: 'Of `lock-lost`: the state of a job that is still known.' },
    outcome: { type: 'string', description: 'Of `lock-lost`: how a finished job ended.' },
    reason: { type: 'string', description: 'Of `lock-lost`: why a dead letter died.' },
  },
  required: ['type', 'title', 'status', 'detail'],
};

function typeOf(name: string): string {
  return `urn:nightcrew:problem:${name}`;
}

/** The OpenAPI 3.1 document as a JSON text. */
export function openApiText(): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Nightcrew HTTP API',
      version: PACKAGE_VERSION,
      description: 'Jobs for workers in any language. Each request is signed with AWS Signature Version 4 for the service `lambda`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '{functionUrl}', variables: { functionUrl: { default: 'https://example.lambda-url.eu-west-1.on.aws' } } }],
    security: [{ sigv4: [] }],
    paths: JSON.parse(
      JSON.stringify(paths, (_key, value: unknown) => (value === JOB_SCHEMA ? { $ref: '#/components/schemas/Job' } : value)),
    ) as unknown,
    components: {
      schemas: { Job: JOB_SCHEMA, Problem: PROBLEM_SCHEMA },
      securitySchemes: {
        sigv4: { type: 'apiKey', name: 'Authorization', in: 'header', description: 'AWS Signature Version 4, service `lambda`.' },
      },
    },
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function operation({ operationId, summary, description, path, fields, query = {}, answers, problems }: Route): Schema {
  const ofPath = path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }] : [];
  const ofQuery = Object.entries(query).map(([name, text]) => ({ name, in: 'query', description: text, schema: { type: 'string' } }));
  const parameters = [...ofPath, ...ofQuery];
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(fields === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(fields) } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer)])),
      ...Object.fromEntries(problems.map((name) => [String(PROBLEMS[name].status), problemResponse(name)])),
    },
  };
}

const response = ({ description, schema }: AnswerText): Schema => ({ description, content: { 'application/json': { schema } } });

const problemResponse = (name: ProblemName): Schema => ({
  description: PROBLEMS[name].title,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

const INTRO = `# HTTP API

Generated from the routes in \`functions/api\`; do not edit. The [OpenAPI 3.1 document](http-api.openapi.json) has more detail; a client can be generated from it.
How to deploy it, sign requests and write a worker: [workers in any language](../guides/workers-in-any-language.md). Without the construct, \`createHttpApi()\` of \`nightcrew/worker\` is the function that serves it.

Bodies are JSON. A field of a body that is not known is refused. Fields in **bold** are required. \`delay\`, \`startWithin\`, \`keepResult\` and \`retryAfter\` are ISO-8601 durations such as \`PT5M\`, or milliseconds; \`runAt\` and \`startBy\` are ISO-8601 instants with an offset, or epoch milliseconds.
\`complete\`, \`failure\`, \`error\` and \`unlock\` end a job as cancelled once that was requested.
`;

/** The reference page. */
export function httpApiDoc(): string {
  const index = ROUTES.map(
    ({ method, path, summary, operationId }) => `| [\`${method} ${path}\`](#${operationId.toLowerCase()}) | ${summary} |`,
  );
  const problems = Object.entries(PROBLEMS).map(([name, { status, title }]) => `| ${status} | \`${typeOf(name)}\` | ${title} |`);
  return [
    INTRO,
    `| request | meaning |\n|---|---|\n${index.join('\n')}\n`,
    ...ROUTES.map(section),
    `## Problems\n\nA refusal is a problem document (RFC 9457) of type \`application/problem+json\`. \`detail\` says what happened; \`invalid-input\` names \`field\` and \`fix\`, \`lock-lost\` the \`state\` of a job that is still known. A request that got 503 may succeed unchanged, after \`retry-after\` seconds. At the URL of the construct, Lambda itself answers 403 if the signature is missing or wrong or a permission is missing, 429 if it throttles the function, and 502 if the function fails, which its log shows.\n\n| status | type | title |\n|---|---|---|\n${problems.join('\n')}\n`,
  ].join('\n');
}

function section({ method, path, operationId, summary, description, fields, query, answers, problems }: Route): string {
  const lines = [`## ${operationId}\n`, `\`${method} ${path}\`: ${summary}.\n`];
  if (description !== undefined) lines.push(`${description}\n`);
  if (fields !== undefined) lines.push(table(schemaOf(fields)));
  if (query !== undefined) lines.push(parameters(query));
  for (const [status, { description: text, schema }] of Object.entries(answers)) lines.push(`**${status}** ${text}${members(schema)}\n`);
  lines.push(`Problems: ${problems.map((name) => `${PROBLEMS[name].status} \`${name}\``).join(', ')}.\n`);
  return lines.join('\n');
}

/** A table, or if an earlier route has the same parameters and more, a reference to that. */
function parameters(query: NonNullable<Route['query']>): string {
  const told = ROUTES.find((other) => Object.entries(query).every(([name, text]) => other.query?.[name] === text));
  if (told?.query === undefined || told.query === query) {
    const rows = Object.entries(query).map(([name, text]) => `| \`${name}\` | ${text} |`);
    return `| parameter | meaning |\n|---|---|\n${rows.join('\n')}\n`;
  }
  const others = Object.keys(told.query).filter((name) => query[name] === undefined);
  const but = others.length === 0 ? '' : `, without ${others.map((name) => `\`${name}\``).join(' and ')}`;
  return `Parameters: those of [\`${told.method} ${told.path}\`](#${told.operationId.toLowerCase()})${but}.\n`;
}

type Properties = Readonly<Record<string, { readonly type?: string | readonly string[]; readonly description?: string }>>;

function table({ properties, required = [] }: Schema): string {
  const rows = Object.entries(properties as Properties).map(([name, { type = 'any', description = '' }]) => {
    const field = (required as readonly string[]).includes(name) ? `**\`${name}\`**` : `\`${name}\``;
    return `| ${field} | ${[type].flat().join(' or ')} | ${description} |`;
  });
  return `| field | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** The members of an answer, by name. */
function members({ properties }: Schema): string {
  const names = Object.keys(properties ?? {});
  return names.length === 0 ? '' : ` Members: ${names.map((name) => `\`${name}\``).join(', ')}.`;
}
