/** Writes every generated page and file. Tests fail when one of them is stale. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cliDoc } from './generate-cli-doc.ts';
import { costDoc, readmeWithCost } from './generate-cost-doc.ts';
import { httpApiDoc, openApiText } from './generate-http-api-doc.ts';
import { lifecycleDoc } from './generate-lifecycle-doc.ts';
import { optionsDoc } from './generate-options-doc.ts';
import { performanceFiles, savedReport } from './generate-performance-doc.ts';
import { settingsDoc, settingsProps } from './generate-settings-doc.ts';
import { adminDoc } from './generate-verb-table.ts';
import { withoutArguments } from './with-arguments.ts';

const USAGE = `Usage: npm run docs

Writes every generated page and file: docs/reference, parts of README.md, docs/operate/costs.md and docs/operate/admin.md,
infra/settings-props.ts and docs/images/performance.
`;

await withoutArguments(USAGE, () => {
  writeFileSync('docs/reference/cli.md', cliDoc());
  writeFileSync('docs/operate/costs.md', costDoc(readFileSync('docs/operate/costs.md', 'utf8')));
  writeFileSync('docs/operate/admin.md', adminDoc(readFileSync('docs/operate/admin.md', 'utf8')));
  writeFileSync('README.md', readmeWithCost(readFileSync('README.md', 'utf8')));
  writeFileSync('docs/reference/http-api.md', httpApiDoc());
  writeFileSync('docs/reference/http-api.openapi.json', openApiText());
  writeFileSync('docs/reference/lifecycle.md', lifecycleDoc());
  writeFileSync('docs/reference/options.md', optionsDoc());
  writeFileSync('docs/reference/settings.md', settingsDoc());
  writeFileSync('infra/settings-props.ts', settingsProps());

  // A picture of a bench that is gone would stay.
  rmSync('docs/images/performance', { recursive: true, force: true });
  for (const [path, text] of performanceFiles(savedReport())) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return 0;
});
