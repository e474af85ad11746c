import type { Scalar } from '../../job/job.ts';
import type { Condition, Row } from '../../ports/tables.ts';

/** Whether a condition holds for a row, or for a missing row. A comparison with an absent or differently typed attribute is false. */
export function conditionHolds(condition: Condition | undefined, row: Row | undefined): boolean {
  if (condition === undefined) return true;
  switch (condition.test) {
    case 'absent':
      return attributeOf(row, condition.attribute) === undefined;
    case 'present':
      return attributeOf(row, condition.attribute) !== undefined;
    case 'equals':
      return attributeOf(row, condition.attribute) === condition.value;
    case 'beginsWith': {
      const value = attributeOf(row, condition.attribute);
      return typeof value === 'string' && value.startsWith(String(condition.value));
    }
    case 'atMost':
      return isAtMost(attributeOf(row, condition.attribute), condition.value);
    case 'all':
      return condition.of.every((one) => conditionHolds(one, row));
    case 'any':
      return condition.of.some((one) => conditionHolds(one, row));
  }
}

function attributeOf(row: Row | undefined, attribute: string): Scalar | undefined {
  return row !== undefined && Object.hasOwn(row, attribute) ? row[attribute] : undefined;
}

function isAtMost(value: Scalar | undefined, limit: Scalar): boolean {
  if (typeof value === 'number' && typeof limit === 'number') return value <= limit;
  return typeof value === 'string' && typeof limit === 'string' && compareTexts(value, limit) <= 0;
}

/** Order of two texts by their UTF-8 bytes, which differs from JavaScript's for characters beyond U+FFFF. */
export function compareTexts(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

// A surrogate stands for a character above U+FFFF, so it sorts after everything else.
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
