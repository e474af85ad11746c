import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** The terminal, while the output of functions goes to a file. */
export interface CapturedOutput {
  /** Writes to the real standard output. */
  readonly screen: (text: string) => void;
  /** Writes to the real standard error. */
  readonly error: (text: string) => void;
  /** Adds a line to the file. */
  readonly log: (line: string) => void;
  /** Gives standard output and error back to everybody. */
  readonly release: () => void;
}

type Write = typeof process.stdout.write;

/** Redirects the standard output and error of this process to a file: the logs of functions that share the process. */
export function captureOutput(path: string): CapturedOutput {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'a');
  const { stdout, stderr } = process;
  const screen: Write = stdout.write.bind(stdout);
  const error: Write = stderr.write.bind(stderr);
  const toFile = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
    writeSync(file, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') callback();
    return true;
  }) as Write;
  stdout.write = toFile;
  stderr.write = toFile;
  return {
    screen: (text) => void screen(text),
    error: (text) => void error(text),
    log: (line) => void writeSync(file, `${line}\n`),
    release: () => {
      stdout.write = screen;
      stderr.write = error;
      closeSync(file);
    },
  };
}
