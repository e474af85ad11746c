import type { ReadVerbs } from '../../operate/jobs/read-verbs.ts';
import type { ClientDeps } from '../../shared/client/client-deps.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { ExecutorDeps } from '../executor/deps.ts';
import type { WorkerReporter } from '../executor/report-worker.ts';
import { type Fields, readFields, type Schema, type ValuesOf } from './fields.ts';
import type { ProblemName } from './problems.ts';

/** What the routes work with; none of it depends on HTTP. */
export interface ApiDeps {
  readonly executor: ExecutorDeps;
  readonly client: ClientDeps;
  readonly reads: ReadVerbs;
  readonly source: HintSource;
  /** The workers whose jobs may be fetched: those outside Lambda. */
  readonly workers: readonly string[];
  /** The reporter of a worker in this process. */
  readonly reporterOf: (worker: string) => WorkerReporter;
}

/** A request that was routed. `id` is the job of the address, an empty text if it names none. */
export interface Routed {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** What a route answers. */
export interface RouteAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How an answer is described. */
export interface AnswerText {
  readonly description: string;
  readonly schema: Schema;
}

/** An address with a method: the only list of them, for the router and for the OpenAPI document. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly fields?: Fields;
  /** Parameters of the query by name, with their meaning. */
  readonly query?: Readonly<Record<string, string>>;
  /** Answers by status. */
  readonly answers: Readonly<Record<number, AnswerText>>;
  readonly problems: readonly ProblemName[];
  readonly run: (api: ApiDeps, request: Routed) => Promise<RouteAnswer>;
}

/** A route that takes a body; `run` gets the values of its fields, checked. */
export function post<Given extends Fields>(
  route: Omit<Route, 'method' | 'fields' | 'run'> & {
    readonly fields: Given;
    readonly run: (api: ApiDeps, body: ValuesOf<Given>, id: string) => Promise<RouteAnswer>;
  },
): Route {
  return {
    ...route,
    method: 'POST',
    run: async (api, { id, body }) => route.run(api, readFields(route.fields, body), id),
  };
}
