// A user's CommonJS: requires every entry, and prints the number of their exports as JSON.
const entries = [
  'nightcrew',
  'nightcrew/worker',
  'nightcrew/infra',
  'nightcrew/admin',
  'nightcrew/testing',
  'nightcrew/ports',
  'nightcrew/opentelemetry',
  'nightcrew/s3',
];
console.log(JSON.stringify(entries.map((entry) => Object.keys(require(entry)).length)));
