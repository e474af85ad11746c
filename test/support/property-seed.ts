/** The seed of every fast-check property: the same run tries the same inputs. `npm run hunt -- --only properties` draws fresh ones. */
export const PROPERTY_SEED: number = Number(process.env['NIGHTCREW_PROPERTY_SEED'] ?? 20_260_101);
