import type { Admin } from '../../operate/admin.ts';
import type { CommandIo } from '../../cli/command-io.ts';

/** A terminal that remembers what was printed; nobody sits at it unless `answers` has some. */
export interface FakeTerminal {
  readonly io: CommandIo;
  readonly questions: string[];
  out(): string;
  err(): string;
}

/** Noon of a day, in UTC. */
export const NOON = Date.UTC(2026, 0, 31, 12);

const refused = (what: string) => (): never => {
  throw new Error(`${what} was not expected.`);
};

/** A terminal for one run of the CLI; everything that a test does not hand in refuses. */
export function fakeTerminal(
  given: Partial<CommandIo> & { readonly admin?: Partial<Admin>; readonly answers?: readonly string[] } = {},
): FakeTerminal {
  let [out, err] = ['', ''];
  const questions: string[] = [];
  const { admin, answers = [], ...io } = given;
  const left = [...answers];
  return {
    questions,
    out: () => out,
    err: () => err,
    io: {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      environment: {},
      openExternal: refused('an external session'),
      openAdmin: admin === undefined ? refused('an admin') : () => admin as Admin,
      openActivation: refused('an activation'),
      openDoctor: refused('a doctor'),
      startConsole: refused('a console'),
      stackOutputs: refused('a stack'),
      readText: refused('a file'),
      now: () => NOON,
      zone: 'UTC',
      user: 'ada',
      terminal: { out: false, err: false, columns: 100 },
      ask: async (question) => {
        questions.push(question);
        return Promise.resolve(left.shift());
      },
      signal: new AbortController().signal,
      ...io,
    },
  };
}
