import { InvalidConfigurationError, shown } from '../job/errors.ts';
import { type DecodeOptions, ENVIRONMENT, type VariableNames } from './environment.ts';

/** A suffix of environment variables: Lambda takes letters, digits and underscores, and an underscore separates it. */
const CONNECTION_NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;

/**
 * The variables of the deployment that a function was connected to by `connect(fn, { name })`: `NIGHTCREW_TABLES_billing` for `billing`.
 * Without a name, those of its only or main deployment. Throws InvalidConfigurationError for a name that could not be part of a variable.
 */
export function variableNames(name: unknown, field: string): VariableNames {
  if (name === undefined) return ENVIRONMENT;
  if (typeof name !== 'string' || !CONNECTION_NAME.test(name)) {
    throw new InvalidConfigurationError(
      `${field}: ${shown(name)} is not the name of a connection. Use a letter, then letters or digits (at most 32), such as billing.`,
    );
  }
  return Object.fromEntries(Object.entries(ENVIRONMENT).map(([key, variable]) => [key, `${variable}_${name}`])) as VariableNames;
}

/** How the environment of a client or operator is read: which variables, and which call was forgotten if they are missing. */
export function namedConnection(name: string | undefined, call: 'connect' | 'connectOperator'): DecodeOptions {
  if (name === undefined) return {};
  const names = variableNames(name, 'deployment');
  return {
    names,
    forgotten: `executor.${call}(fn, { name: '${name}' }) on the JobExecutor construct, for the function that runs this code`,
  };
}
