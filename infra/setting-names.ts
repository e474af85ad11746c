import { type Setting, SETTINGS, type SettingName } from '../shared/config/settings.ts';

/** The construct's prop for a setting: `executorTimeoutMs` is `executorTimeout` (a Duration), `executorMemoryMb` is `executorMemory` (a Size). */
export function propOfSetting(name: SettingName): string {
  return name.replace(/(?<=[a-z])(?:Ms|Mb)$/, '');
}

/** A value of a setting as one writes it in TypeScript. */
export function valueText(setting: Setting, value: number): string {
  if (setting.unit === 'MB') return `Size.mebibytes(${value})`;
  if (setting.unit !== 'ms') return String(value);
  if (value === 0) return 'Duration.seconds(0)';
  if (value % 86_400_000 === 0) return `Duration.days(${value / 86_400_000})`;
  if (value % 3_600_000 === 0) return `Duration.hours(${value / 3_600_000})`;
  if (value % 60_000 === 0) return `Duration.minutes(${value / 60_000})`;
  return value % 1_000 === 0 ? `Duration.seconds(${value / 1_000})` : `Duration.millis(${value})`;
}

/** All settings in order, with the prop that sets each. */
export function settingsWithProps(): readonly { readonly name: SettingName; readonly prop: string; readonly setting: Setting }[] {
  return (Object.entries(SETTINGS) as [SettingName, Setting][]).map(([name, setting]) => ({ name, prop: propOfSetting(name), setting }));
}
