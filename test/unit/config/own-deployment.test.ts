import { describe, expect, it } from 'vitest';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { deploymentEnvironment, type DeploymentOptions, type OwnWorkerOptions } from '../../../shared/config/own-deployment.ts';
import { eachOptionRefuses } from '../../support/wrong-values.ts';

describe('the environment of a deployment without the construct', () => {
  it('has the workers, lanes and settings that it was given', () => {
    const made = deploymentEnvironment({
      workers: { mail: { lanes: { high: { from: 10 }, rest: { to: 9 } }, priority: 3, groups: false }, other: { timersFirst: true } },
      worker: 'mail',
      settings: { batchConcurrency: 2 },
      history: 'full',
      events: { log: true },
    });
    const { workers, worker, settings, history, metrics, events } = decodeEnvironment(made);
    expect({ worker, history, metrics, events, batch: settings.batchConcurrency }).toEqual({
      worker: 'mail',
      history: 'full',
      metrics: 'off',
      events: { log: true },
      batch: 2,
    });
    expect(workers.get('mail')).toEqual({
      lanes: { high: 'own/mail.high', rest: 'own/mail.rest' },
      from: { high: 10 },
      priority: 3,
      deadLetterQueue: 'own/mail-dlq',
    });
    expect(Object.keys(workers.get('other')?.lanes ?? {})).toEqual(['timers', 'default']);
  });

  it('has what is undefined by default', () => {
    const given = { workers: { default: undefined }, settings: { batchSize: undefined }, history: undefined, events: undefined };
    expect(deploymentEnvironment(given as never)).toEqual(deploymentEnvironment());
  });

  eachOptionRefuses<DeploymentOptions>({
    path: '',
    stranger: 'options: "unheardOfOption" is not valid.',
    give: (options) => deploymentEnvironment(options),
    wrong: {
      workers: [
        [[], ': an array is not valid. Give the workers by name: { default: {} }.'],
        [null, ': null is not valid.'],
        [{}, ': there is none.'],
        [{ Mail: {} }, '.Mail: "Mail" is not valid.'],
        [{ all: {} }, '.all: this name is reserved. Use another.'],
        [{ mail: 5 }, '.mail: 5 is not valid. Give an object of options.'],
      ],
      worker: [
        ['mail', ': "mail" is not a worker of this deployment. Known are: default.'],
        [5, ': 5 is not a worker'],
      ],
      settings: [
        [5, ': 5 is not valid. Give an object of options.'],
        [null, ': null is not valid.'],
        [{ batch: 1 }, ': "batch" is not valid. Known are: '],
        [{ batchSize: '10' }, '.batchSize: '],
        [{ firstRedispatchAfterMs: 1_000 }, '.firstRedispatchAfterMs: 1000 ms is less than the 6 minutes'],
        [{ horizonMs: 1_000 }, '.horizonMs: 1000 ms is less than twice acquirerIntervalMs'],
        [{ delayHorizonMs: 60_000 }, '.delayHorizonMs: 60000 ms is less than horizonMs'],
      ],
      history: [['ful', ': "ful" is not one of ']],
      metrics: [
        ['on', ': "on" is not one of worker, type, off'],
        [{ types: [] }, ': an object names 0 types.'],
      ],
      events: [
        [true, ': true is not valid. Give an object of options.'],
        [{ logg: true }, ': "logg" is not valid. Did you mean log?'],
        [{ log: 'yes' }, '.log: "yes" is not valid. Use true or false.'],
        [{ on: 1 }, '.on: 1 is not valid.'],
      ],
    },
  });
});

describe('a worker of a deployment without the construct', () => {
  eachOptionRefuses<OwnWorkerOptions>({
    path: 'workers.mail.',
    stranger: 'workers.mail: "unheardOfOption" is not valid.',
    give: (mail) => deploymentEnvironment({ workers: { mail } }),
    wrong: {
      lanes: [
        [5, ': 5 is not valid. Give the lanes by name'],
        [{}, ': there is no lane.'],
        [{ high: { form: 10 } }, '.high: "form" is not valid. Did you mean from?'],
        [{ high: { from: 'ten' }, rest: { to: 9 } }, '.high.from: "ten" is no priority.'],
      ],
      timersFirst: [['no', ': "no" is not valid. Use true or false.']],
      priority: [['high', ': "high" is not valid. Use a whole number']],
      groups: [['no', ': "no" is not valid. Use true or false.']],
    },
  });
});
