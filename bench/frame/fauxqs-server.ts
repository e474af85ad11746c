import { buildApp } from 'fauxqs';

/** Runs in a process of its own: an SQS on the loopback port that is its only argument, told as `startEmulator` waits for it. */
await buildApp({ logger: false }).listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
process.stdout.write('listening on\n');
