import type { ActivationStatus } from '../../operate/activation.ts';
import type { Admin } from '../../operate/admin.ts';
import type { Deployment } from '../../shared/config/environment.ts';

/** The result of a read. `absent`: it does not exist. `unknown`: it could not be read (an emulator lacks the call, or a permission is missing). `silent`: no answer. */
export type Look<Seen> = { readonly saw: Seen } | { readonly absent: true } | { readonly unknown: string } | { readonly silent: string };

/** A table as it was described. */
export interface TableSeen {
  readonly status: string;
  /** Key attributes: partition, then sort. */
  readonly key: readonly string[];
  readonly indexes: Readonly<Record<string, string>>;
  readonly deletionProtection: boolean;
  readonly onDemand: boolean;
  readonly sizeBytes: number;
  /** Absent if it was not described. */
  readonly shape?: TableShape;
}

/** A secondary index as it was described. */
export interface IndexSeen {
  readonly key: readonly string[];
  readonly projects: readonly string[] | 'all';
}

/** What else a table's description says. */
export interface TableShape {
  /** Types of the attributes of keys. */
  readonly types: Readonly<Record<string, string>>;
  readonly indexes: Readonly<Record<string, IndexSeen>>;
  /** Regions of replicas. */
  readonly replicas: readonly string[];
}

/** The doctor's reads beyond the admin. They never throw. */
export interface DoctorLooks {
  table(name: string): Promise<Look<TableSeen>>;
  /** The attribute by which rows expire; undefined when none do. */
  timeToLive(table: string): Promise<Look<string | undefined>>;
  pointInTimeRecovery(table: string): Promise<Look<boolean>>;
  queue(url: string): Promise<Look<Readonly<Record<string, string>>>>;
  /** How far this machine's clock is ahead of the service's, in milliseconds, give or take `withinMs`. */
  clock(): Promise<Look<{ readonly aheadMs: number; readonly withinMs: number }>>;
  /** Whether the services are emulators on this machine, which keep no backups. */
  readonly local: boolean;
}

/** The result of a check. `warning`: only right under a condition that cannot be checked from here. */
export interface Finding {
  readonly check: string;
  readonly subject: string;
  readonly status: 'ok' | 'failed' | 'warning' | 'unknown';
  readonly says: string;
  /** How to fix it. */
  readonly fix?: string;
}

/** Dependencies of checks. */
export interface Patient {
  readonly deployment: Deployment;
  readonly admin: Pick<Admin, 'blockedGroups' | 'deploymentOff' | 'heartbeats' | 'workers'>;
  readonly looks: DoctorLooks;
  /** Absent if the deployment's switch is not known. */
  readonly activation?: () => Promise<ActivationStatus>;
}

/** One check: a file of its own, listed in `checks.ts`. */
export interface Check {
  readonly name: string;
  readonly run: (patient: Patient) => Promise<readonly Finding[]>;
}

/** The finding for a failed read; undefined if it succeeded. `what` begins the sentence. */
export function unseen(look: Look<unknown>, what: { readonly check: string; readonly subject: string }): Finding | undefined {
  if ('absent' in look) {
    return { ...what, status: 'failed', says: 'does not exist', fix: 'Deploy the stack again, or check account, region and environment.' };
  }
  if ('unknown' in look) {
    const fix = /Denied/.test(look.unknown) ? 'Allow it: grantRead of the construct does.' : 'An emulator may lack the call.';
    return { ...what, status: 'unknown', says: `could not be read (${look.unknown})`, fix };
  }
  if ('silent' in look)
    return { ...what, status: 'failed', says: `did not answer (${look.silent})`, fix: 'Check network, credentials, account and region.' };
  return undefined;
}
