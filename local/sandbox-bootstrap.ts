/** The program in a sandbox: loads the function's `handler` and takes events from the Lambda Runtime API until it is killed. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';

type Handler = (event: unknown, context: Context) => unknown;

const env = process.env;
const [host = '', port = ''] = (env['AWS_LAMBDA_RUNTIME_API'] ?? '').split(':');
const variable = (name: string): string => env[name] ?? '';

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A connection for each call: one that is kept would be closed while the sandbox is frozen. */
function call(method: 'GET' | 'POST', path: string, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path: `/2018-06-01/runtime/${path}`, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ headers: response.headers, body: text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify({ errorType: typeof error, errorMessage: String(error) });
  return JSON.stringify({ errorType: error.name, errorMessage: error.message, stackTrace: error.stack?.split('\n') ?? [] });
}

async function loadHandler(): Promise<Handler> {
  const [file = '', name = ''] = variable('_HANDLER').split('.');
  const loaded = (await import(pathToFileURL(`${variable('LAMBDA_TASK_ROOT')}/${file}.mjs`).href)) as Record<string, unknown>;
  if (typeof loaded[name] !== 'function') throw new Error(`${variable('_HANDLER')} is undefined or not exported`);
  return loaded[name] as Handler;
}

function contextOf(headers: IncomingHttpHeaders): Context {
  const header = (name: string): string => String(headers[`lambda-runtime-${name}`] ?? '');
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: variable('AWS_LAMBDA_FUNCTION_NAME'),
    functionVersion: variable('AWS_LAMBDA_FUNCTION_VERSION'),
    invokedFunctionArn: header('invoked-function-arn'),
    memoryLimitInMB: variable('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'),
    awsRequestId: header('aws-request-id'),
    logGroupName: variable('AWS_LAMBDA_LOG_GROUP_NAME'),
    logStreamName: variable('AWS_LAMBDA_LOG_STREAM_NAME'),
    getRemainingTimeInMillis: () => Math.max(0, Number(header('deadline-ms')) - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

const handler = await loadHandler().catch(async (error: unknown) => {
  await call('POST', 'init/error', failureOf(error));
  return process.exit(1);
});
// The server is gone when the region is: the rejected call ends the process.
for (;;) {
  const { headers, body } = await call('GET', 'invocation/next');
  const path = `invocation/${String(headers['lambda-runtime-aws-request-id'])}`;
  const ended = await (async () => handler(JSON.parse(body), contextOf(headers)))().then(
    (returned) => ({ kind: 'response', text: JSON.stringify(returned) ?? 'null' }),
    (error: unknown) => ({ kind: 'error', text: failureOf(error) }),
  );
  await call('POST', `${path}/${ended.kind}`, ended.text);
}
