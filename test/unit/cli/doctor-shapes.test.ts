import { describe, expect, it } from 'vitest';
import { createIndex, judgeShape, shapesCheck } from '../../../cli/doctor/check-shapes.ts';
import { judgeTable } from '../../../cli/doctor/check-tables.ts';
import type { Finding, Patient, TableSeen, TableShape } from '../../../cli/doctor/check.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';

const spec = TABLE_SPECS.deadLetters;
const SOUND: TableShape = {
  types: { id: 'S', typeLeaf: 'S', failedAt: 'S', fingerprintLeaf: 'S' },
  indexes: Object.fromEntries(
    Object.entries(spec.indexes).map(([name, { partition, sort, projects }]) => [name, { key: [partition, sort ?? ''], projects }]),
  ),
  replicas: [],
};
const seen = (shape: Partial<TableShape> = {}, more: Partial<TableSeen> = {}): TableSeen => ({
  status: 'ACTIVE',
  key: ['id'],
  indexes: { byType: 'ACTIVE', byFingerprint: 'ACTIVE' },
  deletionProtection: true,
  onDemand: true,
  sizeBytes: 0,
  shape: { ...SOUND, ...shape },
  ...more,
});
const judged = (shape: Partial<TableShape>, more?: Partial<TableSeen>) => judgeShape(spec, 'restored', seen(shape, more));
const withIndex = (index: Partial<TableShape['indexes'][string]>) => ({
  indexes: { ...SOUND.indexes, byType: { ...(SOUND.indexes['byType'] as TableShape['indexes'][string]), ...index } },
});

describe('the shape of an adopted table', () => {
  it('is in order as the construct makes it, and with an index that has every column', () => {
    expect(judged({})).toEqual([]);
    expect(judged(withIndex({ projects: 'all' }))).toEqual([]);
  });

  it('needs no column that is a key of the table or of the index anyway', () => {
    const projects = spec.indexes['byType']?.projects.filter((column) => column !== 'type') ?? [];
    expect(judged(withIndex({ projects: [...projects, 'type'] }))).toEqual([]);
    const suspended = TABLE_SPECS.suspended;
    const index = { partition: 'causeLeaf', sort: 'suspendedAt', projects: ['id', 'suspendedAt', 'type'] };
    const shape = { ...SOUND, indexes: { byCause: { key: ['causeLeaf', 'suspendedAt'], projects: ['type'] } } };
    expect(judgeShape({ ...suspended, indexes: { byCause: index } }, 't', seen(shape))).toEqual([]);
  });

  it.each<readonly [string, Partial<TableShape>, Partial<Finding>]>([
    [
      'keys of another type',
      { types: { ...SOUND.types, failedAt: 'N' } },
      { status: 'failed', says: 'has keys that are not of type S: failedAt', subject: 'restored' },
    ],
    ['replicas', { replicas: ['us-east-1'] }, { status: 'failed', says: expect.stringContaining('replicas in us-east-1') as string }],
    [
      'an index with another key',
      withIndex({ key: ['type', 'failedAt'] }),
      { status: 'failed', subject: 'restored/byType', says: 'has the key type, failedAt instead of typeLeaf, failedAt' },
    ],
    [
      'an index without some columns',
      withIndex({ projects: spec.indexes['byType']?.projects.filter((column) => !/tenant|reason/.test(column)) ?? [] }),
      { status: 'warning', says: 'lacks the columns tenant, reason: lists by it do not show or filter them' },
    ],
  ])('with %s is found', (_, shape, finding) => {
    expect(judged(shape)).toEqual([expect.objectContaining(finding)]);
  });

  it('names the command that protects a table, unless an emulator has it, and says nothing of one that was not described', async () => {
    const [finding] = judged({}, { deletionProtection: false });
    expect(finding).toMatchObject({
      status: 'warning',
      fix: 'aws dynamodb update-table --table-name restored --deletion-protection-enabled',
    });
    const { shape: _, ...undescribed } = seen();
    expect(judgeShape(spec, 't', undescribed)).toEqual([]);
    const check = async (local: boolean, look: object = { saw: { ...undescribed, deletionProtection: false } }) => {
      const looks = { local, table: async () => Promise.resolve(look) };
      const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name]));
      return shapesCheck.run({ deployment: { tables }, looks } as unknown as Patient);
    };
    expect(await check(false)).toHaveLength(6);
    expect(await check(true)).toMatchObject([{ status: 'ok', subject: 'all tables' }]);
    expect(await check(false, { absent: true })).toEqual([]);
  });

  it('is completed by a command that adds the index it lacks, one at a time', () => {
    const command = createIndex('restored', 'byType', TABLE_SPECS.deadLetters.indexes['byType'] as never);
    expect(command).toMatch(
      /^aws dynamodb update-table --table-name restored --attribute-definitions AttributeName=typeLeaf,AttributeType=S /,
    );
    const updates = JSON.parse(/--global-secondary-index-updates '(.*)'$/.exec(command)?.[1] ?? '') as unknown;
    expect(updates).toMatchObject([
      {
        Create: {
          IndexName: 'byType',
          KeySchema: [
            { AttributeName: 'typeLeaf', KeyType: 'HASH' },
            { AttributeName: 'failedAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: spec.indexes['byType']?.projects },
        },
      },
    ]);
    expect(judgeTable(spec, 'restored', { saw: seen({}, { indexes: {} }) })).toMatchObject([
      { status: 'failed', says: 'lacks the index byType, byFingerprint', fix: expect.stringContaining(command) as string },
    ]);
  });
});
