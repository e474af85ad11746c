// The same in ES modules.
const modules = await Promise.all(process.argv.slice(2).map((entry) => import(entry)));
console.log(JSON.stringify(modules.map((module) => Object.keys(module).length)));
