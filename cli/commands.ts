import type { Command } from './command.ts';
import { externalCommand } from './commands/external.ts';

/** Every command, in the order in which `nightcrew --help` lists them. */
export const COMMANDS: readonly Command[] = [externalCommand];
