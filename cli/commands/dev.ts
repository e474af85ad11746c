import { EXIT } from '../exit.ts';
import { verbCommand } from '../verb-command.ts';

/** The package contains no emulators: running a region on one machine needs the repository. */
const TEXT = `A region on this machine (embedded DynamoDB and SQS, executors, ticks, the console) is part of Nightcrew's repository, not of the package:

In a clone of it:

  npm start              the example jobs and the console, until Ctrl-C
  npm start -- --once    one scenario with a verdict

For jobs of your own in your own tests use the in-memory kit of the package: import { createTestKit } from 'nightcrew/testing'.
To use emulators that already run, set AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS in addition to the NIGHTCREW_ variables.
`;

/** `nightcrew dev`: prints how to run a region on this machine. */
export const devCommand = verbCommand('dev', 'how to run everything on this machine', [
  {
    summary: 'how to run everything on this machine',
    apart: true,
    run: async (call) => {
      if (call.show.json) call.show.data({ text: TEXT });
      else call.io.out(TEXT);
      return Promise.resolve(EXIT.done);
    },
  },
]);
