import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { cliDoc } from '../../scripts/generate-cli-doc.ts';
import { fromRoot } from './source-files.ts';

const page = readFileSync(fromRoot('docs/reference/cli.md'), 'utf8');

describe('docs/reference/cli.md', () => {
  test('is what the commands say (npm run docs writes it)', () => expect(page).toBe(cliDoc()));

  test('names each command and each verb', () => {
    for (const { name, verbs = [] } of COMMANDS) {
      expect(page).toContain(`### ${name}\n`);
      for (const verb of verbs) expect(page).toContain(`\`nightcrew ${name}${verb.name === undefined ? '' : ` ${verb.name}`}`);
    }
  });
});
