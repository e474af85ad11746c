// The same as an ES module.
import { createJobClient, type JobClient } from 'nightcrew';
import { createAdmin } from 'nightcrew/admin';
import { openTelemetry } from 'nightcrew/opentelemetry';
import { s3Payloads } from 'nightcrew/s3';
import { createTestKit } from 'nightcrew/testing';
import { createExecutor } from 'nightcrew/worker';

export const jobs: JobClient = createJobClient();
export const all = [createAdmin, createTestKit, createExecutor, openTelemetry, s3Payloads];
