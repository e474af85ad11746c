import { bodyOf, httpAnswer, type HttpAnswer, type HttpEvent } from './function-url.ts';
import { JOB_ROUTES } from './job-routes.ts';
import { LOCK_ROUTES } from './lock-routes.ts';
import { problemDocument, ProblemError, problemOf, PROBLEMS } from './problems.ts';
import type { ApiDeps, Route, RouteAnswer } from './route.ts';

/** Every address of the API. One that is spelt out comes before one with a parameter. */
export const ROUTES: readonly Route[] = [...LOCK_ROUTES, ...JOB_ROUTES];

/** Answers one request. What its caller did wrong, and a store that does not answer, is a problem document; any other error is thrown. */
export async function serve(api: ApiDeps, event: HttpEvent): Promise<HttpAnswer> {
  try {
    const { status, body } = await answerOf(api, event);
    return httpAnswer(status, body);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    const headers = { 'content-type': 'application/problem+json', ...problem.details.headers };
    return httpAnswer(PROBLEMS[problem.kind].status, problemDocument(problem), headers);
  }
}

async function answerOf(api: ApiDeps, event: HttpEvent): Promise<RouteAnswer> {
  const { route, id } = find(event);
  const body = route.fields === undefined ? undefined : bodyOf(event);
  return route.run(api, { id, query: new URLSearchParams(event.rawQueryString), body });
}

function find({ rawPath, requestContext: { http } }: HttpEvent): { readonly route: Route; readonly id: string } {
  const there = ROUTES.flatMap((route) => {
    const id = idIn(route.path, rawPath);
    return id === undefined ? [] : [{ route, id }];
  });
  const found = there.find(({ route }) => route.method === http.method);
  if (found !== undefined) return found;
  if (there.length === 0) throw new ProblemError('not-found', { detail: 'The API has no such address.' });
  const allow = [...new Set(there.map(({ route }) => route.method))].join(', ');
  throw new ProblemError('method-not-allowed', { detail: `Use ${allow}.`, headers: { allow } });
}

/** The id that a path has where the route has its parameter, empty where it has none; undefined if the path is another one. */
function idIn(template: string, path: string): string | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  if (wanted.some((part, index) => part !== given[index] && part !== '{id}')) return undefined;
  return given[wanted.indexOf('{id}')] ?? '';
}
