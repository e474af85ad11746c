#!/usr/bin/env node
import { systemIo } from './system-io.ts';
import { runCli } from './run-cli.ts';

// Written through before the exit: a pipe that is cut off would leave half a JSON.
const written = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write('', () => resolve()));

// A pipe closed by `head` is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const code = await runCli(process.argv.slice(2), systemIo());
await Promise.all([written(process.stdout), written(process.stderr)]);
process.exit(code);
