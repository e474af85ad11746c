import { readFileSync } from 'node:fs';
import { Duration, Size } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { settingsWithProps } from '../../infra/setting-names.ts';
import { settingValues } from '../../infra/settings.ts';
import type { SettingsProps } from '../../infra/settings-props.ts';
import { settingsDoc, settingsProps } from '../../scripts/generate-settings-doc.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the settings as props', () => {
  it('are documented as they are: npm run docs when this fails', () => {
    expect(text('docs/reference/settings.md')).toBe(settingsDoc());
  });

  it('are all props of the construct: npm run docs when this fails', () => {
    expect(text('infra/settings-props.ts')).toBe(settingsProps());
  });

  it('have a prop each, and no two the same', () => {
    const props = settingsWithProps().map(({ prop }) => prop);
    expect(new Set(props).size).toBe(props.length);
  });

  it('reach the functions as the values that they expect, whatever their unit', () => {
    const given = Object.fromEntries(
      settingsWithProps().map(({ prop, setting }) => [
        prop,
        setting.unit === 'ms' ? Duration.millis(setting.max) : setting.unit === 'MB' ? Size.mebibytes(setting.max) : setting.max,
      ]),
    ) as SettingsProps;
    expect(settingValues(given)).toEqual(Object.fromEntries(settingsWithProps().map(({ name, setting }) => [name, setting.max])));
  });

  it('that are not given are left to the default', () => {
    expect(settingValues({ crashLimit: undefined } as never)).toEqual({});
  });
});
