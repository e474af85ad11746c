import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBLocalInstallation } from '../../../local/emulators/dynamodb-local.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', '..', 'local', 'emulators', 'loopback-dynamodb.java');

/**
 * A file system for one LocalStack, in which it finds DynamoDB Local and a Java where it would otherwise download them to. That
 * Java starts DynamoDB Local on the loopback interface only, and ends it when LocalStack has ended, however that ended.
 */
export function createLocalStackFolder(parent: string, { folder }: Pick<DynamoDBLocalInstallation, 'folder'>): string {
  mkdirSync(parent, { recursive: true });
  removeForgotten(parent);
  const root = mkdtempSync(join(parent, `run-${process.pid}-`));
  const libraries = join(root, 'var', 'lib', 'localstack', 'lib');
  const dynamo = join(libraries, 'dynamodb-local', '2');
  mkdirSync(dynamo, { recursive: true });
  for (const name of ['DynamoDBLocal.jar', 'DynamoDBLocal_lib']) symlinkSync(join(folder, name), join(dynamo, name));
  const java = join(libraries, 'java', '21', 'bin');
  mkdirSync(java, { recursive: true });
  writeFileSync(join(java, 'java'), javaScript(folder), { mode: 0o755 });
  return root;
}

/** Folders of processes that were killed before they could remove theirs. */
function removeForgotten(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^run-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** LocalStack calls `java <options> -jar DynamoDBLocal.jar -port N -inMemory`; the arguments before the port are ours. */
function javaScript(folder: string): string {
  const options = [
    '-Xmx512m',
    '-Djava.net.preferIPv4Stack=true',
    `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
    '-cp',
    join(folder, 'DynamoDBLocal.jar'),
    LAUNCHER,
  ];
  return `#!/bin/sh
home="$(dirname "$0")"
PATH="\${PATH#"$home":}"
while [ "$1" != -port ]; do shift; done
java ${options.map((option) => `'${option.replaceAll("'", "'\\''")}'`).join(' ')} "$@" &
java=$!
trap 'kill -9 $java' TERM INT
while kill -0 $PPID && kill -0 $java; do sleep 1; done 2>/dev/null
kill -9 $java 2>/dev/null
`;
}
