import { Duration, Lazy, Size } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { settingsWithProps, valueText } from '../../infra/setting-names.ts';
import { executorStack, WORKER_ENTRY } from './synth.ts';

const worker = (settings: Readonly<Record<string, unknown>>): unknown =>
  executorStack({ workers: { default: { entry: WORKER_ENTRY, settings } } });

describe('settings', () => {
  it.each(settingsWithProps())(
    '$prop refuses another type, what is outside its range, and what is only known when the app is deployed',
    ({ prop, setting }) => {
      const settings = (value: unknown): unknown => executorStack({ settings: { [prop]: value } });
      const use = `Use a ${{ ms: 'Duration', MB: 'Size' }[setting.unit as string] ?? 'whole number'} from ${valueText(setting, setting.min)} to `;
      expect(() => settings('5')).toThrow(`settings.${prop}: "5" has the wrong type. ${use}`);
      const above = setting.max + 1;
      const written = setting.unit === 'ms' ? Duration.millis(above) : setting.unit === 'MB' ? Size.mebibytes(above) : above;
      expect(() => settings(written)).toThrow(`settings.${prop}: ${valueText(setting, above)} is outside its range. ${use}`);
      const later = Lazy.number({ produce: () => setting.max });
      const token = setting.unit === 'ms' ? Duration.seconds(later) : setting.unit === 'MB' ? Size.mebibytes(later) : later;
      expect(() => settings(token)).toThrow(`settings.${prop}: it is only known when the app is deployed`);
    },
  );

  it('of a worker are named by their path in it, also where they contradict those of the deployment', () => {
    expect(() => worker({ executorTimeout: Duration.seconds(1) })).toThrow('workers.default.settings.executorTimeout: Duration.seconds(1)');
    expect(() => worker({ crashes: 1 })).toThrow('workers.default.settings.crashes: is no setting. Known are: ');
    expect(() => worker({ minimumRun: Duration.minutes(5) })).toThrow('workers.default.settings.minimumRun: 300000 ms');
    const workers = { default: { outside: true, settings: { workerLease: Duration.seconds(15) } } };
    expect(() => executorStack({ workers })).toThrow('workers.default.settings.workerLease: 15000 ms is less than twice the lease margin');
  });
});
