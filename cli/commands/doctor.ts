import { decodeEnvironment } from '../../shared/config/environment.ts';
import type { Call } from '../call.ts';
import { EXIT } from '../exit.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import type { Finding } from '../doctor/check.ts';
import { examine } from '../doctor/checks.ts';
import { askEach } from '../each-deployment.ts';
import { plain } from '../text/plain.ts';
import type { Style } from '../text/style.ts';
import { verbCommand } from '../verb-command.ts';

const STYLES: Readonly<Record<Finding['status'], Style>> = { ok: 'good', failed: 'bad', warning: 'warn', unknown: 'quiet' };

/** `nightcrew doctor`: checks a deployment and prints how to fix each fault. */
export const doctorCommand = verbCommand('doctor', 'checks a deployment and says how to fix each fault', [
  {
    summary: 'checks tables, queues, ticks, heartbeats, clock and workers, and says how to fix each fault; exit code 1 if a check fails',
    flags: [
      { flags: '--strict', doc: 'warnings and failed lookups count as faults' },
      { flags: '--quiet', doc: 'leaves out what is in order' },
    ],
    run: async (call) => {
      const { answers, code } = await askEach(call, async (deployment) => diagnosis(call, deployment));
      if (call.show.json) {
        const several = (await call.deployments()).length > 1;
        const shown = answers.map(({ deployment, value }) => [deployment.name, { ...value, findings: shownOf(call, value) }] as const);
        call.show.data(several ? Object.fromEntries(shown) : (shown[0]?.[1] ?? null));
      }
      for (const { deployment, value } of call.show.json ? [] : answers) tell(call, deployment.name, value);
      return code === EXIT.done && answers.every(({ value }) => value.healthy) ? EXIT.done : EXIT.failed;
    },
  },
]);

interface Diagnosis {
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
}

async function diagnosis(call: Call, { environment, admin, activation: targets }: OpenDeployment): Promise<Diagnosis> {
  const deployment = decodeEnvironment(environment);
  const activation = targets === undefined ? {} : { activation: async () => (await call.io.openActivation(targets, environment)).status() };
  const findings = await examine({ deployment, admin, looks: call.io.openDoctor(environment), ...activation });
  const faults = call.on('strict') ? ['failed', 'warning', 'unknown'] : ['failed'];
  return { healthy: !findings.some(({ status }) => faults.includes(status)), findings };
}

function shownOf(call: Call, { findings }: Diagnosis): readonly Finding[] {
  return call.on('quiet') ? findings.filter(({ status }) => status !== 'ok') : findings;
}

function tell(call: Call, name: string, diagnosed: Diagnosis): void {
  const { show } = call;
  const { healthy, findings } = diagnosed;
  show.line(show.paint('head', name));
  for (const { check, subject, status, says, fix } of shownOf(call, diagnosed)) {
    show.line(`  ${show.paint(STYLES[status], status.padEnd(8))} ${check} ${plain(subject)} ${plain(says)}`);
    if (fix !== undefined) show.line(`           ${show.paint('quiet', plain(fix))}`);
  }
  const count = (status: Finding['status']): number => findings.filter((one) => one.status === status).length;
  show.line(
    `${show.paint(healthy ? 'good' : 'bad', healthy ? 'In order' : 'Not in order')}: ${count('ok')} ok, ${count('failed')} failed, ${count('warning')} warnings, ${count('unknown')} unknown.`,
  );
}
