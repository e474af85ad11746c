import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { readUntil } from '../operate/read-until.ts';
import { defined } from '../shared/job/defined.ts';
import { InvalidInputError, UnauditedError } from '../shared/job/errors.ts';
import { BusyError, Semaphore } from '../shared/job/semaphore.ts';
import { ACTIONS } from './actions.ts';
import { visible, visibleMarkup } from './jobs/visible-text.ts';
import { layout } from './layout.ts';
import { LOGIN_PAGE } from './login-page.ts';
import type { Action, Html, Page, PageRequest, Session } from './page.ts';
import { PAGES } from './pages.ts';
import { emptyState } from './parts/notices.ts';
import { failedMain, plainPage, errorTextOf } from './refusals.ts';
import { COUNTS, forget } from './remembered.ts';
import { sessionCookie, sessionIn } from './security/cookie.ts';
import type { Keys } from './security/keys.ts';
import { RESPONSE_HEADERS } from './security/response-headers.ts';
import { readStaticFiles } from './static-files.ts';

/** Dependencies of the console. `pages` and `actions` default to all. */
export interface AppDeps {
  readonly session: Session;
  readonly keys: Keys;
  readonly port: number;
  /** Aborts when the connection of a request ends. */
  readonly goneOf: (context: AppContext) => AbortSignal;
  readonly pages?: readonly Page[];
  readonly actions?: readonly Action[];
}

type AppContext = Context<{ Bindings: HttpBindings }>;

const MAX_BODY_BYTES = 1_000_000;
/** A browser has six connections to a console; a few windows must not starve each other. */
const PLACES = 8;
const WAITING = 32;
/** The response after the connection has ended, which is not delivered. */
const GONE = 499;
const UNAUDITED = 'The action is done, but its audit entry could not be written. Do not repeat it; write down yourself who did it and why.';
const READ_ONLY = 'This console is read-only: start it with --write to act.';

/** The console's routes. Access is decided before, in `security/request-rules.ts`. */
export function createApp(deps: AppDeps): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const places = new Semaphore(PLACES, WAITING);
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(RESPONSE_HEADERS)) context.res.headers.set(name, value);
  });
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (context) => context.json(refused('The body is larger than 1 MB.'), 413) }));
  const files = readStaticFiles();
  app.get('/login', async (context) => context.html(LOGIN_PAGE));
  app.post('/login', async (context) => login(deps, context));
  app.use(async (context, next) => {
    const file = context.req.path.startsWith('/assets/') ? files.get(context.req.path.slice('/assets/'.length)) : undefined;
    const session = sessionIn(context.req.header('cookie'), deps.port);
    if (file?.public !== true && !deps.keys.knows(session)) return unknownVisitor(context);
    if (file !== undefined) return context.body(file.body, 200, { 'content-type': file.type });
    if (byScript(context) && !deps.keys.fits(session, context.req.header('x-nightcrew-key'))) return context.json(refused(NO_KEY), 401);
    await places.acquire(deps.goneOf(context));
    return next().finally(() => places.release());
  });
  for (const page of deps.pages ?? PAGES) app.get(page.path, async (context) => render(deps, page, context));
  for (const action of deps.actions ?? ACTIONS) app.post(`/actions/${action.name}`, async (context) => act(deps, action, context));
  app.notFound((context) => nothingHere(deps, context));
  app.onError((error, context) => {
    if (deps.goneOf(context).aborted) return new Response(null, { status: GONE });
    if (error instanceof BusyError) return context.html(plainPage('Too many requests at once', BUSY), 503);
    deps.session.onProblem?.(`${context.req.method} ${context.req.path}`, error);
    return context.json(refused('The console failed. Its terminal shows where.'), 500);
  });
  return app;
}

const refused = (message: string) => ({ ok: false, message });
const NO_KEY =
  'This page does not hold the key of its console, which stays in the browser that opened the link: open a link of the terminal again.';
const BUSY = 'This console is answering as many requests as it can. Load the page again in a moment.';
const wantsJson = (context: Context): boolean => context.req.method === 'POST';
const isRefresh = (context: Context): boolean => context.req.header('x-nightcrew-refresh') === '1';
/** Requests that only the console's own pages make. A page opened by a user has only a cookie, and only reads. */
const byScript = (context: Context): boolean => context.req.method === 'POST' || isRefresh(context);

function unknownVisitor(context: Context): Response | Promise<Response> {
  const message =
    'Open the link that the terminal printed: it holds the key of this console. It works once; Enter in the terminal gives another, or start the console again.';
  return wantsJson(context) ? context.json(refused(message), 401) : context.html(plainPage('Not signed in', message), 401);
}

async function login({ keys, port }: AppDeps, context: Context): Promise<Response> {
  const body = await bodyOf(context);
  const token = body?.['token'];
  if (typeof token !== 'string') return context.json(refused('Send { "token": "..." }.'), 400);
  const exchange = keys.exchange(token);
  if ('refused' in exchange) {
    const used = 'This link was used already: it works once. Ask the terminal for another.';
    return context.json(refused(exchange.refused === 'used' ? used : 'This is no link of this console, or a newer one replaced it.'), 401);
  }
  return context.json({ ok: true, message: 'Signed in.', key: exchange.key }, 200, { 'set-cookie': sessionCookie(exchange.session, port) });
}

async function render({ session, goneOf }: AppDeps, page: Page, context: AppContext): Promise<Response> {
  const gone = goneOf(context);
  const request = {
    ...session,
    params: context.req.param() as Record<string, string>,
    query: new URL(context.req.url).searchParams,
    refresh: isRefresh(context),
  };
  const frame = { title: page.title, path: page.path };
  try {
    return await readUntil(gone, async () => shownPage(request, page, context));
  } catch (error) {
    if (gone.aborted) return new Response(null, { status: GONE });
    const failure = errorTextOf(error);
    if (failure.status === 500) session.onProblem?.(`GET ${context.req.path}`, error);
    return context.html(visibleMarkup(await layout(session, frame, failedMain(failure))), failure.status);
  }
}

/** Awaited here, so that an error while the page is built is handled like one of its rendering. */
async function shownPage(request: PageRequest, page: Page, context: AppContext): Promise<Response> {
  const answer = await page.render(request);
  if (typeof answer === 'object' && 'goTo' in answer) return context.redirect(answer.goTo, 302);
  const { main, about, missing = false } = typeof answer === 'object' && 'main' in answer ? answer : { main: answer };
  const { title, path, live = false } = page;
  const frame = { title, path, live, ...defined({ about }) };
  return context.html(visibleMarkup(await layout(request, frame, main)), missing ? 404 : 200);
}

async function act({ session, goneOf }: AppDeps, action: Action, context: AppContext): Promise<Response> {
  if (!session.write) return context.json(refused(READ_ONLY), 403);
  const body = await bodyOf(context);
  if (body === undefined) return context.json(refused('Send a JSON object.'), 400);
  try {
    const { typed, ...asked } = body;
    const dryRun = action.bulk === 'count' && asked['dryRun'] === true;
    if (action.bulk !== undefined && !dryRun) demandTyped(session, typed, action.bulk === 'count' ? asked['expected'] : undefined);
    const answer = await action.run(session, asked, goneOf(context));
    // Earlier counts are outdated now.
    if (!dryRun) forget(session.admin, COUNTS);
    return context.json({ ...answer, message: visible(answer.message) }, answer.ok ? 200 : 409);
  } catch (error) {
    if (error instanceof UnauditedError) return context.json({ ok: true, warn: true, message: UNAUDITED });
    const failure = errorTextOf(error, 'action', session.redact);
    if (failure.status === 500) session.onProblem?.(`POST ${context.req.path}`, error);
    return context.json(refused(visible(failure.message)), failure.status);
  }
}

/** In production, an action on many jobs needs typed confirmation: the browser asks for the words, the server requires them. */
function demandTyped({ place }: Session, typed: unknown, expected: unknown): void {
  if (!place.production || typed === place.name || (typeof expected === 'number' && typed === String(expected))) return;
  const count = expected === undefined ? '' : ', or the count of the jobs,';
  throw new InvalidInputError('typed', typed, `This is production: type ${place.name}${count} to confirm.`);
}

async function bodyOf(context: Context): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const body: unknown = await context.req.json();
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function nothingHere({ session }: AppDeps, context: Context): Promise<Response> {
  if (wantsJson(context)) return context.json(refused('There is no such action.'), 404);
  const main: Html = emptyState('This page does not exist.', 'Use the navigation. To find a job by its id, use the jobs page.');
  return context.html(visibleMarkup(await layout(session, { title: 'Not found', path: '' }, main)), 404);
}
