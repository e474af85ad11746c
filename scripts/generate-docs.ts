/** Writes every generated page and file. Tests fail when one of them is stale. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cliDoc } from './generate-cli-doc.ts';
import { costDoc } from './generate-cost-doc.ts';
import { lifecycleDoc } from './generate-lifecycle-doc.ts';
import { settingsDoc, settingsProps } from './generate-settings-doc.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/cli.md', cliDoc());
writeFileSync('docs/what-it-costs.md', costDoc());
writeFileSync('docs/lifecycle.md', lifecycleDoc());
writeFileSync('docs/settings.md', settingsDoc());
writeFileSync('infra/settings-props.ts', settingsProps());
