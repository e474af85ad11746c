import { EMULATED } from './emulators/emulator-credentials.ts';

/** Name and size of a function, as Lambda passes them to its code. */
export interface FunctionIdentity {
  readonly name: string;
  readonly memoryMb: number;
}

/** ARN of a function of the local region. */
export function functionArn(name: string): string {
  return `arn:aws:lambda:${EMULATED['AWS_REGION']}:000000000000:function:${name}`;
}

/** The variables that Lambda sets for a function and the emulators' credentials: a sandbox has these and its own, nothing of the host's. */
export function lambdaEnvironment({ name, memoryMb }: FunctionIdentity): Record<string, string> {
  const credentials = Object.entries(EMULATED).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return {
    ...Object.fromEntries(credentials),
    _HANDLER: 'index.handler',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LANG: 'en_US.UTF-8',
    // As the construct sets it.
    NODE_OPTIONS: '--enable-source-maps',
    TZ: ':UTC',
  };
}
