import { expect, test } from 'vitest';
import { problemText } from '../../../console/problem-text.ts';
import { StoreRefusedError } from '../../../shared/job/errors.ts';

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('a failure is told with its place and its causes, and nothing of a payload', () => {
  const parser = thrownBy(() => void JSON.parse('{"password":"hunter2" oops'));
  const text = problemText('GET /jobs/1', new StoreRefusedError('query', parser));
  expect(text).toContain('console: GET /jobs/1');
  expect(text).toContain('StoreRefusedError: query: the store refused the request (SyntaxError).');
  expect(text).toContain('caused by SyntaxError');
  expect(text).toMatch(/at .*problem-text\.test\.ts/);
  expect(text).not.toMatch(/hunter2|password/);
  expect(problemText('POST /x', 'a text of a payload')).toBe('console: POST /x\n  string\n');
  expect(problemText('POST /x', new TypeError('hunter2\n    at hunter2'))).not.toContain('hunter2');
});

test('what any request may contain neither steers the terminal nor begins a line of its own', () => {
  const text = problemText('POST /\u001b]0;pwned\u0007\nconsole: forged\u202e', new TypeError('x'));
  expect(text.split('\n')[0]).toBe(String.raw`console: POST /\u001b]0;pwned\u0007\u000aconsole: forged\u202e`);
  const named = Object.assign(new Error('x'), { name: 'E\u001b[2J\nforged' });
  expect(problemText('GET /', named)).toContain(String.raw`E\u001b[2J\u000aforged`);
});
