import { describe, expect, it } from 'vitest';
import { ADMIN_CALLS, FILTER_CALLS } from './calls/admin.ts';
import { CLIENT_CALLS } from './calls/client.ts';
import { DEFINITION_CALLS } from './calls/definitions.ts';
import { INFRA_CALLS } from './calls/infra.ts';
import { TESTING_CALLS } from './calls/testing.ts';
import { WORKER_CALLS } from './calls/worker.ts';
import { NO_OPTIONS } from './no-options.ts';
import { type Given, isOf, type OptionCalls, valueAt, withField } from './stray-field.ts';
import { type OptionObject, walkApi } from './walk-api.ts';

const CALLS: OptionCalls = {
  ...CLIENT_CALLS,
  ...DEFINITION_CALLS,
  ...WORKER_CALLS,
  ...ADMIN_CALLS,
  ...FILTER_CALLS,
  ...INFRA_CALLS,
  ...TESTING_CALLS,
};
const { calls, exempted } = walkApi(new Map(Object.entries(NO_OPTIONS)));

/** An option object of a call, and arguments that have it. */
interface Place {
  readonly name: string;
  readonly path: string;
  readonly object: OptionObject;
  readonly given: Readonly<Record<string, unknown>> | undefined;
}

const places: readonly Place[] = [...calls].flatMap(([name, paths]) =>
  [...paths].flatMap(([path, objects]) =>
    objects.map((object) => ({
      name,
      path,
      object,
      given: CALLS[name]?.given.find((given) => isOf(valueAt(given, path.split('.')), object)),
    })),
  ),
);

describe('each option object of the public API', () => {
  it('is of a function that is called here', () => {
    expect([...calls.keys()].toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  it('is given to its function; alternatives need not be given to each', () => {
    const shape = ({ object: { known, required } }: Place): string => `${known.join()} of which ${required.join()}`;
    const given = places.filter((place) => place.given !== undefined);
    const [paths, shapes] = [new Set(given.map(({ name, path }) => `${name}: ${path}`)), new Set(given.map(shape))];
    const missing = places.filter((place) => !paths.has(`${place.name}: ${place.path}`) || !shapes.has(shape(place)));
    expect(missing.map((place) => `${place.name}: ${place.path} with ${shape(place)}`)).toEqual([]);
  });

  it('is none of those that are no options, and each of those is still there', () => {
    expect([...exempted].toSorted()).toEqual(Object.keys(NO_OPTIONS).toSorted());
  });

  it.each(places.filter(({ given }) => given !== undefined))(
    '$name: $path refuses a field that it does not know',
    async ({ name, path, object, given }) => {
      if (CALLS[name]?.never?.test(path))
        return expect(await refusal(async () => CALLS[name]?.call(given as Given))).toMatch(/is not valid/);
      const [longest = ''] = object.known.toSorted((a, b) => b.length - a.length);
      const refused = await refusal(async () => CALLS[name]?.call(withField(given, path.split('.'), `${longest}x`) as Given));
      expect(refused).toContain(`${longest}x`);
      expect(refused).toContain(`Did you mean ${longest}?`);
    },
  );
});

/** The message of what a call throws. */
async function refusal(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
}
