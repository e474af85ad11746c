import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { knownNames } from '../shared/job/closest-name.ts';

/** Pollers that Lambda keeps for one queue around the clock (provisioned mode). They cost money by the hour. */
export interface PollerProps {
  /**
   * Pollers that are always there.
   * @default 2
   */
  readonly minimum?: number;
  /**
   * Pollers that Lambda may add under load. Each runs up to ten executors at the same time.
   * @default 200
   */
  readonly maximum?: number;
}

/** What Lambda takes for a queue: API_ProvisionedPollerConfig, and `AWS::Lambda::EventSourceMapping ProvisionedPollerConfig` of CloudFormation. */
const RANGES = { minimum: [2, 200], maximum: [2, 2_000] } as const;
const DEFAULTS = { minimum: 2, maximum: 200 } as const;
const RUN_BY_POLLER = 10;

/** Refuses options that there are not, numbers that Lambda does not take, and a maximum below the minimum. */
export function checkPollers(field: string, pollers: PollerProps | undefined): void {
  if (pollers === undefined) return;
  if (typeof pollers !== 'object' || pollers === null || Array.isArray(pollers)) {
    refuse(field, `${shownValue(pollers)} are no pollers. Use { minimum: 2, maximum: 200 }.`);
  }
  for (const [name, value] of Object.entries(pollers)) {
    const range = Object.hasOwn(RANGES, name) ? RANGES[name as keyof PollerProps] : undefined;
    if (range === undefined) refuse(`${field}.${name}`, `is no option of pollers. ${knownNames(name, Object.keys(RANGES))}`);
    const [min, max] = range;
    if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
      refuse(`${field}.${name}`, `${shownValue(value)} is outside its range. Use a whole number from ${min} to ${max}.`);
    }
  }
  const { minimum = DEFAULTS.minimum, maximum = DEFAULTS.maximum } = pollers;
  if (minimum > maximum) refuse(`${field}.minimum`, `${minimum} is more than maximum (${maximum}). Use ${maximum} or less.`);
}

/** How many executors the pollers of one queue may run at the same time. */
export function runByPollers({ maximum = DEFAULTS.maximum }: PollerProps): number {
  return maximum * RUN_BY_POLLER;
}
