import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestKit } from '../../testing/index.ts';

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, '..', '..', ...path), 'utf8');
const page = read('docs', 'guides', 'testing.md');
const asUsersSeeIt = (text: string): string =>
  text
    .replaceAll('../../testing/index.ts', 'nightcrew/testing')
    .replaceAll('../../shared/index.ts', 'nightcrew')
    .replaceAll('../../examples/test-kit/orders.ts', './orders.ts');

test.each(['examples/test-kit/orders.ts', 'test/examples/test-kit.test.ts', 'test/examples/test-kit-schedules.test.ts'])(
  'docs/guides/testing.md shows %s word by word',
  (path) => {
    expect(page).toContain(`\`\`\`ts\n${asUsersSeeIt(read(path))}\`\`\``);
  },
);

test('docs/guides/testing.md names every member of a kit and every outcome', async () => {
  const kit = createTestKit();
  for (const member of Object.keys(kit)) expect(page).toContain(`kit.${member}`);
  const { runs: _, ...counts } = await kit.drain();
  for (const outcome of Object.keys(counts)) expect(page).toContain(`\`${outcome}\``);
});

test('docs/guides/testing.md names every option', () => {
  const options = [...(read('testing/kit/kit-options.ts').split('interface TestKitOptions')[1] ?? '').matchAll(/^  readonly (\w+)\?:/gm)];
  expect(options.length).toBeGreaterThan(10);
  for (const [, name] of options) expect(page).toContain(`\`${name}\``);
});
