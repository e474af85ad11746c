/** Why a text is no JSON, without the part of it that V8 quotes after what it says of a token. */
export const jsonFault = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/, (?:\.\.\.)?".*$|^".*"(?= is not)/s, '').trim() : 'unreadable';

/**
 * Parses JSON typed by a user, if it is unambiguous. Throws SyntaxError also for a duplicate key in an object, of which a parser
 * keeps the last, and for half a surrogate pair, which no UTF-8 can hold.
 */
export function strictJson(text: string): unknown {
  const value: unknown = JSON.parse(text, (key, child: unknown) => {
    for (const part of [key, child]) {
      if (typeof part === 'string' && !part.isWellFormed()) throw new SyntaxError('a text holds half of a surrogate pair');
    }
    return child;
  });
  checkKeysOnce(text);
  return value;
}

/** Texts and braces of valid JSON; a text before a colon is a key of the object that was opened last. */
const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/gs;

function checkKeysOnce(text: string): void {
  const open: Set<string>[] = [];
  for (const [part, name, colon] of text.matchAll(PARTS)) {
    if (part === '{') open.push(new Set());
    else if (part === '}') open.pop();
    else if (name !== undefined && colon !== undefined) {
      const key = String(JSON.parse(name));
      if (open.at(-1)?.has(key) === true) throw new SyntaxError(`the key ${name.slice(0, 80)} occurs twice in an object`);
      open.at(-1)?.add(key);
    }
  }
}
