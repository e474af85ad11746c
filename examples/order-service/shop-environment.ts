import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The order service's environment. */
export interface ShopEnvironment {
  readonly ordersTable: string;
  /** Folder that invoices and reports are written to. */
  readonly invoicesFolder: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** How long after an order its payment is reminded of: an ISO-8601 duration. */
  readonly reminderAfter: string;
}

/** Reads the variables of the order service, each only when it is needed; a missing one is named. */
export function shopEnvironment(env: Environment): ShopEnvironment {
  const required = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set.`);
    return value;
  };
  return {
    get ordersTable() {
      return required('ORDERS_TABLE');
    },
    get webhookUrl() {
      return required('WEBHOOK_URL');
    },
    get webhookSecret() {
      return required('WEBHOOK_SECRET');
    },
    invoicesFolder: env['INVOICES_FOLDER'] ?? join(tmpdir(), 'invoices'),
    reminderAfter: env['REMINDER_AFTER'] ?? 'P3D',
  };
}

/** The environment variables of this process, as in Lambda. */
export function processEnvironment(): Environment {
  return process.env;
}
