// A user's module: imports every entry that needs no CDK, calls what needs an optional package, and prints what came of it as JSON.
import { createEventBridgeSink, MissingPackageError } from 'nightcrew';
import { createActivation } from 'nightcrew/admin';
import { createTestKit } from 'nightcrew/testing';
import { createExecutor } from 'nightcrew/worker';

const answering = (answer) => ({ send: async () => answer });
const targets = { schedules: [{ name: 'tick', groupName: 'ticks' }], eventSourceMappings: ['m'] };
const told = (work) => work.catch((error) => (error instanceof MissingPackageError ? error.message : String(error.stack)));
const event = { id: 'e', event: 'completed', at: 0, job: { id: 'j', type: 'work', worker: 'default', attempt: 1 } };

async function main() {
  const activation = createActivation({ scheduler: answering({ State: 'ENABLED' }), lambda: answering({ State: 'Enabled' }), targets });
  return {
    entries: [createExecutor, createTestKit].map((one) => typeof one),
    sink: await told(createEventBridgeSink({ bus: 'jobs', client: answering({ Entries: [{}] }) }).put([event])),
    status: await told(activation.status()),
    activate: await told(activation.activate()),
  };
}
void main().then((all) => console.log(JSON.stringify(all)));
