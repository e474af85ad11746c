import { ON_DYNAMO } from './rig-tables.ts';

/** What the store of a flow does otherwise than DynamoDB (docs/reference/emulators.md). */
const ON_DYNOXIDE = ON_DYNAMO && process.env['AWS_ENDPOINT_URL_DYNAMODB'] === undefined;

/** Whether a scan goes on behind a row that was deleted: it does everywhere but on Dynoxide. */
export const SCANS_GO_ON: boolean = !ON_DYNOXIDE;

/** Whether a query that finds nothing costs its half unit: it does everywhere but on DynamoDB Local and what is built on it. */
export const EMPTY_QUERIES_COST: boolean = !ON_DYNAMO || ON_DYNOXIDE;
