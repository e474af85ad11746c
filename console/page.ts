import type { HtmlEscapedString } from 'hono/utils/html';
import type { Admin } from '../shared/admin/admin.ts';

/** Markup in which every value was escaped: made by `html` of hono/html alone. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What every page and every action knows of the session. */
export interface Session {
  readonly admin: Admin;
  /**
   * What is operated on, for the header and for what is typed to confirm: `local`, or account and region. `words` name it on a command
   * line, such as `--stack shop`.
   */
  readonly place: { readonly name: string; readonly production: boolean; readonly words?: readonly string[] };
  /** False: the server refuses every action. */
  readonly write: boolean;
  /** Who acts, for the audit. */
  readonly actor: string;
  /** IANA name of the zone in which times are shown. */
  readonly zone: string;
  readonly now: () => number;
  /** Payload fields that are shown as `[redacted]`, by name. */
  readonly redact: readonly string[];
  /** Told of failures that nobody expected: the browser gets none of it. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** One request for a page. */
export interface PageRequest extends Session {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The page reads itself again: nobody asked for it anew. */
  readonly refresh?: boolean;
}

/** Another page instead of this one: a path of this console, made by `href`. */
export interface GoTo {
  readonly goTo: string;
}

/** A page of which there is more to say than its markup. */
export interface Shown {
  readonly main: Html;
  /** What this one is about, before the title of the page in the browser's tab. */
  readonly about?: string;
  /** What was asked for is not there: the page says so, with status 404. */
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

/** What an action answers; the browser shows `message` and goes to `to`, if given. */
export interface ActionAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly to?: string;
  /** For a dry run: how many jobs match. */
  readonly count?: number;
  /** The count ended at its read budget: `{ countAll: true }` in the body counts the rest. */
  readonly more?: boolean;
  /** Done, but something about it has to be known: it stays on the page until it is read. */
  readonly warn?: boolean;
  /** The job changed since it was shown: the form may take over what it is now. */
  readonly conflict?: boolean;
  /** A bulk action that goes on: its id, for `/bulks/<id>`. */
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
  /** Throws InvalidInputError for a body that cannot be followed. `signal`: whoever asked is gone. */
  run(session: Session, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ActionAnswer>;
}
