import { createHttpApi } from './create-http-api.ts';

/** Entry point of the Lambda behind the URL of `externalApi`. */
export const handler: ReturnType<typeof createHttpApi> = createHttpApi();
