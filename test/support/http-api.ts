import type { HttpAnswer, HttpEvent } from '../../functions/api/function-url.ts';
import type { ApiDeps } from '../../functions/api/route.ts';
import { serve } from '../../functions/api/serve.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { readVerbs } from '../../operate/jobs/read-jobs.ts';
import { backlogGuard } from '../../shared/features/backlogs/client/backlog-guard.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { Rig } from './rig.ts';

/** A request as a function URL gives it to its function. */
export function httpEvent(method: string, path: string, body?: unknown, more: Partial<HttpEvent> = {}): HttpEvent {
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  return {
    rawPath,
    rawQueryString,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    requestContext: { http: { method } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    ...more,
  };
}

/** What the API of a rig works with; its only worker is outside Lambda. */
export function apiOver(rig: Rig, tables: Tables = rig.tables): ApiDeps {
  const deps = { ...rig.deps, tables };
  const client = { ...deps, beforeCreate: [] };
  return {
    executor: deps,
    client: { ...client, backlogs: backlogGuard(client) },
    reads: readVerbs(deps),
    source: createMemoryHintSource(rig.hints, rig.clock),
    workers: ['default'],
    reporterOf: () => ({ report: async () => {} }),
  };
}

/** An answer with its body read. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of a body
  readonly body: any;
}

/** Calls the API of a rig while its clock runs. */
export async function call(rig: Rig, api: ApiDeps, event: HttpEvent): Promise<ReadAnswer> {
  const { statusCode: status, headers, body } = await rig.until(serve(api, event));
  return { status, headers, body: JSON.parse(body) };
}

/** The API of a rig, as its callers use it. */
interface Caller {
  readonly rig: Rig;
  readonly get: (path: string) => Promise<ReadAnswer>;
  readonly post: (path: string, body: unknown) => Promise<ReadAnswer>;
}

/** A caller of the API of a rig. */
export function caller(rig = new Rig()): Caller {
  const api = apiOver(rig);
  return {
    rig,
    get: async (path) => call(rig, api, httpEvent('GET', path)),
    post: async (path, body) => call(rig, api, httpEvent('POST', path, body)),
  };
}

/** A caller with a job that it has fetched for a minute. */
export async function locked(options: object = {}): Promise<Caller & { readonly job: { readonly id: string; readonly lock: string } }> {
  const one = caller();
  await one.post('/jobs', { type: 'convert', payload: { file: 'a' }, ...options });
  const { body } = await one.post('/fetch-and-lock', { worker: 'default' });
  return { ...one, job: body.jobs[0] };
}
