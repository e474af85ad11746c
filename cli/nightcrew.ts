#!/usr/bin/env node
import { external } from '../shared/worker/index.ts';
import { runCli } from './run-cli.ts';

// Written through before the exit: a pipe that is cut off would leave half a JSON.
const written = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write('', () => resolve()));

const code = await runCli(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  environment: process.env,
  openExternal: (worker) => external(worker, { environment: process.env }),
});
await Promise.all([written(process.stdout), written(process.stderr)]);
process.exit(code);
