import type { HtmlEscapedString } from 'hono/utils/html';
import type { Admin } from '../operate/admin.ts';

/** Markup in which every value was escaped: made by `html` of hono/html alone. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The session, as pages and actions see it. */
export interface Session {
  readonly admin: Admin;
  /**
   * The deployment, for the header and for typed confirmations: `local`, or account and region. `words` select it on a command
   * line, such as `--stack shop`.
   */
  readonly place: { readonly name: string; readonly production: boolean; readonly words?: readonly string[] };
  /** False: the server refuses every action. */
  readonly write: boolean;
  /** The actor, for the audit. */
  readonly actor: string;
  /** IANA name of the zone in which times are shown. */
  readonly zone: string;
  readonly now: () => number;
  /** Payload fields that are shown as `[redacted]`, by name. */
  readonly redact: readonly string[];
  /** Receives unexpected failures, which the browser does not show. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** One request for a page. */
export interface PageRequest extends Session {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The page refreshes itself, without a user's request. */
  readonly refresh?: boolean;
}

/** Another page instead of this one: a path of this console, made by `href`. */
export interface GoTo {
  readonly goTo: string;
}

/** A page with more than its markup. */
export interface Shown {
  readonly main: Html;
  /** The subject, shown before the page's title in the browser's tab. */
  readonly about?: string;
  /** The subject does not exist: the page says so, with status 404. */
  readonly missing?: boolean;
}

/** A page: a file of its own in `pages/`, listed in `pages.ts`. */
export interface Page {
  /** As Hono writes paths: `/jobs/:id`. */
  readonly path: string;
  readonly title: string;
  /** Its place in the navigation, and the key that goes there after `g`; absent for pages that are reached from others. */
  readonly nav?: { readonly label: string; readonly key: string };
  /** Refreshed while it is looked at. */
  readonly live?: boolean;
  render(request: PageRequest): Promise<Html | Shown | GoTo>;
}

/** The answer of an action; the browser shows `message` and goes to `to`, if given. */
export interface ActionAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly to?: string;
  /** For a dry run: how many jobs match. */
  readonly count?: number;
  /** For a preview: the payload of one job before and after, with hidden fields hidden. */
  readonly sample?: { readonly before?: string; readonly after?: string };
  /** The count ended at its read budget: `{ countAll: true }` in the body counts the rest. */
  readonly more?: boolean;
  /** Done, but something about it has to be known: it stays on the page until it is read. */
  readonly warn?: boolean;
  /** The job changed since it was shown: the form may load its current value. */
  readonly conflict?: boolean;
  /** A running bulk action: its id, for `/bulks/<id>`. */
  readonly bulk?: string;
}

/** Something that changes the deployment: a file of its own in `actions/`, listed in `actions.ts`, reached by POST `/actions/<name>` with a JSON body. */
export interface Action {
  readonly name: string;
  /**
   * It concerns many jobs: in production the server demands `typed` in the body, the name of the place; `count`: or the count `expected`, which
   * the action then never passes.
   */
  readonly bulk?: 'count' | 'place';
  /** Throws InvalidInputError for an invalid body. `signal` aborts when the client disconnects. */
  run(session: Session, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ActionAnswer>;
}
