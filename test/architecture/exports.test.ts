import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromRoot } from './source-files.ts';

/** The doors of the package. A name that appears or goes here is a change of the API, and belongs into the changelog. */
const DOORS = {
  '.': { source: 'shared/index.ts', names: Object.keys(await import('../../shared/index.ts')) },
  './worker': { source: 'functions/index.ts', names: Object.keys(await import('../../functions/index.ts')) },
  './infra': { source: 'infra/index.ts', names: Object.keys(await import('../../infra/index.ts')) },
  './admin': { source: 'operate/index.ts', names: Object.keys(await import('../../operate/index.ts')) },
  './testing': { source: 'testing/index.ts', names: Object.keys(await import('../../testing/index.ts')) },
  './ports': { source: 'shared/adapters/own/index.ts', names: Object.keys(await import('../../shared/adapters/own/index.ts')) },
  './opentelemetry': {
    source: 'shared/adapters/opentelemetry/index.ts',
    names: Object.keys(await import('../../shared/adapters/opentelemetry/index.ts')),
  },
  './s3': { source: 'shared/adapters/s3/index.ts', names: Object.keys(await import('../../shared/adapters/s3/index.ts')) },
};

const TYPE_EXPORTS = /^export (?:type )?\{([^}]*)\}/gm;

/** Types leave no trace at run time, so they are read from the text of the door. */
function typesOf(source: string): readonly string[] {
  return [...readFileSync(fromRoot(source), 'utf8').matchAll(TYPE_EXPORTS)]
    .flatMap((statement) => {
      const all = statement[0].startsWith('export type');
      const names = (statement[1] ?? '').split(',').map((name) => name.trim());
      return names.filter((name) => name !== '' && (all || name.startsWith('type '))).map((name) => name.replace(/^type /, ''));
    })
    .toSorted();
}

describe('the front door', () => {
  test.each(Object.entries(DOORS))('%s exports these names', (_, { source, names }) => {
    expect({ values: names.toSorted(), types: typesOf(source) }).toMatchSnapshot();
  });

  test('is what package.json says, each to the built file of its source', () => {
    const { exports } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as {
      exports: Record<string, { types: string; default: string } | string>;
    };
    const doors = Object.entries(exports).filter(([door]) => door !== './package.json');
    expect(doors).toEqual(
      Object.entries(DOORS).map(([door, { source }]) => {
        const built = `./dist/${source.replace(/\.ts$/, '')}`;
        return [door, { types: `${built}.d.ts`, default: `${built}.js` }];
      }),
    );
  });

  test.each(Object.values(DOORS))('$source is short', ({ source }) => {
    expect(readFileSync(fromRoot(source), 'utf8').split('\n').length).toBeLessThanOrEqual(80);
  });
});
