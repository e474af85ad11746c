import { BatchSupport } from '../../shared/adapters/dynamodb/batch-support.ts';

/** What Dynoxide takes in no statement: arithmetic, and a clause behind the first SET or REMOVE (docs/decisions/0041-writes-that-travel-together.md), and its answers. */
const UNKNOWN_TO_DYNOXIDE = {
  text: / (SET|REMOVE) .*(\+| SET | REMOVE )/,
  message: /Unexpected value token|UPDATE requires a WHERE clause/,
};
/** The answer of DynamoDB about a row without the counter that a statement adds to. */
const LACKS_A_COUNTER = /attribute that does not exist/;

/**
 * Batches that a store has to take: a refusal fails the write that met it. Otherwise every write would go by itself, and no test would
 * notice.
 */
export class RequiredBatches extends BatchSupport {
  constructor(least?: number) {
    super(least === undefined ? {} : { least });
  }

  override turnOff(_: unknown, message: string): void {
    throw new Error(`The store takes no batches: ${message}`);
  }

  override misunderstands(text: string, row: string, message: string): void {
    const { text: form, message: token } = UNKNOWN_TO_DYNOXIDE;
    const isExpected = LACKS_A_COUNTER.test(message) || (form.test(text) && token.test(message));
    if (!isExpected) throw new Error(`The store does not take ${text} of ${row}: ${message}`);
    super.misunderstands(text, row, message);
  }
}
