import { Duration, Size } from 'aws-cdk-lib';
import { checkDelayHorizon, checkFirstRedispatch, checkHorizon, refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { resolveSettings, SETTINGS, type SettingName, type Settings } from '../shared/config/settings.ts';
import { propOfSetting } from './setting-names.ts';
import type { SettingsProps } from './settings-props.ts';

const WHOLE_SECONDS: readonly SettingName[] = ['executorTimeoutMs', 'acquirerTimeoutMs', 'sweeperTimeoutMs', 'batchWindowMs'];
const WHOLE_MINUTES: readonly SettingName[] = ['acquirerIntervalMs', 'sweeperIntervalMs'];

/** Props as setting values; throws InvalidConfigurationError for a prop that is no setting or has the wrong type. */
export function settingValues(props: SettingsProps = {}): Record<string, number> {
  const names = new Map((Object.keys(SETTINGS) as SettingName[]).map((name) => [propOfSetting(name), name]));
  const values: Record<string, number> = {};
  for (const [prop, value] of Object.entries(props)) {
    const name = names.get(prop);
    if (name === undefined) refuse(prop, `this is not a setting. Known are: ${[...names.keys()].join(', ')}.`);
    if (value !== undefined) values[name] = valueOf(prop, name, value);
  }
  return values;
}

/** The same for one worker, which has only the executor's settings of its own. */
export function executorSettingValues(props: SettingsProps | undefined, field: string): Record<string, number> {
  const values = settingValues(props);
  for (const name of Object.keys(values) as SettingName[]) {
    if (SETTINGS[name].of !== 'executor')
      refuse(`${field}.${propOfSetting(name)}`, 'this is a setting of the whole deployment. Set it in settings.');
  }
  return values;
}

/** All settings with the overrides applied, checked as the functions check them and for what CloudFormation can express. */
export function checkedSettings(overrides: Readonly<Record<string, number>>): Settings {
  const settings = resolveSettings(overrides);
  refuseFractions(settings, WHOLE_SECONDS, 1_000, 'seconds');
  refuseFractions(settings, WHOLE_MINUTES, 60_000, 'minutes');
  checkFirstRedispatch(settings, propOfSetting('firstRedispatchAfterMs'));
  checkHorizon(settings, propOfSetting('horizonMs'), propOfSetting('acquirerIntervalMs'));
  checkDelayHorizon(settings, propOfSetting('delayHorizonMs'), propOfSetting('horizonMs'));
  return settings;
}

function refuseFractions(settings: Settings, names: readonly SettingName[], unitMs: number, unit: string): void {
  for (const name of names) {
    if (settings[name] % unitMs === 0) continue;
    refuse(propOfSetting(name), `${settings[name]} ms is not a whole number of ${unit}. AWS takes whole ${unit} only.`);
  }
}

function valueOf(prop: string, name: SettingName, value: unknown): number {
  const { unit } = SETTINGS[name];
  if (unit === 'ms' && value instanceof Duration) return value.toMilliseconds();
  if (unit === 'MB' && value instanceof Size) return value.toMebibytes();
  if (unit !== 'ms' && unit !== 'MB' && typeof value === 'number') return value;
  const wanted =
    unit === 'ms' ? 'a Duration, such as Duration.minutes(5)' : unit === 'MB' ? 'a Size, such as Size.mebibytes(512)' : 'a number';
  return refuse(prop, `${shownValue(value)} has the wrong type. Use ${wanted}.`);
}
