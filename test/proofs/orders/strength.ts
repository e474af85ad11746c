/** In how many steps all pairs are walked; each strength contains the ones before. */
export const STRENGTHS = [1, 2, 3, 4] as const;
export type Strength = (typeof STRENGTHS)[number];

/** What a strength asks for. 1: so that each verb meets each state, each feature, each end and each level of History. */
export const MEANINGS: Readonly<Record<Strength, string>> = {
  1: 'each pair of verbs once; each verb in each state, with each feature, end and level of History',
  2: 'each pair of verbs in each state, with each feature, end and level of History',
  3: 'each pair of verbs in each state with each feature',
  4: 'each pair of verbs in each situation',
};

/** Under which name runs over the pairs of a strength are recorded. */
export const proofOf = (strength: Strength): string => `orders-strength-${strength}`;
