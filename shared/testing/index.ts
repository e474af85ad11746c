// Building blocks for tests of one's own: the ports in memory, time that is set by hand, chance that repeats itself.
export { createMemoryHints, type MemoryHints } from '../memory/hints.ts';
export { seededEntropy } from '../memory/seeded-entropy.ts';
export { SettableClock } from '../memory/settable-clock.ts';
export { createMemoryTables, type MemoryTables } from '../memory/tables.ts';
export type { Clock } from '../ports/clock.ts';
export type { Entropy } from '../ports/entropy.ts';
export type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../ports/hints.ts';
export type { Tables } from '../ports/tables.ts';
