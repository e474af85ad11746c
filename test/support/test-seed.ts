/**
 * The seed of everything that a test draws, fast-check properties included, so that the same commit runs the same tests. `npm run hunt -- --only seeded-tests`
 * runs these tests with fresh seeds; NIGHTCREW_TEST_SEED repeats one.
 */
export const TEST_SEED: number = Number(process.env['NIGHTCREW_TEST_SEED'] ?? 20_260_101);
