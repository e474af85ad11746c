// A user's CommonJS in TypeScript, as TypeScript 5.8 and later take it.
import { createJobClient, type JobClient } from 'nightcrew';
import { createAdmin } from 'nightcrew/admin';
import { openTelemetry } from 'nightcrew/opentelemetry';
import { s3Payloads } from 'nightcrew/s3';
import { createTestKit } from 'nightcrew/testing';
import { createExecutor } from 'nightcrew/worker';

export const jobs: JobClient = createJobClient();
export const all = [createAdmin, createTestKit, createExecutor, openTelemetry, s3Payloads];
