// Starts the console by its command, as an operator does, and prints what a browser gets: status and type of its page and of a style sheet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const [program] = process.argv.slice(2);
const child = spawn(process.execPath, [program, 'console', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => ['{}'])]);
  const { url } = JSON.parse(String(said));
  const got = async (address) => {
    const { status, headers } = await fetch(address);
    return `${status} ${headers.get('content-type')}`;
  };
  console.log(JSON.stringify([await got(url), await got(new URL('/assets/login.css', url))]));
} finally {
  child.kill();
}
