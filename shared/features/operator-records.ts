import { auditWrite } from './audit/store/audit.ts';
import type { ActRecord, OperatorAct, RecordAct } from '../ports/operator-act.ts';

/** What is written about an operator's act. A verb with a transaction puts it in there; the others write it right after their own writes. */
const RECORDS: readonly RecordAct[] = [auditWrite];

/** The writes that record an act, on no condition. */
export function recordWrites(act: OperatorAct, token: string): readonly ActRecord[] {
  return RECORDS.map((record) => record(act, token));
}
