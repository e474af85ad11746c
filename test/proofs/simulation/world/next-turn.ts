/** Turns of the event loop that are asked for at a time: most of what one costs is the way round the loop. */
const AT_A_TIME = 16;

const waiting: (() => void)[] = [];
let ahead = 0;

/** Waits until everything that is awake has had its turn, rejections that nobody handles included. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (ahead === 0) ask();
  });
}

function ask(): void {
  ahead = AT_A_TIME;
  for (let turn = 0; turn < AT_A_TIME; turn++) setImmediate(goOn);
}

/** Node lets everything that one immediate wakes run to its end before the next one. */
function goOn(): void {
  ahead--;
  waiting.shift()?.();
  // Of several who wait at once, the one who went on may not ask again.
  if (ahead === 0 && waiting.length > 0) ask();
}
