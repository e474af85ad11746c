import fc from 'fast-check';

// A property that needs more runs says so itself; each of a thousand mutants pays for every run.
fc.configureGlobal({ numRuns: 30 });
