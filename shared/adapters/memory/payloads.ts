import { checkOptions } from '../../job/names.ts';
import { utf8Bytes } from '../../job/size-limits.ts';
import type { KeptPayload, PayloadStore } from '../../ports/payload-store.ts';

/** A payload store in memory, with what tests want to know. */
export interface MemoryPayloads extends PayloadStore {
  /** What was not deleted, in the order of the keys. */
  readonly kept: () => readonly KeptPayload[];
  /** Removes the versions of deleted keys, as the lifecycle of a bucket does after weeks. */
  readonly expire: () => void;
}

const PAGE = 1_000;

/** Creates a payload store in memory; its versions are never reused. `pageSize` bounds a page of `list`. */
export function createMemoryPayloads(options: { readonly now?: () => number; readonly pageSize?: number } = {}): MemoryPayloads {
  checkOptions(options, ['now', 'pageSize'], 'options');
  const { now = () => 0, pageSize = PAGE } = options;
  const current = new Map<string, { readonly version: string; readonly storedAt: number }>();
  const versions = new Map<string, string>();
  let stored = 0;
  const kept = (): readonly KeptPayload[] =>
    [...current.keys()].toSorted().map((key) => {
      const { version = '', storedAt = 0 } = current.get(key) ?? {};
      return { key, storedAt, bytes: utf8Bytes(versions.get(`${key} ${version}`) ?? '') };
    });
  return {
    kept,
    expire() {
      for (const name of versions.keys()) if (!current.has(name.split(' ')[0] ?? '')) versions.delete(name);
    },
    async put(job, text) {
      stored++;
      const [key, version] = [`${job}/${String(stored).padStart(8, '0')}`, `v${stored}`];
      versions.set(`${key} ${version}`, text);
      current.set(key, { version, storedAt: now() });
      return { key, version };
    },
    get: async ({ key, version }) => versions.get(`${key} ${version}`),
    delete: async (key) => void current.delete(key),
    async list(after = '') {
      const rest = kept().filter(({ key }) => key > after);
      const payloads = rest.slice(0, pageSize);
      const next = rest.length > payloads.length ? payloads.at(-1)?.key : undefined;
      return { payloads, ...(next === undefined ? {} : { next }) };
    },
  };
}
