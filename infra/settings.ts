import { Duration, Size } from 'aws-cdk-lib';
import { checkDelayHorizon, checkFirstRedispatch, checkHorizon, refuse, shownValue, withPath } from '../shared/config/deployment-checks.ts';
import { knownNames } from '../shared/job/closest-name.ts';
import { resolveSettings, type Setting, SETTINGS, type SettingName, type Settings } from '../shared/config/settings.ts';
import { isRecord, isToken } from './option-checks.ts';
import { propOfSetting, valueText } from './setting-names.ts';
import type { SettingsProps } from './settings-props.ts';

const WHOLE_SECONDS: readonly SettingName[] = ['executorTimeoutMs', 'acquirerTimeoutMs', 'sweeperTimeoutMs', 'batchWindowMs'];
const WHOLE_MINUTES: readonly SettingName[] = ['acquirerIntervalMs', 'sweeperIntervalMs'];

/** Props as setting values; throws InvalidConfigurationError for a prop that is no setting, has the wrong type or is out of its range. */
export function settingValues(props: SettingsProps = {}, field = 'settings'): Record<string, number> {
  if (!isRecord(props)) refuse(field, `${shownValue(props)} are no settings. Use { executorTimeout: Duration.minutes(5) }.`);
  const names = new Map((Object.keys(SETTINGS) as SettingName[]).map((name) => [propOfSetting(name), name]));
  const values: Record<string, number> = {};
  for (const [prop, value] of Object.entries(props)) {
    const name = names.get(prop);
    if (name === undefined) refuse(`${field}.${prop}`, `is no setting. ${knownNames(prop, [...names.keys()])}`);
    if (value !== undefined) values[name] = valueOf(`${field}.${prop}`, SETTINGS[name], value);
  }
  return values;
}

/** The same for one worker, which has only the executor's settings of its own. */
export function executorSettingValues(props: SettingsProps | undefined, field: string): Record<string, number> {
  const values = settingValues(props, field);
  for (const name of Object.keys(values) as SettingName[]) {
    if (SETTINGS[name].of !== 'executor')
      refuse(`${field}.${propOfSetting(name)}`, 'this is a setting of the whole deployment. Set it in settings.');
  }
  return values;
}

/** All settings with the overrides applied, checked as in the functions, and for the limits of CloudFormation. */
export function checkedSettings(overrides: Readonly<Record<string, number>>, field = 'settings'): Settings {
  return withPath(field, () => {
    const settings = resolveSettings(overrides);
    refuseFractions(settings, WHOLE_SECONDS, 1_000, 'seconds');
    refuseFractions(settings, WHOLE_MINUTES, 60_000, 'minutes');
    checkFirstRedispatch(settings, propOfSetting('firstRedispatchAfterMs'));
    checkHorizon(settings, propOfSetting('horizonMs'), propOfSetting('acquirerIntervalMs'));
    checkDelayHorizon(settings, propOfSetting('delayHorizonMs'), propOfSetting('horizonMs'));
    return settings;
  });
}

function refuseFractions(settings: Settings, names: readonly SettingName[], unitMs: number, unit: string): void {
  for (const name of names) {
    if (settings[name] % unitMs === 0) continue;
    refuse(propOfSetting(name), `${settings[name]} ms is not a whole number of ${unit}. AWS takes whole ${unit} only.`);
  }
}

/** The type of a setting's prop, as errors call it. */
function kindOf({ unit }: Setting): string {
  return unit === 'ms' ? 'a Duration' : unit === 'MB' ? 'a Size' : 'a whole number';
}

function valueOf(field: string, setting: Setting, value: unknown): number {
  const use = `Use ${kindOf(setting)} from ${valueText(setting, setting.min)} to ${valueText(setting, setting.max)}.`;
  if (isToken(value)) refuse(field, `it is only known when the app is deployed, and settings are checked with each other. ${use}`);
  const number = plainValue(setting, value);
  if (number === undefined) return refuse(field, `${shownValue(value)} has the wrong type. ${use}`);
  if (Number.isInteger(number) && number >= setting.min && number <= setting.max) return number;
  return refuse(field, `${valueText(setting, number)} is outside its range. ${use}`);
}

/** A value in the unit of its setting; undefined if it has the wrong type. */
function plainValue({ unit }: Setting, value: unknown): number | undefined {
  if (unit === 'ms') return value instanceof Duration ? value.toMilliseconds() : undefined;
  if (unit === 'MB') return value instanceof Size ? value.toMebibytes() : undefined;
  return typeof value === 'number' ? value : undefined;
}
