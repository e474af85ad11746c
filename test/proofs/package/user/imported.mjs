// The same in ES modules.
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
const modules = await Promise.all(entries.map((entry) => import(entry)));
console.log(JSON.stringify(modules.map((module) => Object.keys(module).length)));
