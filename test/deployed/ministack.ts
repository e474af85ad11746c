/**
 * `npm run test:ministack`: deploys the example with the CDK on MiniStack, which runs the functions without Docker, and walks through
 * the life of its jobs from outside. Installs MiniStack into `.emulators` the first time; fails where that cannot be done.
 */
import { startWebhookReceiver, type WebhookReceiver } from '../../examples/order-service/webhook-receiver.ts';
import { stopOnSignals } from '../../local/stop-on-signals.ts';
import { systemClock } from '../../shared/config/system.ts';
import { recordFigures } from '../support/figures.ts';
import { deployAndWalk, freshStackName } from './deploy-and-walk.ts';
import { lastLines, type Ministack, startMinistack } from './ministack-process.ts';
import { createReport } from './report.ts';
import type { Target } from './target.ts';

const SECRET = 'a secret of this run';
/** With this seed the receiver answers 503 and 500 to one of the walk's orders and 429 to the other, before it takes them. */
const SEED = 3;

const clock = systemClock;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const started = clock.now();
  const stopping = stopOnSignals(process, () => process.exit(1));
  const ministack = await startMinistack(clock);
  const receiver = await startWebhookReceiver({ secret: SECRET, seed: SEED });
  try {
    print(`ministack: MiniStack ${ministack.version}, Python ${ministack.python}, Node ${process.version}, ${ministack.endpoint}`);
    print('ministack: deployed with -c alarms=false, because its CloudFormation refuses alarms on metric math');
    const target = ministackTarget(ministack, receiver);
    Object.assign(process.env, target.environment);
    const report = createReport({ clock }, print);
    const { resources, deploySeconds, walked } = await deployAndWalk(target, freshStackName(), { report, clock, stopping });
    const passed = report.failed === 0 && !stopping.aborted && walked !== undefined;
    print(`ministack: ${report.passed} passed, ${report.failed} failed${stopping.aborted ? ', stopped before its end' : ''}`);
    if (!passed) print(`ministack: what it said last:\n${lastLines(ministack.log)}\nAll of it: ${ministack.log}`);
    else {
      const seconds = Math.round((clock.now() - started) / 1000);
      const { version } = ministack;
      recordFigures('ministack', { version, steps: report.passed, resources, deploySeconds, ...walked, seconds });
    }
    return passed;
  } finally {
    await receiver.stop();
    await ministack.stop();
  }
}

function ministackTarget({ endpoint }: Ministack, receiver: WebhookReceiver): Target {
  return {
    name: 'ministack',
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      // An address instead of a name, so that buckets are no host names.
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
      CDK_DEFAULT_ACCOUNT: '000000000000',
      CDK_DEFAULT_REGION: 'us-east-1',
    },
    context: { alarms: 'false' },
    bootstrap: true,
    webhookUrl: receiver.url,
    webhookSecret: SECRET,
    delivered: receiver.delivered,
    patience: { cdkMs: 90_000, jobMs: 30_000, timerLateMs: 20_000, leftOverMs: 10_000 },
  };
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  print(`ministack: cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
