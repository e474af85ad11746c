import { UsageError } from '../../../scripts/command-line.ts';
import { type Chosen, POINT_FAULTS, type PointFault } from './chosen-faults.ts';

/** `3:crash-after,7:lost-reply`. */
export function faultsText(chosen: readonly Chosen[]): string {
  return chosen.map(({ at, fault }) => `${at}:${fault}`).join(',');
}

/** The faults that a text names. Throws UsageError. */
export function parseFaults(text: string): readonly Chosen[] {
  return text.split(',').flatMap((part): Chosen[] => {
    if (part.trim() === '') return [];
    const [at, fault] = part.trim().split(':');
    if (POINT_FAULTS.includes(fault as PointFault) && Number(at) > 0) return [{ at: Number(at), fault: fault as PointFault }];
    throw new UsageError(`${part} is no fault. Write point:fault, with one of ${POINT_FAULTS.join(', ')}.`);
  });
}
