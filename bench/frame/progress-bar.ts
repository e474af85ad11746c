const WIDTH = 30;

/** The output of a bar; without a terminal only `write`, and nothing is drawn. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A bar on one line of a terminal; where there is no terminal, a line when a bench begins. */
export function progressBar(screen: Screen): {
  readonly show: (bench: string, done: number, now: string) => void;
  readonly end: () => void;
} {
  let said = '';
  return {
    show(bench, done, now) {
      if (screen.isTTY === true) {
        const filled = Math.round(WIDTH * Math.min(1, Math.max(0, done)));
        screen.write(`\r\u001B[2K${bench.padEnd(11)} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${now.slice(0, 60)}`);
      } else if (said !== bench) screen.write(`bench: ${bench}\n`);
      said = bench;
    },
    end: () => void (screen.isTTY === true && screen.write('\r\u001B[2K')),
  };
}
