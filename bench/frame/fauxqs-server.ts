import { buildApp } from 'fauxqs';

/** The program of its process: an SQS on the loopback port that is its only argument, announced as `startEmulator` expects. */
await buildApp({ logger: false }).listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
process.stdout.write('listening on\n');
