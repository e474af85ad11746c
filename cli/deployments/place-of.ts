import { ENVIRONMENT } from '../../shared/config/environment.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Environment } from '../command-io.ts';

/** Where a deployment runs, from its variables alone: no request is made. */
export interface Place {
  /** Its services are emulators on this machine. */
  readonly local: boolean;
  readonly account?: string;
  readonly region?: string;
}

const LOOPBACK = /^https?:\/\/(127\.|localhost|\[::1\])/;
const QUEUE = /https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/(\d{12})\//;
const ARN = /arn:aws[a-z-]*:(?:sqs|dynamodb|events):([a-z0-9-]+):(\d{12}):/;

/** Account and region from the addresses of its queues or the ARNs of its tables; the region that is set wins, for it is the one that is called. */
export function placeOf(environment: Environment): Place {
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? environment['AWS_ENDPOINT_URL'] ?? '';
  const texts = [environment[ENVIRONMENT.workers] ?? '', environment[ENVIRONMENT.tables] ?? ''];
  const [, itsRegion, account] = texts.map((text) => QUEUE.exec(text) ?? ARN.exec(text)).find((found) => found !== null) ?? [];
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? itsRegion;
  return {
    local: LOOPBACK.test(endpoint),
    ...defined({ account, region }),
  };
}

/** For a sentence: `shop (account 123456789012, eu-west-1)`. Emulators are always `local`. */
export function placeInWords(name: string, { local, account, region }: Place): string {
  const known = local ? ['local'] : [...(account === undefined ? [] : [`account ${account}`]), ...(region === undefined ? [] : [region])];
  return known.length === 0 ? name : `${name} (${known.join(', ')})`;
}
