/** `npm run layouts -- <version>`: keeps what a deployment of this release leaves, for the tests of later ones. Run it when a release is made. */
import { keepLayouts } from './layouts.ts';

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Usage: npm run layouts -- <version>, such as 0.1.0');
await keepLayouts(version);
