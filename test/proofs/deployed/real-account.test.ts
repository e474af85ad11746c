import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WAIT } from '../../support/patience.ts';
import { AWS_PATIENCE, checkCaller, readRealAccount, realAccountTarget, RunRefused } from './real-account.ts';
import { runCost } from './run-cost.ts';

const PLACE = { account: '123456789012', region: 'eu-central-1', yes: false };
const asked = (args: string, environment: Readonly<Record<string, string>> = {}) =>
  readRealAccount(args === '' ? [] : args.split(' '), environment);
const started = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'aws.ts'), ...args], { encoding: 'utf8', timeout: WAIT.timeout, env });

describe('a run in a real account', () => {
  test('goes where the command line says', () => {
    expect(asked('--account 123456789012 --region eu-central-1')).toEqual(PLACE);
    expect(asked('--region us-gov-west-1 --account 123456789012').region).toBe('us-gov-west-1');
  });

  test.each([
    ['', /--account has to be the twelve digits/],
    ['--account 1234 --region eu-central-1', /--account has to be the twelve digits/],
    ['--region eu-central-1', /--account has to be the twelve digits/],
    ['--account 123456789012', /--region has to name a region/],
    ['--account 123456789012 --region', /--region has to name a region/],
    ['--account 123456789012 --region Frankfurt', /--region has to name a region/],
    ['--force --account 123456789012', /--force is not an option/],
  ])('is refused when it was asked for with "%s"', (args, why) => {
    expect(() => asked(args)).toThrow(RunRefused);
    expect(() => asked(args)).toThrow(why);
  });

  test('is confirmed in advance with --yes, wherever that stands', () => {
    expect(asked('--account 123456789012 --yes --region eu-central-1')).toEqual({ ...PLACE, yes: true });
  });

  test('waits at least as long as AWS says that it may take', () => {
    expect(AWS_PATIENCE.tickMs).toBe(120_000);
    // Six times the function timeout, what the function takes, and what the count of a queue takes.
    expect(AWS_PATIENCE.jobMs).toBe(480_000);
    expect(AWS_PATIENCE.leftOverMs).toBeGreaterThan(60_000);
  });

  test('says what it costs, of which a dashboard is nearly all', () => {
    const lines = runCost();
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toMatch(/^\$3\.\d\d {2}in all/);
  });

  test('takes no region from the environment, where it may be any', () => {
    const environment = { AWS_REGION: 'eu-central-1', AWS_DEFAULT_REGION: 'eu-central-1' };
    expect(() => asked('--account 123456789012', environment)).toThrow(/--region has to name a region/);
  });

  test.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB'])('is refused while %s leads elsewhere', (name) => {
    const args = '--account 123456789012 --region eu-central-1';
    expect(() => asked(args, { [name]: 'http://127.0.0.1:4566' })).toThrow(`${name} is set`);
    expect(asked(args, { [name]: '' })).toEqual(PLACE);
  });

  test('is refused with the credentials of another account', () => {
    const arn = 'arn:aws:sts::210987654321:assumed-role/admin/me';
    expect(() => checkCaller(PLACE, { account: '210987654321', arn })).toThrow(/of account 210987654321, and --account says 123456789012/);
    expect(() => checkCaller(PLACE, { account: '', arn: '' })).toThrow(RunRefused);
    expect(() => checkCaller(PLACE, { account: '123456789012', arn })).not.toThrow();
  });

  test('leaves alarms on, and delivers nothing', () => {
    const target = realAccountTarget(PLACE, 'secret');
    expect(target.context).toEqual({});
    expect(new URL(target.webhookUrl).hostname).toMatch(/\.invalid$/);
    expect(target.environment).toEqual({
      AWS_REGION: 'eu-central-1',
      CDK_DEFAULT_ACCOUNT: '123456789012',
      CDK_DEFAULT_REGION: 'eu-central-1',
    });
  });

  test('says so and ends with 1 before it has asked AWS anything', () => {
    const { status, stdout } = started([], {});
    expect(stdout).toMatch(/^aws: refused: --account has to be/);
    expect(status).toBe(1);
  });
});
