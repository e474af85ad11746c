import { InvalidInputError } from '../../shared/job/errors.ts';
import { typedJson } from '../../shared/job/exact-json.ts';
import { ProblemError } from './problems.ts';

/** A request of a Lambda function URL, payload format 2.0, as far as it is read. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

/** The answer to it. */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A body of more bytes is refused unread. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The JSON value of the body. Throws ProblemError or InvalidInputError. */
export function bodyOf({ headers, body = '', isBase64Encoded }: HttpEvent): unknown {
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ProblemError('not-json', { detail: 'Send JSON with the header content-type: application/json.' });
  }
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > MAX_BODY_BYTES) {
    const detail = `The body has ${bytes.length} bytes, and ${MAX_BODY_BYTES} is the limit. Send fewer jobs at once.`;
    throw new ProblemError('too-large', { detail, more: { limit: MAX_BODY_BYTES } });
  }
  return typedJson(utf8(bytes), 'body');
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidInputError('body', 'bytes', 'Send UTF-8.', { cause });
  }
}

/** An answer with a JSON body. Nothing on the way may keep it. */
export function httpAnswer(statusCode: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  const own = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { statusCode, headers: { ...own, ...headers }, body: JSON.stringify(body) };
}
