// A user's CommonJS: requires the entries that its arguments name, and prints the number of their exports as JSON.
console.log(JSON.stringify(process.argv.slice(2).map((entry) => Object.keys(require(entry)).length)));
